import { expect, test } from 'vitest';
import { isoOf, microsOf, millisOf, parseIso } from './instants.ts';
import { truePoints, visiblePoints } from './truth.ts';
import type { KeySpec, TruthSpec } from './truth.ts';

const micros = Date.UTC(2026, 0, 1) * 1000;
const specOf = (key: Partial<KeySpec>): TruthSpec => ({
  seed: 1,
  firstMs: 0,
  endMs: millisOf(micros + 1_000_000),
  devices: [{ id: 'pump', name: 'pump', keys: [{ name: 'flow', kind: 'number', everyMs: 1000, ...key }] }],
});
const stretch = { fromMs: millisOf(micros + 1), toMs: millisOf(micros + 3) };

test('listed points are cut to the microsecond, and those of one instant stay together in both orders', () => {
  const listed = [0, 1, 1, 2, 2, 3].map((offset, index) => ({ ts: millisOf(micros + offset), value: index }));
  const values = (order: 'ASC' | 'DESC') =>
    [...truePoints(specOf({ listed }), 'pump', 'flow', stretch, order)].map(({ value }) => value);
  expect(values('ASC')).toEqual([1, 2, 3, 4]);
  expect(values('DESC')).toEqual([4, 3, 2, 1]);
});

test('a revised point shows one value at a time, and a late one none before', () => {
  const listed = [
    { ts: millisOf(micros + 1), value: 1, shownToMs: 10 },
    { ts: millisOf(micros + 1), value: 2, shownFromMs: 10 },
    { ts: millisOf(micros + 2), value: 3, shownFromMs: 20 },
  ];
  const shown = (nowMs: number) =>
    [...visiblePoints(specOf({ listed }), 'pump', 'flow', stretch, { nowMs })].map(({ value }) => value);
  expect([9, 10, 20].map(shown)).toEqual([[1], [2], [2, 3]]);
});

test('a rhythm has states, qualities and several points at one instant', () => {
  const spec = {
    ...specOf({ states: ['No Data', 'On'], qualities: ['good', 'bad'], together: { everyNth: 2, count: 2 } }),
  };
  const points = [...truePoints({ ...spec, endMs: 3000 }, 'pump', 'flow', { fromMs: 0, toMs: 3000 })];
  expect(points.map(({ ts, quality }) => [ts, quality])).toEqual([
    [0, 'good'],
    [0, 'good'],
    [1000, 'bad'],
    [2000, 'good'],
    [2000, 'good'],
  ]);
  expect(points[2]?.value).toEqual({ state: 'On', code: 1 });
});

test('an ISO time has any number of digits up to 7, and is read back', () => {
  const point = { ts: millisOf(micros + 1), finer: 7 };
  expect([0, 3, 6, 7].map((digits) => isoOf(point, digits))).toEqual([
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00.000Z',
    '2026-01-01T00:00:00.000001Z',
    '2026-01-01T00:00:00.0000017Z',
  ]);
  expect(parseIso('2026-01-01T01:00:00.0000017+01:00')).toEqual({ micros: micros + 1, finer: 7 });
  expect(parseIso('2026-01-01 00:00')).toBeUndefined();
  expect(microsOf(point)).toBe(micros + 1);
});
