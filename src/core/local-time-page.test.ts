import { expect, test } from 'vitest';
import { parseInstant, parseLocal } from './instant.ts';
import { AMBIGUOUS_TIME, inInstants } from './local-time.ts';
import type { LocalTimes } from './local-time.ts';
import type { Samples } from './samples.ts';
import type { Window } from './window.ts';
import { zoneOf } from './zone.ts';

const at = (text: string): number => parseInstant(text) ?? NaN;
const zone = zoneOf('Europe/Berlin');
const whole: Window = { from: at('2025-01-01T00:00:00Z'), to: at('2026-01-01T00:00:00Z') };

/** A page with a point at each of these local times. */
function pageOf(...locals: readonly string[]): Samples {
  const instants = locals.map((text) => parseLocal(text) ?? NaN);
  return { sensor: 's', variable: 'x', at: instants, values: instants.map((_, place) => place) };
}

const read = (page: Samples, dst: LocalTimes['dst'] = 'earlier', window = whole) =>
  inInstants(page, { zone, dst }, window).map(({ samples, reason }) => ({
    reason,
    at: samples.at,
    values: samples.values,
    ...(samples.labels && { labels: samples.labels }),
  }));

test('a page of local times that were shown once is one page of instants, in any order', () => {
  const page = pageOf(
    '2025-07-01T12:00:00',
    '2025-01-01T12:00:00',
    'never',
    '2025-10-26T01:59:59.999999',
    '2025-10-26T03:00:00',
    '2025-03-30T03:00:00',
    '2025-03-30T01:59:59.999999',
  );
  const instants = [
    at('2025-07-01T10:00:00Z'),
    at('2025-01-01T11:00:00Z'),
    NaN,
    at('2025-10-25T23:59:59.999999Z'),
    at('2025-10-26T02:00:00Z'),
    at('2025-03-30T01:00:00Z'),
    at('2025-03-30T00:59:59.999999Z'),
  ];
  expect(inInstants(page, { zone, dst: 'refuse' }, whole)).toEqual([
    { samples: { ...page, at: instants }, reason: undefined },
  ]);
});

test.each([
  ['earlier', '2025-10-26T00:30:00Z'],
  ['later', '2025-10-26T01:30:00Z'],
] as const)('of a local time that was shown twice the %s instant counts, and says so', (dst, instant) => {
  expect(read(pageOf('2025-10-26T01:30:00', '2025-10-26T02:30:00', '2025-10-26T03:30:00'), dst)).toEqual([
    { reason: undefined, at: [at('2025-10-25T23:30:00Z'), at('2025-10-26T02:30:00Z')], values: [0, 2] },
    { reason: undefined, at: [at(instant)], values: [1], labels: [AMBIGUOUS_TIME] },
  ]);
});

test('a local time that was shown twice is refused where the source says so, and one that never existed always', () => {
  const page = pageOf('2025-10-26T02:00:00', '2025-03-30T02:59:59', '2025-10-26T02:59:59');
  expect(inInstants(page, { zone, dst: 'refuse' }, whole)).toEqual([
    { samples: { ...page, at: [], values: [] }, reason: undefined },
    {
      samples: { ...page, at: [NaN, NaN], values: [0, 2], rawInstants: ['2025-10-26T02:00:00', '2025-10-26T02:59:59'] },
      reason: 'local-time-repeated',
      places: [at('2025-10-26T00:00:00Z'), at('2025-10-26T00:59:59Z')],
    },
    {
      samples: { ...page, at: [NaN], values: [1], rawInstants: ['2025-03-30T02:59:59'] },
      reason: 'local-time-missing',
      places: [at('2025-03-30T01:59:59Z')],
    },
  ]);
  const raw = { ...page, rawInstants: ['a', 'b', 'c'] };
  expect(inInstants(raw, { zone, dst: 'refuse' }, whole).map(({ samples }) => samples.rawInstants)).toEqual([
    [],
    ['a', 'c'],
    ['b'],
  ]);
});

test.each([
  ['earlier', '2025-10-26T01:00:00Z', '2025-10-26T02:00:00Z'],
  ['later', '2025-10-26T00:00:00Z', '2025-10-26T01:00:00Z'],
] as const)('where the %s instant counts, the window of the other one leaves the point to it', (dst, from, to) => {
  const window = { from: at(from), to: at(to) };
  expect(read(pageOf('2025-10-26T02:30:00'), dst, window)).toEqual([{ reason: undefined, at: [], values: [] }]);
});

test('a point outside of the window keeps its instant, so that it is counted there', () => {
  const window = { from: at('2025-10-26T05:00:00Z'), to: at('2025-10-26T06:00:00Z') };
  const page = pageOf('2025-10-26T02:30:00', '2025-03-30T02:30:00');
  expect(read(page, 'later', window)).toEqual([
    { reason: undefined, at: [at('2025-10-26T01:30:00Z'), at('2025-03-30T01:30:00Z')], values: [0, 1] },
  ]);
});
