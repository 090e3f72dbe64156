import { expect } from 'vitest';
import { microsOf, millisOf } from '../../../src/simulator/instants.ts';
import { visiblePoints } from '../../../src/simulator/truth.ts';
import type { TruthPoint, TruthSpec } from '../../../src/simulator/truth.ts';
import type { Window } from '../../../src/core/window.ts';
import type { Outcome, Row } from './reading.ts';
import type { Subject } from './subject.ts';
import { NOW } from './truths.ts';

/** The truth of a window: by series and instant, all values there in the order of the truth. */
export function truthIn(
  { product }: Subject,
  truth: TruthSpec,
  { from, to }: Window,
  nowMs = NOW / 1000,
): Map<string, readonly TruthPoint[]> {
  const expected = new Map<string, TruthPoint[]>();
  const stretch = { fromMs: millisOf(from), toMs: millisOf(to) };
  for (const device of truth.devices) {
    for (const key of device.keys) {
      const { sensorId, valueName } = product.seriesOf(device, key);
      for (const point of visiblePoints(truth, device.id, key.name, stretch, { nowMs })) {
        const place = placeOf([sensorId, valueName, microsOf(point), 0]);
        expected.set(place, [...(expected.get(place) ?? []), point]);
      }
    }
  }
  return expected;
}

const placeOf = ([sensorId, valueName, at]: Row): string => JSON.stringify([sensorId, valueName, at]);

const seriesOf = (place: string): string => JSON.stringify((JSON.parse(place) as unknown[]).slice(0, 2));

/**
 * An outcome equals the truth: one reading for each instant that has a number, with a value that it has there; every other
 * point is refused and counted; nothing else was stored, and nothing that was not asked for came.
 */
export function expectTruth(subject: Subject, truth: TruthSpec, window: Window, outcome: Outcome): void {
  expect(outcome.failures, 'no stream fails').toEqual([]);
  expect(differences(truthIn(subject, truth, window), outcome)).toEqual([]);
  expect(outcome.outside, 'points that were not asked for').toBe(0);
}

/** What an outcome has too much, too little or otherwise, in words; the first few. */
export function differences(expected: ReadonlyMap<string, readonly TruthPoint[]>, outcome: Outcome): string[] {
  const found: string[] = [];
  const left = new Map(expected);
  let surplus = 0;
  const structured = new Set<string>();
  for (const row of outcome.rows) {
    const place = placeOf(row);
    const points = left.get(place) ?? [];
    left.delete(place);
    if (!points.some(({ value }) => Object.is(value, row[3]))) {
      found.push(`read ${JSON.stringify(row)}, the truth there: ${JSON.stringify(points.map(({ value }) => value))}`);
    }
    surplus += Math.max(0, points.length - 1);
  }
  for (const [place, points] of left) {
    if (points.some(isNumber)) found.push(`not read: ${place}`);
    // Of a series of objects, the bridge counts one refusal a window.
    const objects = points.filter(({ value }) => typeof value === 'object' && !('state' in value));
    if (objects.length > 0) structured.add(seriesOf(place));
    surplus += points.length - objects.length;
  }
  surplus += structured.size;
  const refused = [...outcome.refused.values()].reduce((sum, number) => sum + number, 0);
  if (refused + outcome.repeats !== surplus) {
    found.push(`${surplus} points are no readings; refused ${refused}, repeated ${outcome.repeats}`);
  }
  return found.slice(0, 10);
}

/** A number becomes a reading unless its quality is bad or unknown. */
const isNumber = ({ value, quality = 'good' }: TruthPoint): boolean =>
  typeof value === 'number' && quality !== 'bad' && quality !== 'unknown';
