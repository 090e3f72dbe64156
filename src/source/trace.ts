import { keptFrom } from '../archive/kept.ts';
import { inSnapshot } from '../archive/manifest.ts';
import { archivedAround } from '../archive/nearest.ts';
import { configInvalid } from '../core/errors.ts';
import { SECOND, formatInstant, instantOrNull } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { edgeOf } from '../core/plan.ts';
import { argumentsOf } from '../core/source/source-name.ts';
import type { Asks, Database } from '../database/database.ts';
import { reasonsInRange } from './coverage-refusals.ts';
import { reachOfSensor } from './coverage-rows.ts';
import type { FoundSource } from './find-source.ts';
import { windowGridOf } from './freshness.ts';

/**
 * What became of an expected point. `stored`: a reading; `refused`: no reading, with the reason; `nothing`: the platform was asked for
 * its time and gave no point of that instant; `unreadable`: its time was asked for and cannot be read; `not-settled`: too young to be
 * asked for; `missing`: not asked for yet; `before-start`: never asked for; `future`: its time has not come;
 * `not-kept`: readings of its time are not kept any more.
 */
export const FATES = [
  'stored',
  'refused',
  'nothing',
  'unreadable',
  'not-settled',
  'missing',
  'before-start',
  'future',
  'not-kept',
] as const;
export type Fate = (typeof FATES)[number];

/** A reading beside the expected point. */
interface TracedReading {
  readonly sensorId: string;
  readonly valueName: string;
  readonly at: Instant;
  readonly value: number;
}

/** What the bridge knows of the time of the point in the streams that read the sensor. */
export interface TraceFacts {
  readonly now: Instant;
  readonly state: string;
  readonly start: Instant;
  /** Newer time is not asked for. */
  readonly edge: Instant;
  /** How old a point must be before it is asked for. */
  readonly settle: Microseconds;
  readonly heldUntil: Instant | null;
  /** The newest configuration of the source has not been looked at yet. */
  readonly awaitsLook: boolean;
  readonly pollDueAt: Instant | null;
  readonly historyDueAt: Instant | null;
  /** All streams that read the sensor have it. */
  readonly covered: boolean;
  /** It is asked for once more, because late data may have come. */
  readonly askedAgain: boolean;
  /** By its rhythm the sensor should have given a reading in this time, so it was asked for once more, or will be; null where it was not. */
  readonly doubt: 'asking' | 'answered' | null;
  readonly unreadable: { readonly message: string; readonly retryAt: Instant } | null;
  /** When its time was asked for last; null where the log has no such window any more. */
  readonly askedAt: Instant | null;
  /** The project keeps the readings from this instant on; null: all readings. */
  readonly keptFrom: Instant | null;
}

/** The fate of an expected point in words. */
export interface Traced {
  readonly sensor: string;
  readonly at: Instant;
  readonly fate: Fate;
  readonly message: string;
  /** What an operator does about it; null where nothing helps or nothing is wrong. */
  readonly remedy: string | null;
  readonly streams: readonly string[];
  readonly askedAt: Instant | null;
  /** The readings of that instant, one for each variable. */
  readonly readings: readonly TracedReading[];
  /** The nearest readings of the sensor before and after it. */
  readonly before: Instant | null;
  readonly after: Instant | null;
}

interface FactRow extends Omit<TraceFacts, 'edge'> {
  readonly every: Microseconds;
  readonly align: string | null;
  readonly keys: readonly string[];
}

/** `$1` the source, `$2` the streams, `$3` the instant, `$4` the names of the sensor. */
const FACTS = `
  select instant_of(now()) as now, source.state, instant_of(start_at) as start, settle_us as settle, every_us as every,
    (select instant_of(kept_from) from ml_project where ml_project.id = project_id) as "keptFrom", config #>> '{schedule,align}' as align, instant_of(held_until) as "heldUntil", awaits_look as "awaitsLook",
    (select instant_of(due_at) from work where kind = 'poll' and work.id = source.id) as "pollDueAt",
    (select instant_of(min(due_at)) from work where kind = 'history' and work.id = any($2::int[])) as "historyDueAt",
    (select bool_and(covered @> at_instant($3)) from stream where id = any($2)) as covered,
    (select bool_or(look_again @> at_instant($3)) from stream where id = any($2)) as "askedAgain",
    (select case when bool_and((known -> name #>> '{4,2}')::boolean) then 'answered' else 'asking' end
      from freshness cross join unnest($4::text[]) as name
      where freshness.source_id = source.id and (known -> name #>> '{4,0}')::bigint <= $3 and (known -> name #>> '{4,1}')::bigint > $3
      having count(*) > 0) as doubt,
    (select jsonb_agg(key order by key) from stream where id = any($2)) as keys,
    (select jsonb_build_object('message', fault ->> 'message', 'retryAt', instant_of(retry_at)) from unreadable
      where stream_id = any($2) and from_at <= at_instant($3) and to_at > at_instant($3) limit 1) as unreadable,
    (select instant_of(asked_at) from window_log
      where window_log.source_id = source.id and stream_id = any($2) and from_at <= at_instant($3) and to_at > at_instant($3)
        and asked_at >= at_instant($3) order by asked_at desc limit 1) as "askedAt"
  from source where id = $1`;

