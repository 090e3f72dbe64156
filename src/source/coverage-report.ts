import { setImmediate as letOthersRun } from 'node:timers/promises';
import { bucketOf, countOf, gridOf, lengthsIn, rangeOf, stateOf } from '../core/buckets.ts';
import type { BucketState, BucketTime, Cut, Grid, KnownTime } from '../core/buckets.ts';
import { configInvalid } from '../core/errors.ts';
import type { Instant } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import type { Database } from '../database/database.ts';
import { refusalsByBucket, reasonsInRange, unkeptRefusals } from './coverage-refusals.ts';
import type { ReasonRefusals } from './coverage-refusals.ts';
import { bucketsWithData, readingsByBucket } from './coverage-buckets.ts';
import {
  reachOfSensor,
  seriesHeld,
  sensorsOf,
  streamsThatLack,
  timesOfSources,
  timesOfStreams,
} from './coverage-rows.ts';
import type { ListedStream, PlaceOfStream, TimeOfStream } from './coverage-rows.ts';
import type { FoundSource } from './find-source.ts';
import { unknownSource } from './unusable-source.ts';

/** The time of a stream or a source, bucket by bucket. */
export interface Strip {
  readonly states: readonly BucketState[];
  /** Sums over the whole range, µs. */
  readonly time: BucketTime;
}

/** The time of a stream. */
export interface StreamCoverage extends Strip {
  readonly key: string;
  /** Readings of the sensor that was asked about in each bucket; null for a whole stream, whose readings are not counted. */
  readonly readings: readonly number[] | null;
  /** Refused points in each bucket; null for a whole stream. */
  readonly refused: readonly number[] | null;
}

/** The answer to `databridge source coverage`. */
export interface CoverageReport {
  readonly grid: Grid;
  /** The streams that lack most come first. */
  readonly streams: readonly StreamCoverage[];
  /** Streams beyond the last one of this page. */
  readonly hidden: number;
  /** Refused points of these streams in the range. */
  readonly refusals: readonly ReasonRefusals[];
  /** Refusals of these streams, of any time, whose instants are not known. */
  readonly unkept: number;
  /** Where the next page begins; undefined on the last one. */
  readonly next: PlaceOfStream | undefined;
  /** Readings before are not kept, although their time stays covered; null: all are. */
  readonly keptFrom: Instant | null;
}

