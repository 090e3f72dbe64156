import { expect, test } from 'vitest';
import type { Batch } from '../core/batch.ts';
import type { RefusalReason } from '../core/reading.ts';
import { sumOf } from './preview.ts';

function batch(series: Record<string, number[]>, refused: [RefusalReason, number][] = []): Batch {
  return {
    columns: Object.entries(series).map(([sensorId, at]) => ({
      sensorId,
      valueName: 'none',
      segments: at.map((instant) => ({ at: [instant], value: [instant], precision: [100], labels: ['x'] })),
    })),
    readings: Object.values(series).flat().length,
    repeats: 1,
    outside: 2,
    unchosen: 3,
    refused: new Map(refused),
    refusals: refused.map(([reason, count]) => {
      const places = Array.from({ length: count }, (_, at) => at);
      const examples = places.map((place) => ({ place, at: place, raw: 'null' }));
      return { sensor: 's', variable: 'v', reason, places, examples };
    }),
  };
}

const shown = (batches: Batch[], limit: number): string[] =>
  sumOf(batches, limit).sample.map(({ sensorId, at }) => `${sensorId}${at}`);

test('a preview shows a few readings of every series instead of many of the first series', () => {
  const batches = [batch({ a: [1, 2, 3, 4], b: [1], c: [1, 2] })];
  expect(shown(batches, 3)).toEqual(['a1', 'b1', 'c1']);
  expect(shown(batches, 6)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'c2']);
  expect(shown(batches, 2)).toEqual(['a1', 'b1']);
  expect(shown(batches, 100)).toHaveLength(7);
});

test('windows add up, and a series that stands in two windows counts once', () => {
  const both = sumOf(
    [
      batch({ a: [1], b: [1] }, [['null', 5]]),
      batch({ a: [2] }, [
        ['null', 1],
        ['boolean', 1],
      ]),
    ],
    10,
  );
  expect(both).toMatchObject({ readings: 3, series: 2, repeats: 2, outside: 4, unchosen: 6 });
  expect(Object.fromEntries(both.refused)).toEqual({ null: 6, boolean: 1 });
  expect(both.examples.map(({ reason }) => reason)).toEqual(['null', 'null', 'null', 'boolean']);
  expect(both.sample[0]).toEqual({ sensorId: 'a', valueName: 'none', at: 1, value: 1, precision: 100, labels: ['x'] });
});
