import type { Coverage } from '../core/coverage.ts';
import { formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { FOUND_WITHIN, allowedInOneSecond } from './plants.ts';
import type { Plant } from './plants.ts';
import type { Window } from '../core/window.ts';
import { pointsOf } from './signal.ts';
import type { Point, Signal } from './signal.ts';

/** What the database holds of one source when the demo ends. */
export interface Evidence {
  /** What each group was covered. */
  readonly coverage: ReadonlyMap<string, Coverage>;
  /** Readings by `seriesKey`. */
  readonly stored: ReadonlyMap<string, readonly { readonly at: Instant; readonly value: number }[]>;
  /** What the bridge itself counted. */
  readonly windows: number;
  readonly fresh: number;
  readonly revised: number;
  readonly late: number;
  readonly refused: number;
}

/** What the plant counted. */
export interface Asked {
  readonly requests: number;
  /** Of these the ones it answered with an error. */
  readonly troubles: number;
  /** The most requests in any second. */
  readonly busiestSecond: number;
}

/** One source against the truth and the record of its plant, in numbers; `faults` in words, none where all is well. */
export interface Verdict extends Asked {
  readonly source: string;
  /** Points in covered time that are numbers: each is to be one reading. */
  readonly expected: number;
  /** Readings that are such a point, with its value. */
  readonly arrived: number;
  readonly lost: number;
  /** Readings that are there twice, or were counted as new more often than they are there. */
  readonly doubled: number;
  /** Readings with another value, or that no covered point stands behind. */
  readonly wrong: number;
  readonly refused: number;
  readonly late: number;
  readonly windows: number;
  readonly allowedInOneSecond: number;
  readonly faults: readonly string[];
}

export const seriesKey = ({ sensorId, valueName }: Pick<Signal, 'sensorId' | 'valueName'>): string =>
  `${sensorId} ${valueName}`;

type Kind = 'lost' | 'doubled' | 'wrong';

/** Compares point for point. Pure; what the bridge says about itself is held against what is there. */
export function judgePlant(plant: Plant, evidence: Evidence, asked: Asked): Verdict {
  const count = { lost: 0, doubled: 0, wrong: 0 };
  const first = new Map<Kind, string>();
  const note = (kind: Kind, signal: Signal, at: Instant): void => {
    count[kind] += 1;
    if (!first.has(kind)) first.set(kind, `, the first ${seriesKey(signal)} at ${formatInstant(at)}`);
  };
  let [expected, arrived, refusals, rows] = [0, 0, 0, 0];
  for (const signal of plant.signals) {
    const found = new Map<Instant, number>();
    for (const { at, value } of evidence.stored.get(seriesKey(signal)) ?? []) {
      rows += 1;
      if (found.has(at)) note('doubled', signal, at);
      found.set(at, value);
    }
    for (const stretch of evidence.coverage.get(signal.group) ?? []) {
      for (const point of pointsOf(signal, stretch)) {
        const { at, value } = point;
        if (typeof value === 'string') {
          refusals += 1;
          continue;
        }
        if (!found.has(at) && !isOwed(point, stretch)) continue;
        expected += 1;
        if (!found.has(at)) note('lost', signal, at);
        else if (Object.is(found.get(at), value)) arrived += 1;
        else note('wrong', signal, at);
        found.delete(at);
      }
    }
    for (const at of found.keys()) note('wrong', signal, at);
  }
  const { late, windows, refused, fresh, revised } = evidence;
  count.doubled += Math.max(0, fresh - rows);
  const allowed = allowedInOneSecond(plant);
  const that = (kind: Kind): string => first.get(kind) ?? '';
  const faults = [
    arrived === 0 && 'no reading arrived',
    count.lost > 0 && `${count.lost} readings lost${that('lost')}`,
    count.doubled > 0 && `${count.doubled} readings doubled${that('doubled')}`,
    count.wrong > 0 && `${count.wrong} readings are not what the plant said${that('wrong')}`,
    fresh < rows && `${rows} readings are there, and only ${fresh} were counted as new`,
    revised > 0 && `${revised} readings were revised, and the plant never changes one`,
    refused !== refusals && `${refused} points were refused, and ${refusals} are no numbers`,
    asked.busiestSecond > allowed && `${asked.busiestSecond} requests in one second, and ${allowed} are allowed`,
  ].filter((fault) => fault !== false);
  const counted = { expected, arrived, ...count, refused, late, windows };
  return { source: plant.name, ...counted, ...asked, allowedInOneSecond: allowed, faults };
}

/** In covered time every point is; one that came late, once the coverage around it reaches far enough past its coming. */
const isOwed = ({ at, appearsAt }: Point, stretch: Window): boolean =>
  appearsAt === at || appearsAt + FOUND_WITHIN <= stretch.to;