/** The readings at `$2` of the series `$1`. */
const READINGS = `
  select sensor_id as "sensorId", value_name as "valueName", instant_of(at) as at, value, reading.series
  from reading join series on series.id = reading.series where series = any($1::int[]) and at = at_instant($2) order by 1, 2`;

const NEIGHBOURS = `
  select instant_of(max(before)) as before, instant_of(min(after)) as after from unnest($1::int[]) as one (id) cross join lateral (
    select (select at from reading where series = one.id and at < at_instant($2) order by at desc limit 1) as before,
      (select at from reading where series = one.id and at > at_instant($2) order by at limit 1) as after) as each`;

/** Says what became of the point that a sensor should have at an instant. Throws `config-invalid` for a sensor that the source does not read. */
export async function traceOf(
  database: Database,
  source: FoundSource,
  { sensor, at }: { readonly sensor: string; readonly at: Instant },
): Promise<Traced> {
  const reach = await reachOfSensor(database, source.id, sensor);
  if (reach.streams.length === 0)
    throw configInvalid(
      `no stream reads a sensor ${sensor}`,
      `databridge source sensors ${argumentsOf(source)} lists those that the platform shows`,
      'sensor',
    );
  const [row, { readings, before, after }, [refusal]] = await Promise.all([
    database.row<FactRow & Record<string, unknown>>(FACTS, [source.id, reach.streams, at, reach.names]),
    inSnapshot(database, (asks) => readingsAround(asks, { series: reach.series, projectId: source.projectId, at })),
    reasonsInRange(database, { streams: reach.streams, sensors: reach.names, edges: [at, at + 1] }),
  ]);
  if (row === undefined) throw configInvalid(`source ${source.name} was removed meanwhile`, 'databridge source list');
  const { align, every, keys, ...facts } = row;
  const edge = edgeOf({ settle: row.settle, align: windowGridOf(every, align) }, row.now);
  const refused = refusal && { reason: refusal.reason, raw: refusal.raw };
  const fate = fateOf({ ...facts, edge }, at, { stored: readings.length > 0, refused: refused !== undefined });
  return {
    sensor,
    at,
    fate,
    ...wordsFor(fate, { ...facts, edge }, { at, refused, name: argumentsOf(source) }),
    streams: keys,
    askedAt: row.askedAt,
    readings,
    before,
    after,
  };
}

/** The readings of series at an instant, and the instants of their nearest ones before and after it, of rows and files. */
async function readingsAround(
  database: Asks,
  { series, projectId, at }: { readonly series: readonly number[]; readonly projectId: number; readonly at: Instant },
): Promise<Pick<Traced, 'readings' | 'before' | 'after'>> {
  const kept = (await keptFrom(database, projectId)) ?? -Infinity;
  if (at < kept) return { readings: [], before: null, after: null };
  const rows = await database.rows<TracedReading & { series: number }>(READINGS, [series, at]);
  const [neighbours] = await database.rows<Pick<Traced, 'before' | 'after'> & Record<string, unknown>>(NEIGHBOURS, [
    series,
    at,
  ]);
  const { before = null, after = null } = neighbours ?? {};
  const files = await archivedAround(database, series, { at, before, after });
  const stored = new Set(rows.map((row) => row.series));
  const readings = [...rows, ...files.at.filter((one) => !stored.has(one.series))].map(
    ({ sensorId, valueName, value }) => ({ sensorId, valueName, at, value }),
  );
  const newest = later(before, files.before);
  return { readings, before: newest !== null && newest < kept ? null : newest, after: earlier(after, files.after) };
}

