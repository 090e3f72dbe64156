import { examplesOf } from '../core/batch.ts';
import type { Batch, Refusal } from '../core/batch.ts';
import { overloadOf } from '../core/demand.ts';
import type { Overload } from '../core/demand.ts';
import type { Instant } from '../core/instant.ts';
import { edgeOf } from '../core/plan.ts';
import type { RefusalReason } from '../core/reading.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { lengthOf } from '../core/window.ts';
import type { Window } from '../core/window.ts';
import { lookAtStreams, refusedByReason } from './look-at-streams.ts';
import type { StreamLook } from './look-at-streams.ts';
import type { StoredReading } from '../core/reading.ts';
import type { Platform } from '../platform/contract.ts';
import { learnedOf } from '../pull/fetch-window.ts';
import type { NewNames } from './near-series.ts';
import type { OwnedElsewhere } from './take-over.ts';
import { openTrial } from './trial.ts';
import type { Trial, TrialParts } from './trial.ts';

/** The readings that a source would store. A preview saves none of them. */
export interface Preview {
  readonly windows: readonly { readonly stream: string; readonly window: Window; readonly readings: number }[];
  /** Whether the windows cover the range in all streams: a preview reads one window of each stream, and a few more. */
  readonly complete: boolean;
  readonly readings: number;
  readonly series: number;
  readonly repeats: number;
  readonly outside: number;
  readonly unchosen: number;
  readonly refused: ReadonlyMap<RefusalReason, number>;
  readonly examples: readonly Refusal[];
  /** Listed sensors that the platform does not show; null where it shows all. */
  readonly missing: { readonly message: string; readonly remedy: string } | null;
  /** Sensors that could not be read in one of the windows, with the reason. */
  readonly failed: readonly { readonly sensor: string; readonly message: string }[];
  /** Streams that could not be read, and those that were not looked at. */
  readonly unreadable: readonly { readonly stream: string; readonly message: string }[];
  readonly left: readonly string[];
  readonly sample: readonly StoredReading[];
  readonly requests: number;
  /** Whether the requests took turns with the workers of the source. */
  readonly sharesPace: boolean;
  /** The names of which the project has no series; null where it has all of them, or no bridge is at hand. */
  readonly newNames: NewNames | null;
  /** Owners of series that were met and are not the source's; their points are among `refused`. */
  readonly seriesOfOthers: readonly OwnedElsewhere[];
  /** Null where the pace suffices for live polls, or where no window was read. */
  readonly overload: Overload | null;
}

/** No further window of a stream is read after these. An operator who wants to read more starts a backfill. */
const MOST_WINDOWS = 5;

const EXAMPLES_PER_REASON = 3;

/**
 * Reads a range as polls would: the first window of each stream (`MOST_STREAMS` at most), then further ones, until `limit` readings
 * can be shown or five windows were read.
 * Throws every error of the platform.
 */
export async function previewSource(
  config: SourceConfig,
  platform: Platform,
  given: TrialParts & {
    readonly maxReadings: number;
    /** `to` undefined: up to the newest settled instant. */
    readonly range: { readonly from: Instant; readonly to: Instant | undefined };
    readonly limit: number;
  },
): Promise<Preview> {
  const trial = await openTrial(config, platform, given);
  try {
    const range = { from: given.range.from, to: given.range.to ?? edgeOf(trial.source.policy, given.now()) };
    const { batches, ...read } = await readSome(trial, range, given);
    return {
      ...read,
      ...sumOf(batches, given.limit),
      newNames: await trial.newNames(),
      seriesOfOthers: trial.seriesOfOthers(),
      requests: trial.requests(),
      sharesPace: trial.sharing.registered !== undefined,
    };
  } finally {
    await trial.close();
  }
}

async function readSome(
  trial: Trial,
  range: Window,
  { maxReadings, limit, now }: { readonly maxReadings: number; readonly limit: number; readonly now: () => Instant },
): Promise<
  Pick<Preview, 'windows' | 'complete' | 'failed' | 'unreadable' | 'left' | 'missing' | 'overload'> & {
    batches: Batch[];
  }
