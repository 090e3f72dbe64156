import { counted as numbered } from '../core/counted.ts';
import type { Coverage } from '../core/coverage.ts';
import { formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { FOUND_WITHIN, allowedInOneSecond, pointsOf, signalsOf } from './plants.ts';
import type { Plant, Point, Signal } from './plants.ts';
import type { Window } from '../core/window.ts';

/** The coverage of the sensors that are asked for together. */
export interface CoveredStream {
  /** Empty where the platform has no groups. */
  readonly group: string;
  /** Null: all sensors of the group. */
  readonly sensors: readonly string[] | null;
  readonly covered: Coverage;
}

/** What the database holds of one source when the demo ends. */
export interface Evidence {
  readonly streams: readonly CoveredStream[];
  /** Readings by `seriesKey`. */
  readonly stored: ReadonlyMap<string, readonly { readonly at: Instant; readonly value: number }[]>;
  /** The bridge's own counts. */
  readonly windows: number;
  readonly fresh: number;
  readonly revised: number;
  readonly late: number;
  readonly refused: number;
}

/** The plant's own counts. */
export interface Asked {
  readonly requests: number;
  /** Those of them that it answered with an error. */
  readonly troubles: number;
  /** The most requests in any second. */
  readonly busiestSecond: number;
}

/** A source compared with the truth and the record of its plant, in numbers; `faults` says in words what is wrong. */
export interface Verdict extends Asked {
  readonly source: string;
  /** Points in covered time that are numbers: each must be a reading. */
  readonly expected: number;
  /** Readings that are such a point and have its value. */
  readonly arrived: number;
  readonly lost: number;
  /** Readings that are stored twice, or were counted as new more often than they are stored. */
  readonly doubled: number;
  /** Readings with another value, and readings that are no point in covered time. */
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

/** Compares point for point, and the bridge's own counts with the stored readings. Pure. */
export function judgePlant(plant: Plant, evidence: Evidence, asked: Asked): Verdict {
  const count = { lost: 0, doubled: 0, wrong: 0 };
  const first = new Map<Kind, string>();
  const note = (kind: Kind, signal: Signal, at: Instant): void => {
    count[kind] += 1;
    if (!first.has(kind)) first.set(kind, `, the first ${seriesKey(signal)} at ${formatInstant(at)}`);
  };
  let [expected, arrived, refusals, rows] = [0, 0, 0, 0];
  for (const signal of signalsOf(plant)) {
    const found = new Map<Instant, number>();
    for (const { at, value } of evidence.stored.get(seriesKey(signal)) ?? []) {
      rows += 1;
      if (found.has(at)) note('doubled', signal, at);
      found.set(at, value);
    }
    for (const stretch of coverageFor(signal, evidence.streams)) {
      for (const point of pointsOf(plant, signal, stretch)) {
        const { at, value } = point;
        if (typeof value === 'string') {
          refusals += 1;
          continue;
        }
        if (!found.has(at) && !mustBeStored(point, stretch)) continue;
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
  const firstOf = (kind: Kind): string => first.get(kind) ?? '';
  const faults = [
    arrived === 0 && 'no reading arrived',
    count.lost > 0 && `${numbered(count.lost, 'reading')} lost${firstOf('lost')}`,
    count.doubled > 0 && `${numbered(count.doubled, 'reading')} doubled${firstOf('doubled')}`,
    count.wrong > 0 && `${numbered(count.wrong, 'reading')} unlike what the plant said${firstOf('wrong')}`,
    fresh < rows && `${rows} readings are stored, and only ${fresh} were counted as new`,
    revised > 0 && `${revised} readings were revised, and the plant never changes a value`,
    refused !== refusals && `${refused} points were refused, and ${refusals} are no numbers`,
    asked.busiestSecond > allowed && `${asked.busiestSecond} requests in one second, and ${allowed} are allowed`,
  ].filter((fault) => fault !== false);
  const counted = { expected, arrived, ...count, refused, late, windows };
  return { source: plant.name, ...counted, ...asked, allowedInOneSecond: allowed, faults };
}

const coverageFor = ({ group, sensorId }: Signal, streams: readonly CoveredStream[]): Coverage =>
  streams.find((stream) => stream.group === group && (stream.sensors?.includes(sensorId) ?? true))?.covered ?? [];

/** Every point in covered time must be stored; a late point only if coverage reaches `FOUND_WITHIN` past its appearance. */
const mustBeStored = ({ at, appearsAt }: Point, stretch: Window): boolean =>
  appearsAt === at || appearsAt + FOUND_WITHIN <= stretch.to;
