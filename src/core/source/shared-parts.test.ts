import { expect, it } from 'vitest';
import { sharing } from './shared-parts.ts';

const pace = () => ({ burst: 2, quietHours: [{ from: '06:00' }] });

it('equal parts become one, and different ones stay apart', () => {
  const share = sharing();
  const first = share(pace());
  expect(share(pace())).toBe(first);
  expect(share({ ...pace(), burst: 3 })).not.toBe(first);
  expect(share([1])).not.toEqual(share(['1']));
});

it.each([[{ at: Infinity }], [{ at: -0 }], [{ by: /x/ }], [{ on: undefined }], [new Map([['a', 1]])]])(
  'what JSON does not tell apart is left alone: %o',
  (part) => {
    const share = sharing();
    share(structuredClone(part));
    expect(share(part)).toBe(part);
  },
);

it('begins anew where there are too many different parts', () => {
  const share = sharing(2);
  const first = share(pace());
  share('a');
  share('b');
  expect(share(pace())).not.toBe(first);
});
