import { expect, test } from 'vitest';
import { deviceId, plant } from '../../../src/simulator/plant.ts';
import { pointsNewestFirst, truth } from '../../../src/simulator/truth.ts';

const spec = plant();
const startMs = spec.firstMs;
const press = deviceId(0);
const dayMs = 86_400_000;

test('points lie on second, minute and hour edges and 1 ms before them', () => {
  const instants = new Set(truth(spec, press, 'temperature', startMs, startMs + dayMs).map(({ ts }) => ts - startMs));
  for (const edge of [10_000, 60_000, 3_600_000]) {
    expect(instants).toContain(edge);
    expect(instants).toContain(edge - 1);
  }
});

test('numbers include 0, negatives and fractions, and never a negative zero', () => {
  const values = truth(spec, press, 'temperature', startMs, startMs + dayMs).map(({ value }) => value as number);
  expect(values).toContain(0);
  expect(values.some((value) => Object.is(value, -0))).toBe(false);
  expect(values.some((value) => value < 0)).toBe(true);
  expect(values.some((value) => !Number.isInteger(value))).toBe(true);
});

test('words include those that tempt to coerce', () => {
  const words = new Set(truth(spec, press, 'state', startMs, startMs + dayMs).map(({ value }) => value));
  expect([...words]).toEqual(expect.arrayContaining(['RUN', '', '42', '-1.5', 'NaN', 'false']));
});

test('every instant between two bounds is found, however the range is cut', () => {
  // A slow, obvious listing of the burst key: every minute, and every millisecond of 2.5 s ten minutes past the hour.
  const fromMs = startMs + 595_000;
  const all = Array.from({ length: 12_000 }, (_, index) => fromMs + index);
  const isPoint = (ts: number) => ts % 60_000 === 0 || (ts % 3_600_000 >= 600_000 && ts % 3_600_000 < 602_500);
  const whole = truth(spec, press, 'vibration', fromMs, fromMs + 12_000);
  expect(whole.map(({ ts }) => ts)).toEqual(all.filter(isPoint));
  for (const cutMs of [fromMs + 5_000, fromMs + 5_001, fromMs + 7_499, fromMs + 7_500]) {
    const parts = [[fromMs, cutMs] as const, [cutMs, fromMs + 12_000] as const];
    expect(parts.flatMap(([from, to]) => truth(spec, press, 'vibration', from, to))).toEqual(whole);
  }
});

test.each(['temperature', 'vibration', 'running'])('newest first is oldest first, reversed: %s', (key) => {
  const toMs = startMs + 2 * 3_600_000 + 601_000;
  const backwards = [...pointsNewestFirst(spec, press, key, startMs - dayMs, toMs)];
  expect(backwards.toReversed()).toEqual(truth(spec, press, key, startMs - dayMs, toMs));
  expect(backwards.length).toBeGreaterThan(100);
});

test('a silence, the first and the end instant bound the truth from both directions', () => {
  const silent = { ...spec, silences: [{ fromMs: startMs + 60_000, toMs: startMs + 180_000 }] };
  const minutes = truth(silent, press, 'pressure', startMs - dayMs, startMs + 300_000).map(({ ts }) => ts - startMs);
  expect(minutes).toEqual([0, 180_000, 240_000]);
  const backwards = [...pointsNewestFirst(silent, press, 'pressure', startMs - dayMs, startMs + 300_000)];
  expect(backwards.map(({ ts }) => ts - startMs)).toEqual(minutes.toReversed());
  expect(truth(spec, press, 'pressure', startMs, Infinity)).toHaveLength((2 * dayMs) / 60_000);
});

test('devices, keys and seeds differ, and the unknown has no points', () => {
  const values = (seed: number, device: number, key: string) =>
    truth({ ...spec, seed }, deviceId(device), key, startMs, startMs + 3_600_000).map(({ value }) => value);
  expect(values(1, 0, 'pressure')).toEqual(values(1, 0, 'pressure'));
  expect(values(2, 0, 'pressure')).not.toEqual(values(1, 0, 'pressure'));
  expect(values(1, 1, 'pressure')).not.toEqual(values(1, 0, 'pressure'));
  expect(values(1, 0, 'humidity')).toEqual([]);
  expect(values(1, 99, 'pressure')).toEqual([]);
});