> {
  const windows: Preview['windows'][number][] = [];
  const batches: Batch[] = [];
  const failures = new Map<string, string>();
  let missing: Preview['missing'] = null;
  const sensors = await trial.sensors(({ message, remedy = '' }) => {
    missing = { message, remedy };
  });
  const streams = trial.streamsOf(sensors);
  const before = trial.requests();
  const { length: first } = learnedOf(trial.source.policy, { learned: null });
  const begin = { from: range.from, to: Math.min(range.to, range.from + first) };
  const looked = await lookAtStreams(trial, streams, { window: begin, keep: 'oldest', maxReadings, now });
  let reads = looked.unreadable.length;
  const add = ({ stream, window, batch, failed, asked }: StreamLook): void => {
    reads += asked;
    windows.push({ stream: stream.key, window, readings: batch.readings });
    batches.push(batch);
    for (const [sensor, { message }] of failed) failures.set(sensor, message);
  };
  const readings = (): number => batches.reduce((sum, batch) => sum + batch.readings, 0);
  for (const look of looked.looks) add(look);
  const [fault] = looked.unreadable;
  if (fault !== undefined && looked.looks.length === 0) throw fault.error;
  let complete = looked.left.length === 0 && looked.unreadable.length === 0;
  for (const { stream, window: seen } of looked.looks) {
    let length = seen.to < begin.to ? lengthOf(seen) : first;
    for (let from = seen.to; from < range.to;) {
      if (windows.length >= MOST_WINDOWS || readings() >= limit) {
        complete = false;
        break;
      }
      const wanted = { from, to: Math.min(range.to, from + length) };
      const read = await trial.read(stream, wanted, 'oldest', maxReadings);
      add({ stream, ...read });
      if (read.window.to < wanted.to) length = lengthOf(read.window);
      from = read.window.to;
    }
  }
  const { schedule, pace } = trial.source.config;
  const requestsPerWindow = (trial.requests() - before) / Math.max(1, reads);
  return {
    windows,
    complete,
    batches,
    failed: [...failures].map(([sensor, message]) => ({ sensor, message })),
    unreadable: looked.unreadable.map(({ stream, error }) => ({ stream: stream.key, message: error.message })),
    left: looked.left.map(({ key }) => key),
    missing,
    overload: overloadOf({ streams: streams.length, requestsPerWindow, ...schedule, ...pace }) ?? null,
  };
}

type Summary = Pick<
  Preview,
  'readings' | 'series' | 'repeats' | 'outside' | 'unchosen' | 'refused' | 'examples' | 'sample'
>;

/** Adds several windows up; `sample` holds at most `limit` readings, spread over all series. */
export function sumOf(batches: readonly Batch[], limit: number): Summary {
  const examples: Refusal[] = [];
  const shown = new Map<RefusalReason, number>();
  const series = new Map<string, StoredReading[]>();
  for (const batch of batches) {
    for (const example of examplesOf(batch.refusals)) {
      const before = shown.get(example.reason) ?? 0;
      shown.set(example.reason, before + 1);
      if (before < EXAMPLES_PER_REASON) examples.push(example);
    }
    for (const { sensorId, valueName, segments } of batch.columns) {
      const key = `${sensorId}\n${valueName}`;
      const kept = series.get(key) ?? [];
      series.set(key, kept);
      for (const { at, value, precision, labels } of segments) {
        for (let index = 0; index < at.length && kept.length < limit; index += 1) {
          const [instant, number] = [at[index] as number, value[index] as number];
          kept.push({ sensorId, valueName, at: instant, value: number, precision: precision?.[index], labels });
        }
      }
    }
  }
  const sum = (count: (batch: Batch) => number): number => batches.reduce((total, batch) => total + count(batch), 0);
  return {
    readings: sum((batch) => batch.readings),
    series: series.size,
    repeats: sum((batch) => batch.repeats),
    outside: sum((batch) => batch.outside),
    unchosen: sum((batch) => batch.unchosen),
    refused: refusedByReason(batches),
    examples,
    sample: spread([...series.values()], limit),
  };
}

/** Takes the first reading of every series, then the second, until it has `limit`. Returns them series by series. */
function spread(series: readonly (readonly StoredReading[])[], limit: number): StoredReading[] {
  const taken = series.map(() => 0);
  let left = limit;
  for (let round = 0; left > 0 && series.some((readings) => readings.length > round); round += 1) {
    for (const [index, readings] of series.entries()) {
      if (readings.length <= round || left === 0) continue;
      taken[index] = round + 1;
      left -= 1;
    }
  }
  return series.flatMap((readings, index) => readings.slice(0, taken[index]));
}