interface Asked {
  readonly range: Window;
  readonly cut: Cut;
  /** A sensor as the platform or as readings call it. */
  readonly sensor?: string | undefined;
  readonly mostStreams: number;
  readonly behind?: PlaceOfStream | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** Cells of a statement that looks for readings, and bytes of the coverage that one reads. */
const CELLS_AT_ONCE = 20_000;
const BYTES_AT_ONCE = 250_000;

/** Throws `config-invalid` for a sensor that the source does not have, and for an empty range. */
export async function reportCoverage(database: Database, source: FoundSource, asked: Asked): Promise<CoverageReport> {
  const grid = gridOfRange(asked);
  const found = (await startsOf(database, [source.id])).get(source.id);
  if (found === undefined) throw unknownSource(source);
  const { start, keptFrom } = found;
  const { sensor, mostStreams: limit, behind, signal } = asked;
  const about = sensor === undefined ? undefined : await sensorIn(database, source.id, sensor);
  const range = rangeOf(grid);
  const wanted = { sourceId: source.id, range, ids: about?.streams, limit, behind };
  const { streams: listed, count } = await streamsThatLack(database, wanted);
  const ids = listed.map(({ id }) => id);
  const refusing = { streams: ids, sensors: about?.names, edges: grid.edges };
  const refused = await refusalsByBucket(database, { ...refusing, of: 'stream_id' });
  const held = await seriesHeld(database, [source.id], 'stream');
  const streams: StreamCoverage[] = [];
  for (const chunk of chunksOf(listed, countOf(grid))) {
    signal?.throwIfAborted();
    const times = await timesOfStreams(database, source.id, { ids: chunk.map(({ id }) => id), range });
    const byId = new Map(times.map((one) => [one.id, one]));
    const present = chunk.flatMap(({ id, key }) => {
      const time = byId.get(id);
      // A look may have retired it meanwhile.
      return time === undefined ? [] : [{ ...time, key, start, keptFrom, refused: refused.get(id) }];
    });
    const series = about?.series;
    const readings =
      series === undefined
        ? undefined
        : await Promise.all(present.map(() => readingsByBucket(database, series, grid.edges)));
    const strips = await stripsOf(database, { grid, known: present, held, readings });
    for (const [place, { key, refused: its }] of present.entries()) {
      const counts = readings?.[place];
      const refusedHere = counts && counts.map((_, bucket) => its?.get(bucket) ?? 0);
      streams.push({ ...(strips[place] as Strip), key, readings: counts ?? null, refused: refusedHere ?? null });
    }
    await letOthersRun();
  }
  const last = listed.at(-1);
  const hidden = last === undefined ? 0 : count - last.place;
  return {
    grid,
    streams,
    hidden,
    refusals: await reasonsInRange(database, refusing),
    unkept: await unkeptRefusals(database, ids),
    next: hidden === 0 ? undefined : last,
    keptFrom,
  };
}

/** The time of sources as one strip each, over all their streams; undefined for one without streams. */
export async function stripsOfSources(
  database: Database,
  sources: readonly Pick<FoundSource, 'id'>[],
  asked: Pick<Asked, 'range' | 'cut' | 'signal'>,
): Promise<{ readonly grid: Grid; readonly strips: ReadonlyMap<number, Strip> }> {
  const grid = gridOfRange(asked);
  const strips = new Map<number, Strip>();
  const starts = await startsOf(
    database,
    sources.map(({ id }) => id),
  );
  const most = Math.max(1, Math.floor(CELLS_AT_ONCE / countOf(grid)));
  for (let at = 0; at < sources.length; at += most) {
    asked.signal?.throwIfAborted();
    const sourceIds = sources.slice(at, at + most).map(({ id }) => id);
    const times = await timesOfSources(database, sourceIds, rangeOf(grid));
    const rows = await database.rows<{ id: number }>(
      'select id from stream where source_id = any($1::int[]) and retired_at is null',
      [sourceIds],
    );
    const streams = rows.map(({ id }) => id);
    const refused = await refusalsByBucket(database, {
      streams,
      sensors: undefined,
      edges: grid.edges,
      of: 'source_id',
    });
    const known = times.map((one) => ({
      ...one,
      ...(starts.get(one.id) ?? { start: 0, keptFrom: null }),
      refused: refused.get(one.id),
    }));
    const held = await seriesHeld(database, sourceIds, 'source_id');
    const found = await stripsOf(database, { grid, known, held, readings: undefined });
    for (const [place, { id }] of known.entries()) strips.set(id, found[place] as Strip);
    await letOthersRun();
  }
  return { grid, strips };
}

function gridOfRange({ range, cut }: Pick<Asked, 'range' | 'cut'>): Grid {
  if (range.from >= range.to)
    throw configInvalid('the range ends before it begins', 'give a --from that is before --to', 'from');
  return gridOf(range, cut);
}

/** Where the time of a source begins, and from where on its readings are kept. */
interface Begins {
  readonly start: Instant;
  readonly keptFrom: Instant | null;
}

async function startsOf(database: Database, ids: readonly number[]): Promise<ReadonlyMap<number, Begins>> {
  const rows = await database.rows<Begins & { id: number }>(
    `select source.id, instant_of(start_at) as start, instant_of(kept_from) as "keptFrom"
     from source join ml_project on ml_project.id = project_id where source.id = any($1::int[])`,
    [ids],
  );
  return new Map(rows.map(({ id, ...begins }) => [id, begins]));
}

/** Streams in order, in parts that one statement reads without much memory. */
function* chunksOf(streams: readonly ListedStream[], buckets: number): Iterable<readonly ListedStream[]> {
  const most = Math.max(1, Math.floor(CELLS_AT_ONCE / buckets));
  let chunk: ListedStream[] = [];
  let bytes = 0;
  for (const stream of streams) {
    if (chunk.length >= most || (chunk.length > 0 && bytes + stream.weight > BYTES_AT_ONCE)) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(stream);
    bytes += stream.weight;
  }
  if (chunk.length > 0) yield chunk;
}

/** The time of a stream or source, with the start of the source and its refused points by bucket. */
type Known = TimeOfStream &
  Begins & {
    readonly refused: ReadonlyMap<number, number> | undefined;
  };

interface WantedStrips {
  readonly grid: Grid;
  readonly known: readonly Known[];
  /** As `seriesHeld` gives them. */
  readonly held: ReadonlyMap<number, string>;
  /** The readings by bucket, where they were counted. */
  readonly readings: readonly (readonly number[])[] | undefined;
}

/** Readings are looked for only in buckets that would be empty without one, and not after the newest one. */
async function stripsOf(database: Database, { grid, known, held, readings }: WantedStrips): Promise<readonly Strip[]> {
  const count = countOf(grid);
  const open: { readonly strip: number; readonly bucket: number }[] = [];
  const strips = known.map((one, strip) => {
    const lengths = lengthsOf(one, grid);
    const states = Array.from({ length: count }, (_, bucket): BucketState => {
      const { to } = bucketOf(grid, bucket);
      const counted = readings?.[strip]?.[bucket];
      const found = { data: (counted ?? 0) > 0, refused: one.refused?.has(bucket) === true, early: to <= one.start };
      // What is not kept was read once, and that the platform had nothing would be wrong.
      const gone = one.keptFrom !== null && to <= one.keptFrom;
      const state = gone ? 'before-start' : stateOf(timeAt(lengths, bucket), found);
      if (state === 'empty' && counted === undefined) open.push({ strip, bucket });
      return state;
    });
    return { states, time: sumOf(lengths) };
  });
  const found = await bucketsWithData(database, {
    edges: grid.edges,
    held,
    ids: open.map(({ strip }) => (known[strip] as Known).id),
    buckets: open.map(({ bucket }) => bucket),
  });
  for (const [place, { strip, bucket }] of open.entries()) {
    if (found.has(place)) (strips[strip] as (typeof strips)[number]).states[bucket] = 'data';
  }
  return strips;
}

type Lengths = Readonly<Record<keyof KnownTime, Float64Array>>;

const lengthsOf = ({ covered, failed, missing, asking }: KnownTime, grid: Grid): Lengths => ({
  covered: lengthsIn(grid, covered),
  failed: lengthsIn(grid, failed),
  missing: lengthsIn(grid, missing),
  asking: lengthsIn(grid, asking),
});

const timeAt = ({ covered, failed, missing, asking }: Lengths, bucket: number): BucketTime => ({
  covered: covered[bucket] ?? 0,
  failed: failed[bucket] ?? 0,
  missing: missing[bucket] ?? 0,
  asking: asking[bucket] ?? 0,
});

const sumOf = ({ covered, failed, missing, asking }: Lengths): BucketTime => ({
  covered: total(covered),
  failed: total(failed),
  missing: total(missing),
  asking: total(asking),
});

const total = (lengths: Float64Array): number => lengths.reduce((sum, length) => sum + length, 0);

/** A sensor with its streams and series. */
async function sensorIn(database: Database, sourceId: number, name: string) {
  const reach = await reachOfSensor(database, sourceId, name);
  if (reach.streams.length > 0) return reach;
  const examples = await sensorsOf(database, sourceId, 3);
  throw configInvalid(
    `the source reads no sensor ${JSON.stringify(name)}`,
    examples.length > 0
      ? `there are, for example: ${examples.join(' ; ')}`
      : 'its sensors are not known yet; databridge source show tells about the look for them',
    'sensor',
  );
}

/** The length of time that is missing, being asked or cannot be read, over some streams. */
export const lackingIn = (streams: readonly Strip[]): number =>
  streams.reduce((sum, { time: { failed, missing, asking } }) => sum + failed + missing + asking, 0);