const later = (one: Instant | null, other: Instant | null): Instant | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);
const earlier = (one: Instant | null, other: Instant | null): Instant | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** What became of a point, from what is known of its time. */
export function fateOf(
  { now, start, edge, covered, unreadable, keptFrom: kept }: TraceFacts,
  at: Instant,
  { stored, refused }: { readonly stored: boolean; readonly refused: boolean },
): Fate {
  if (kept !== null && at < kept) return 'not-kept';
  if (stored) return 'stored';
  if (refused) return 'refused';
  if (covered) return 'nothing';
  if (at > now) return 'future';
  if (unreadable !== null) return 'unreadable';
  if (at >= edge) return 'not-settled';
  return at < start ? 'before-start' : 'missing';
}

interface Worded {
  readonly at: Instant;
  readonly name: string;
  readonly refused: { readonly reason: string; readonly raw: string | null } | undefined;
}

/** The fate as a sentence, and what to do about it. */
export function wordsFor(
  fate: Fate,
  facts: TraceFacts,
  { at, name, refused }: Worded,
): Pick<Traced, 'message' | 'remedy'> {
  const asked = facts.askedAt === null ? '' : `, last at ${formatInstant(facts.askedAt)}`;
  const text = formatInstant(at);
  switch (fate) {
    case 'stored':
      return { message: 'it is stored', remedy: null };
    case 'refused':
      return {
        message: `it was refused: ${refused?.reason ?? ''}${(refused?.raw ?? null) === null ? '' : `, the platform sent ${refused?.raw ?? ''}`}`,
        remedy: `correct the mapping, then databridge backfill start ${name} --what refused --from ${text}`,
      };
    case 'nothing':
      return {
        message: `the platform was asked for its time${asked}, and gave no point of that instant${againInWords(facts)}`,
        remedy: facts.askedAgain
          ? null
          : `where the platform has it now: databridge backfill start ${name} --what all --from ${text} --to ${formatInstant(at + SECOND)}`,
      };
    case 'future':
      return { message: 'its time has not come', remedy: null };
    case 'not-settled':
      return {
        message: `it is asked for when it has settled: ${dueIn(facts, at + facts.settle, facts.pollDueAt)}`,
        remedy: held(facts, name),
      };
    case 'unreadable':
      return {
        message: `its time cannot be read: ${facts.unreadable?.message ?? ''}; it is tried again at ${formatInstant(Math.max(facts.now, facts.unreadable?.retryAt ?? 0))}`,
        remedy: `databridge backfill start ${name} --what failed --from ${text} tries at once`,
      };
    case 'before-start':
      return {
        message: `it lies before the start of the source, ${formatInstant(facts.start)}, so it is never asked for`,
        remedy: `databridge backfill start ${name} --from ${text}`,
      };
    case 'not-kept':
      return {
        message: `readings before ${formatInstant(facts.keptFrom ?? at)} are not kept in its project, so it was removed, or is never asked for`,
        remedy: null,
      };
    case 'missing':
      return {
        message: `its time is not covered yet: ${dueIn(facts, facts.now, facts.historyDueAt ?? facts.pollDueAt)}`,
        remedy: held(facts, name) ?? `databridge source why ${name} says what keeps it waiting`,
      };
  }
}

function againInWords({ askedAgain, doubt }: TraceFacts): string {
  if (doubt === 'answered') return '; the sensor was silent for longer than usual, so this time was asked for twice';
  if (doubt === 'asking') return '; the sensor is silent for longer than usual, so this time is asked for once more';
  return askedAgain ? '; the time is asked for once more for late data' : '';
}

/** When time is asked for that is due at `from` by work that is due at `due`. */
function dueIn(facts: TraceFacts, from: Instant, due: Instant | null): string {
  if (facts.state !== 'active') return `the source is ${facts.state}`;
  if (facts.heldUntil !== null && facts.heldUntil > Math.max(from, facts.now))
    return `the source waits until ${formatInstant(facts.heldUntil)}`;
  if (facts.awaitsLook) return 'the source waits for a look for its sensors';
  if (due === null) return 'the source is not due; its first look for sensors has not ended';
  return `from ${formatInstant(Math.max(from, due, facts.now))}`;
}

const held = ({ state }: TraceFacts, name: string): string | null =>
  state === 'active' ? null : `databridge source resume ${name}`;

/** The fate of a point as a JSON document, with each instant as text. */
export const traceDocument = ({ at, askedAt, before, after, readings, streams, ...traced }: Traced) => ({
  ...traced,
  at: formatInstant(at),
  streams: [...streams],
  askedAt: instantOrNull(askedAt),
  readings: readings.map(({ sensorId, valueName, value }) => ({ sensorId, valueName, value })),
  before: instantOrNull(before),
  after: instantOrNull(after),
});
