import { describe, expect, test } from 'vitest';
import { DAY, SECOND } from '../core/instant.ts';
import { judgePlant, seriesKey } from './judge.ts';
import type { Asked, Evidence } from './judge.ts';
import { FOUND_WITHIN, pointsOf, signalsOf } from './plants.ts';
import type { Plant, Signal } from './plants.ts';
import type { SimulatedProduct } from '../simulator/contract.ts';
import type { KeySpec } from '../simulator/truth.ts';

const pressure: KeySpec = {
  name: 'pressure',
  kind: 'number',
  everyMs: 5_000,
  wave: { middle: 11, swing: 1, ripple: 0.5 },
};
const alarm: KeySpec = { name: 'alarm', kind: 'text', everyMs: 60_000, words: ['n/a'] };
const product: SimulatedProduct = {
  platform: '',
  title: '',
  open: () => expect.unreachable(),
  sourceOptions: {},
  seriesOf: (device, key) => ({ group: 'steam', sensorId: device.name, valueName: key.name }),
};
const plantOf = (...keys: KeySpec[]): Plant => ({
  name: 'old-boiler',
  product,
  kind: 'user-credentials',
  about: '',
  truth: { seed: 1, firstMs: 0, liveFromMs: 0, devices: [{ id: 'boiler', name: 'boiler', keys }] },
  faults: [],
  every: '1s',
  maxWindow: '1h',
  requestsPerSecond: 3,
});
const plant = plantOf(pressure, alarm);
const signalOf = (of: Plant): Signal => signalsOf(of)[0] as Signal;

const covered = { from: 20_000 * DAY, to: 20_000 * DAY + 600 * SECOND };
const asked: Asked = { requests: 10, troubles: 0, busiestSecond: 4 };

type Reading = { at: number; value: number };

/** The evidence of a faultless bridge: 120 readings and 10 refusals. `change` replaces the readings. */
function evidence(change: (readings: Reading[]) => Reading[] = (readings) => readings, of = plant): Evidence {
  const truth = [...pointsOf(of, signalOf(of), covered)].map(({ at, value }) => ({ at, value: value as number }));
  const stored = change(truth);
  return {
    streams: [{ group: 'steam', sensors: null, covered: [covered] }],
    stored: new Map([[seriesKey(signalOf(of)), stored]]),
    windows: 1,
    fresh: stored.length,
    revised: 0,
    late: 0,
    refused: 10,
  };
}

test("the plant's own points have no faults", () => {
  const verdict = judgePlant(plant, evidence(), asked);
  expect(verdict.faults).toEqual([]);
  expect(verdict).toMatchObject({ expected: 120, arrived: 120, lost: 0, doubled: 0, wrong: 0, refused: 10 });
});

describe('the judge sees', () => {
  const second = covered.from + 5 * SECOND;
  const faults = (given: Evidence, more: Partial<Asked> = {}): readonly string[] =>
    judgePlant(plant, given, { ...asked, ...more }).faults;

  test('a missing reading', () => {
    const given = evidence((readings) => readings.toSpliced(1, 1));
    expect(faults(given)).toEqual(['1 reading lost, the first boiler pressure at 2024-10-04T00:00:05Z']);
  });

  test('a reading that is stored twice', () => {
    const given = evidence((readings) => [...readings, { ...(readings[1] as Reading) }]);
    expect(faults(given)).toEqual(['1 reading doubled, the first boiler pressure at 2024-10-04T00:00:05Z']);
  });

  test('a reading that was counted as new twice', () => {
    expect(faults({ ...evidence(), fresh: 121 })).toEqual(['1 reading doubled']);
  });

  test('another value', () => {
    const given = evidence((readings) => readings.with(1, { at: second, value: 0 }));
    expect(faults(given)).toEqual([
      '1 reading unlike what the plant said, the first boiler pressure at 2024-10-04T00:00:05Z',
    ]);
  });

  test('a reading between the points, and a reading in time that is not covered', () => {
    const given = evidence((readings) => [...readings, { at: second + 1, value: 1 }]);
    expect(judgePlant(plant, given, asked).wrong).toBe(1);
    const less = { ...covered, to: covered.to - 5 * SECOND };
    expect(
      judgePlant(plant, { ...evidence(), streams: [{ group: 'steam', sensors: null, covered: [less] }] }, asked).wrong,
    ).toBe(1);
  });

  test('refusals that do not add up, readings that the bridge did not count, revisions', () => {
    expect(faults({ ...evidence(), refused: 9 })).toEqual(['9 points were refused, and 10 are no numbers']);
    expect(faults({ ...evidence(), fresh: 119 })).toHaveLength(1);
    expect(faults({ ...evidence(), revised: 1 })).toHaveLength(1);
  });

  test('a second with one request too many', () => {
    expect(faults(evidence(), { busiestSecond: 5 })).toEqual(['5 requests in one second, and 4 are allowed']);
  });

  test('a plant without any reading', () => {
    const nothing = { ...evidence(() => []), streams: [], refused: 0 };
    expect(faults(nothing)).toEqual(['no reading arrived']);
  });
});

describe('a point that appears late', () => {
  const late = plantOf({ ...pressure, late: { share: 0.1, delayMs: 20_000 } });
  const [point] = [...pointsOf(late, signalOf(late), covered)].filter(({ at, appearsAt }) => appearsAt > at);
  const at = point?.at ?? Number.NaN;
  const without = (to: number): Evidence => ({
    ...evidence((readings) => readings.filter((reading) => reading.at !== at && reading.at < to), late),
    streams: [{ group: 'steam', sensors: null, covered: [{ from: covered.from, to }] }],
    refused: 0,
  });
  const requiredFrom = at + 20 * SECOND + FOUND_WITHIN;

  test('is required once the coverage reaches far enough past its appearance', () => {
    expect(judgePlant(late, without(requiredFrom - 1), asked).faults).toEqual([]);
    expect(judgePlant(late, without(requiredFrom), asked)).toMatchObject({ lost: 1 });
  });

  test('may be stored before', () => {
    const early = without(requiredFrom - 1);
    const stored = [...(early.stored.get(seriesKey(signalOf(late))) ?? []), { at, value: point?.value as number }];
    const given = { ...early, stored: new Map([[seriesKey(signalOf(late)), stored]]), fresh: stored.length };
    expect(judgePlant(late, given, asked)).toMatchObject({ faults: [], arrived: stored.length });
  });
});
