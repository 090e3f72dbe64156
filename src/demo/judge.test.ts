import { describe, expect, test } from 'vitest';
import { DAY, SECOND } from '../core/instant.ts';
import { judgePlant, seriesKey } from './judge.ts';
import type { Asked, Evidence } from './judge.ts';
import { FOUND_WITHIN } from './plants.ts';
import type { Plant } from './plants.ts';
import { pointsOf } from './signal.ts';
import type { Signal } from './signal.ts';

const signal: Signal = {
  group: 'steam',
  sensor: 'boiler',
  field: 'pressure',
  sensorId: 'boiler',
  valueName: 'pressure',
  every: 5 * SECOND,
  middle: 11,
  swing: 1,
  ripple: 0.5,
};
const alarm: Signal = { ...signal, field: 'alarm', valueName: 'alarm', every: 60 * SECOND, words: ['n/a'] };
const plantOf = (...signals: Signal[]): Plant => ({
  name: 'old-boiler',
  platform: 'influxdb',
  title: '',
  about: '',
  signals,
  every: '1s',
  maxWindow: '1h',
  requestsPerSecond: 3,
  troubled: false,
  lies: false,
});
const plant = plantOf(signal, alarm);

const covered = { from: 20_000 * DAY, to: 20_000 * DAY + 600 * SECOND };
const asked: Asked = { requests: 10, troubles: 0, busiestSecond: 4 };

type Reading = { at: number; value: number };

/** What a faultless bridge leaves behind: 120 readings and 10 refusals, or what `change` makes of the readings. */
function evidence(change: (readings: Reading[]) => Reading[] = (readings) => readings, of: Signal = signal): Evidence {
  const truth = [...pointsOf(of, covered)].map(({ at, value }) => ({ at, value: value as number }));
  const stored = change(truth);
  return {
    coverage: new Map([['steam', [covered]]]),
    stored: new Map([[seriesKey(of), stored]]),
    windows: 1,
    fresh: stored.length,
    revised: 0,
    late: 0,
    refused: 10,
  };
}

test('what is as the plant says has no faults', () => {
  const verdict = judgePlant(plant, evidence(), asked);
  expect(verdict.faults).toEqual([]);
  expect(verdict).toMatchObject({ expected: 120, arrived: 120, lost: 0, doubled: 0, wrong: 0, refused: 10 });
});

describe('a fault is seen:', () => {
  const second = covered.from + 5 * SECOND;
  const faults = (given: Evidence, more: Partial<Asked> = {}): readonly string[] =>
    judgePlant(plant, given, { ...asked, ...more }).faults;

  test('a reading that is not there', () => {
    const given = evidence((readings) => readings.toSpliced(1, 1));
    expect(faults(given)).toEqual(['1 readings lost, the first boiler pressure at 2024-10-04T00:00:05Z']);
  });

  test('a reading that is there twice', () => {
    const given = evidence((readings) => [...readings, { ...(readings[1] as Reading) }]);
    expect(faults(given)).toEqual(['1 readings doubled, the first boiler pressure at 2024-10-04T00:00:05Z']);
  });

  test('a reading that was counted as new twice', () => {
    expect(faults({ ...evidence(), fresh: 121 })).toEqual(['1 readings doubled']);
  });

  test('another value', () => {
    const given = evidence((readings) => readings.with(1, { at: second, value: 0 }));
    expect(faults(given)).toEqual([
      '1 readings are not what the plant said, the first boiler pressure at 2024-10-04T00:00:05Z',
    ]);
  });

  test('a reading between the points, and one in time that is not covered', () => {
    const given = evidence((readings) => [...readings, { at: second + 1, value: 1 }]);
    expect(judgePlant(plant, given, asked).wrong).toBe(1);
    const less = { ...covered, to: covered.to - 5 * SECOND };
    expect(judgePlant(plant, { ...evidence(), coverage: new Map([['steam', [less]]]) }, asked).wrong).toBe(1);
  });

  test('refusals that do not add up, readings nobody counted, revisions', () => {
    expect(faults({ ...evidence(), refused: 9 })).toEqual(['9 points were refused, and 10 are no numbers']);
    expect(faults({ ...evidence(), fresh: 119 })).toHaveLength(1);
    expect(faults({ ...evidence(), revised: 1 })).toHaveLength(1);
  });

  test('a pace of one request too many', () => {
    expect(faults(evidence(), { busiestSecond: 5 })).toEqual(['5 requests in one second, and 4 are allowed']);
  });

  test('nothing at all', () => {
    const nothing = { ...evidence(() => []), coverage: new Map(), refused: 0 };
    expect(faults(nothing)).toEqual(['no reading arrived']);
  });
});

describe('a point that appears late', () => {
  const late: Signal = { ...signal, late: { every: 120, by: 20 * SECOND } };
  const at = [...pointsOf(late, covered)].find((point) => point.appearsAt > point.at)?.at ?? Number.NaN;
  const without = (to: number): Evidence => ({
    ...evidence((readings) => readings.filter((reading) => reading.at !== at && reading.at < to), late),
    coverage: new Map([['steam', [{ from: covered.from, to }]]]),
    refused: 0,
  });
  const owedFrom = at + 20 * SECOND + FOUND_WITHIN;

  test('is owed once the coverage reaches far enough past its appearance', () => {
    expect(judgePlant(plantOf(late), without(owedFrom - 1), asked).faults).toEqual([]);
    expect(judgePlant(plantOf(late), without(owedFrom), asked)).toMatchObject({ lost: 1 });
  });

  test('may be there before', () => {
    const early = without(owedFrom - 1);
    const [point] = pointsOf(late, { from: at, to: at + 1 });
    const stored = [...(early.stored.get(seriesKey(late)) ?? []), { at, value: point?.value as number }];
    const given = { ...early, stored: new Map([[seriesKey(late), stored]]), fresh: stored.length };
    expect(judgePlant(plantOf(late), given, asked)).toMatchObject({ faults: [], arrived: stored.length });
  });
});
