import { expect, it, test } from 'vitest';
import { newRequestId, requestIdOf } from './request-id.ts';

test.each(['a', 'A-z_0.9', 'x'.repeat(128), '550e8400-e29b-41d4-a716-446655440000'])('%j is kept', (id) => {
  expect(requestIdOf({ headers: { 'x-request-id': id } })).toBe(id);
});

test.each([undefined, '', ' ', 'x'.repeat(129), 'a b', 'a, b', 'a\nb', 'a"b', 'ä', '${jndi}', '../a/b'])(
  '%j is replaced',
  (id) => {
    const headers = id === undefined ? {} : { 'x-request-id': id };
    const given = requestIdOf({ headers });
    expect(given).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
    expect(given).not.toBe(id);
  },
);

it('differs from one request to the next', () => {
  expect(new Set(Array.from({ length: 100 }, newRequestId)).size).toBe(100);
});
