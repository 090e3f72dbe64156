import { expect, test } from 'vitest';
import { deviceId, plant } from './plant.ts';
import { truePoints, truth, visiblePoints } from './truth.ts';
import type { KeySpec } from './truth.ts';

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
  const backwards = [...truePoints(spec, press, key, { fromMs: startMs - dayMs, toMs }, 'DESC')];
  expect(backwards.toReversed()).toEqual(truth(spec, press, key, startMs - dayMs, toMs));
  expect(backwards.length).toBeGreaterThan(100);
});

test('a silence, the first and the end instant limit the truth in both orders', () => {
  const silent = { ...spec, silences: [{ fromMs: startMs + 60_000, toMs: startMs + 180_000 }] };
  const minutes = truth(silent, press, 'pressure', startMs - dayMs, startMs + 300_000).map(({ ts }) => ts - startMs);
  expect(minutes).toEqual([0, 180_000, 240_000]);
  const backwards = [
    ...truePoints(silent, press, 'pressure', { fromMs: startMs - dayMs, toMs: startMs + 300_000 }, 'DESC'),
  ];
  expect(backwards.map(({ ts }) => ts - startMs)).toEqual(minutes.toReversed());
  expect(truth(spec, press, 'pressure', startMs, Infinity)).toHaveLength((2 * dayMs) / 60_000);
});

test('devices, keys and seeds differ, and an unknown device or key has no points', () => {
  const values = (seed: number, device: number, key: string) =>
    truth({ ...spec, seed }, deviceId(device), key, startMs, startMs + 3_600_000).map(({ value }) => value);
  expect(values(1, 0, 'pressure')).toEqual(values(1, 0, 'pressure'));
  expect(values(2, 0, 'pressure')).not.toEqual(values(1, 0, 'pressure'));
  expect(values(1, 1, 'pressure')).not.toEqual(values(1, 0, 'pressure'));
  expect(values(1, 0, 'humidity')).toEqual([]);
  expect(values(1, 99, 'pressure')).toEqual([]);
});

const live = (key: Partial<KeySpec>) => {
  const keys: KeySpec[] = [{ name: 'level', kind: 'number', everyMs: 5_000, ...key }];
  return plant({ firstMs: 0, liveFromMs: 0, devices: [{ id: press, name: 'press-0', keys }] });
};

test('a wave stays around its middle, goes up and down with the day, and is never a negative zero', () => {
  const values = (wave: KeySpec['wave'] & {}) =>
    truth(live({ wave }), press, 'level', startMs, startMs + dayMs).map(({ value }) => value as number);
  const flow = values({ middle: 118, swing: 12, ripple: 3 });
  expect(Math.min(...flow)).toBeCloseTo(103, 1);
  expect(Math.max(...flow)).toBeCloseTo(133, 1);
  const morning = flow.slice(0, flow.length / 2);
  expect(morning.reduce((sum, value) => sum + value) / morning.length).toBeGreaterThan(124);
  expect(values({ middle: 0, swing: 0, ripple: 0.001 }).some((value) => Object.is(value, -0))).toBe(false);
});

test('words follow each other', () => {
  const spoken = live({ kind: 'text', words: ['n/a', '42'] });
  expect(truth(spoken, press, 'level', 0, 20_000).map(({ value }) => value)).toEqual(['n/a', '42', 'n/a', '42']);
});

test('a late point is not shown before it appears, a point of the future not before its instant', () => {
  const shown = (late: KeySpec['late'], nowMs: number) => {
    const stretch = { fromMs: startMs, toMs: startMs + 60_000 };
    return [...visiblePoints(live(late ? { late } : {}), press, 'level', stretch, { nowMs })].length;
  };
  const all = { share: 1, delayMs: 6_000 };
  expect([shown(undefined, startMs - 1), shown(undefined, startMs), shown(undefined, startMs + 55_000)]).toEqual([
    0, 1, 12,
  ]);
  expect([shown(all, startMs + 5_999), shown(all, startMs + 6_000), shown(all, startMs + 61_000)]).toEqual([0, 1, 12]);
  const some = shown({ share: 0.5, delayMs: 60_000 }, startMs + 55_000);
  expect(some).toBeGreaterThan(0);
  expect(some).toBeLessThan(12);
});
