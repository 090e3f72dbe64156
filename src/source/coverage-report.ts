import { bucketOf, gridOf, rangeOf, stateOf, timeIn } from '../core/buckets.ts';
import type { BucketState, BucketTime, Grid } from '../core/buckets.ts';
import { coverageOf } from '../core/coverage.ts';
import { configInvalid } from '../core/errors.ts';
import { SECOND, formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import type { Database } from '../database/database.ts';
import {
  bucketsWithData,
  readingsByBucket,
  refusalsByBucket,
  seriesOfSource,
  streamTimes,
  unkeptRefusals,
} from './coverage-rows.ts';
import type { BucketRefusals, HeldSeries, StreamTime } from './coverage-rows.ts';
import type { FoundSource } from './find-source.ts';
import { unknownSource } from './unusable-source.ts';

/** A bucket of a stream. */
export interface CoveredBucket extends BucketTime {
  readonly state: BucketState;
  /** Readings of the sensor that was asked about; null for a whole stream, whose readings are not counted. */
  readonly readings: number | null;
  /** Refused points. */
  readonly refused: number;
}

/** The time of a stream, bucket by bucket. */
export interface StreamCoverage {
  readonly key: string;
  readonly buckets: readonly CoveredBucket[];
}

/** The answer to `databridge source coverage`. */
export interface CoverageReport {
  readonly grid: Grid;
  /** The streams that lack most come first. */
  readonly streams: readonly StreamCoverage[];
  /** Streams beyond the limit. */
  readonly hidden: number;
  readonly refusals: readonly BucketRefusals[];
  /** Refusals of these streams, of any time, whose instants are not known. */
  readonly unkept: number;
}

interface Asked {
  readonly from: Instant;
  readonly to: Instant;
  /** A sensor as the platform or as readings call it. */
  readonly sensor: string | undefined;
  readonly mostBuckets: number;
  readonly mostStreams: number;
}

/** Throws `config-invalid` for a sensor that the source does not have, and for an empty range. */
export async function reportCoverage(database: Database, source: FoundSource, asked: Asked): Promise<CoverageReport> {
  const schedule = await database.row<{ start: Instant; due: Instant }>(
    'select instant_of(start_at) as start, instant_of(now()) - settle_us - every_us as due from source where id = $1',
    [source.id],
  );
  if (schedule === undefined) throw unknownSource(source);
  if (asked.from >= asked.to)
    throw configInvalid('the range ends before it begins', 'give a --from that is before --to', 'from');
  const grid = gridOf(asked, asked.mostBuckets);
  const range = rangeOf(grid);
  const all = await streamTimes(database, source.id, range);
  const series = await seriesOfSource(database, source.id);
  const about = asked.sensor === undefined ? undefined : sensorIn(asked.sensor, all, series);
  const known = (about?.streams ?? all).map((stream) => ({ stream, times: timesOf(stream, grid, schedule) }));
  const ordered = known.toSorted((one, other) => lacking(other.times) - lacking(one.times));
  const shown = ordered.slice(0, asked.mostStreams);
  const ids = shown.map(({ stream }) => stream.id);
  const refusals = await refusalsByBucket(database, { streams: ids, sensors: about?.names }, grid);
  const held = seriesByStream(all, about?.series ?? series);
  const seriesIds = ids.map((id) => held.get(id) ?? []);
  const [data, counts] =
    about === undefined
      ? [await bucketsWithData(database, seriesIds, grid), undefined]
      : [undefined, await Promise.all(seriesIds.map((each) => readingsByBucket(database, each, grid)))];
  const streams = shown.map(({ stream, times }, place) => ({
    key: stream.key,
    buckets: times.map((time, bucket) => {
      const readings = counts === undefined ? null : (counts[place]?.get(bucket) ?? 0);
      const here = refusals.filter((each) => each.stream === stream.id && each.bucket === bucket);
      const refused = here.reduce((sum, each) => sum + each.refused, 0);
      const hasData = readings === null ? data?.[place]?.has(bucket) === true : readings > 0;
      const early = bucketOf(grid, bucket).to <= schedule.start;
      return { ...time, state: stateOf(time, { data: hasData, refused: refused > 0, early }), readings, refused };
    }),
  }));
  const hidden = known.length - shown.length;
  return { grid, streams, hidden, refusals, unkept: await unkeptRefusals(database, ids) };
}

function timesOf(
  { covered, unreadable, asking }: StreamTime,
  grid: Grid,
  { start, due }: { readonly start: Instant; readonly due: Instant },
): BucketTime[] {
  const wanted = coverageOf([{ from: start, to: due }]);
  const known = { wanted, covered, unreadable: coverageOf(unreadable), asking: upTo(due, coverageOf(asking)) };
  return Array.from({ length: grid.count }, (_, index) => timeIn(bucketOf(grid, index), known));
}

/** Newer time is not due, so it is neither missing nor late. */
const upTo = (due: Instant, coverage: readonly Window[]): readonly Window[] =>
  coverageOf(coverage.map(({ from, to }) => ({ from, to: Math.min(to, due) })));

const lacking = (times: readonly BucketTime[]): number =>
  times.reduce((sum, { failed, missing, asking }) => sum + failed + missing + asking, 0);

/** The series that each stream reads. A stream that reads a whole group also has the series that no stream lists. */
export function seriesByStream(
  streams: readonly Pick<StreamTime, 'id' | 'sensors' | 'whole' | 'variables'>[],
  series: readonly HeldSeries[],
): ReadonlyMap<number, readonly number[]> {
  const listing = new Map<string, (typeof streams)[number][]>();
  for (const stream of streams) {
    for (const sensor of stream.sensors) listing.set(sensor, [...(listing.get(sensor) ?? []), stream]);
  }
  const whole = streams.filter((stream) => stream.whole);
  const held = new Map<number, number[]>(streams.map(({ id }) => [id, []]));
  for (const { id, sensor, variable } of series) {
    const reading = listing.get(sensor) ?? whole;
    for (const stream of reading) {
      if (stream.variables === null || stream.variables.includes(variable)) held.get(stream.id)?.push(id);
    }
  }
  return held;
}

/** A sensor with its streams and series. `names`: as the platform calls it. */
function sensorIn(name: string, streams: readonly StreamTime[], series: readonly HeldSeries[]) {
  const its = series.filter(({ sensor, sensorId }) => sensor === name || sensorId === name);
  const names = [...new Set([name, ...its.map(({ sensor }) => sensor)])];
  const listing = streams.filter(({ sensors }) => sensors.some((sensor) => names.includes(sensor)));
  const reading = listing.length > 0 || its.length === 0 ? listing : streams.filter(({ whole }) => whole);
  if (reading.length > 0) return { names, series: its, streams: reading };
  const examples = [...new Set([...streams.flatMap(({ sensors }) => sensors), ...series.map(({ sensor }) => sensor)])];
  throw configInvalid(
    `the source reads no sensor ${JSON.stringify(name)}`,
    examples.length > 0
      ? `there are, for example: ${examples.slice(0, 3).join(' ; ')}`
      : 'its sensors are not known yet; databridge source show tells about the look for them',
    'sensor',
  );
}

/** The length of time that is missing, being asked or cannot be read, over all buckets of some streams. */
export const lackingIn = (streams: readonly StreamCoverage[]): number =>
  streams.reduce((sum, { buckets }) => sum + lacking(buckets), 0);

/** The same as a JSON document: instants as text, lengths of time in seconds. `sensor`: the one that was asked about. */
export const coverageDocument = (report: CoverageReport, sensor: string | undefined): Record<string, unknown> => ({
  sensor: sensor ?? null,
  bucketSeconds: report.grid.length / SECOND,
  streams: report.streams.map(({ key, buckets }: StreamCoverage) => ({
    key,
    buckets: buckets.map(({ state, readings, refused, covered, failed, missing, asking }, index) => ({
      from: formatInstant(bucketOf(report.grid, index).from),
      state,
      readings,
      refused,
      coveredSeconds: covered / SECOND,
      failedSeconds: failed / SECOND,
      missingSeconds: missing / SECOND,
      askingSeconds: asking / SECOND,
    })),
  })),
  hiddenStreams: report.hidden,
  refusals: report.refusals.map(({ reason, refused, bucket, first, last, raw }) => ({
    reason,
    refused,
    raw,
    bucket: formatInstant(bucketOf(report.grid, bucket).from),
    first: formatInstant(first),
    last: formatInstant(last),
  })),
  refusalsNotKept: report.unkept,
});
