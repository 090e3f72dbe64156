import { describe, expect, it } from 'vitest';
import { good, told } from '../../../test/kit/source-example.ts';

describe('an address', () => {
  const toldOf = (url: string): readonly string[] => told({ connection: { ...good.connection, url } });

  it.each(['http://h', 'https://h:8443/api/'])('may be %s', (url) => expect(toldOf(url)).toEqual([]));

  it.each(['http://bridge@h/', 'http://:hunter2@h/', 'http://h/#part', 'file:///etc/passwd'])(
    'may not be %s',
    (url) => {
      expect(toldOf(url)).toHaveLength(1);
      expect(toldOf(url).join('')).not.toContain('hunter2');
    },
  );
});

describe('a duration', () => {
  it.each([
    ['-5s', 'is negative'],
    [' -5s', 'is negative'],
    ['10-5s', 'is not a duration'],
    ['x'.repeat(60), `"${'x'.repeat(60)}" is not a duration`],
    ['x'.repeat(61), `"${'x'.repeat(57)}…" is not a duration`],
  ])('may not be %j', (settle, message) => {
    const [line] = told({ schedule: { every: '10s', settle } });
    expect(line).toMatch(/^schedule\.settle: /);
    expect(line).toContain(message);
  });

  it('has bounds', () => {
    const silence = (longestSilence: string): readonly string[] => told({ pace: { longestSilence } });
    expect([...silence('1s'), ...silence('1d')]).toEqual([]);
    expect(silence('999ms')).toEqual(['pace.longestSilence: "999ms" is shorter than 1s; use 1s or longer']);
    expect(silence('25h')).toEqual(['pace.longestSilence: "25h" is longer than 1d; use 1d or shorter']);
  });
});

it.each(['-7d', ' -7d', '7'])('a start may not be %j', (start) => {
  expect(told({ schedule: { every: '10s', start } })).toHaveLength(1);
});
