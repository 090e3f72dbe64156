/** A source of choices that are the same for the same seed. */
export interface Draw {
  /** A whole number from 0 to `bound - 1`. */
  below(bound: number): number;
  /** One item of a list that is not empty. */
  one<T>(list: readonly T[]): T;
  /** One item, with a probability in proportion to its weight. */
  weighted<T>(list: readonly T[], weightOf: (one: T) => number): T;
  /** True with this probability. */
  happens(probability: number): boolean;
}

/** Choices of the generator mulberry32. */
export function drawOf(seed: number): Draw {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    below,
    one: (list) => list[below(list.length)] as never,
    weighted(list, weightOf) {
      let left = next() * list.reduce((sum, one) => sum + weightOf(one), 0);
      return list.find((one) => (left -= weightOf(one)) < 0) ?? (list[0] as never);
    },
    happens: (probability) => next() < probability,
  };
}

/** Texts that break careless programs. None of them holds a word that an answer may not hold. */
export const NASTY: readonly string[] = [
  '',
  ' ',
  'a\u0000b',
  '\u0000',
  '\ud800',
  'x\udfff',
  '\u202e',
  '\ufeff',
  '\u0007\u001b[31m',
  '\r\nX-Injected: 1',
  'ä',
  '温度',
  '😀',
  `'; drop table reading; --`,
  '{"x":1}',
  '../../etc/passwd',
  '${7*7}',
  '%00',
  '%',
  '*',
  '\\',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'NaN',
  '-0',
  '0x10',
  '1e3',
  '1e999',
  '99999999999999999999',
  '-9223372036854775809',
  '2026-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '-271821-04-20T00:00:00Z',
  '1ms',
  '999999999d',
  '99999999999999999999999d',
  'a'.repeat(63),
  'é'.repeat(128),
  'x'.repeat(300),
];

/** Values of other types than text. */
export const ODD: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  -(2 ** 63),
  [],
  [[]],
  {},
  { a: { b: [null] } },
];
