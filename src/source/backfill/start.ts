import { audit } from '../../access/audit.ts';
import type { KindOfBackfill } from '../../core/backfill.ts';
import { parseDuration } from '../../core/duration.ts';
import { configInvalid } from '../../core/errors.ts';
import { SECOND, formatInstant } from '../../core/instant.ts';
import type { Instant, Microseconds } from '../../core/instant.ts';
import { edgeOf } from '../../core/plan.ts';
import type { Quote } from '../../core/quote.ts';
import { titleOf } from '../../core/source/source-name.ts';
import type { Database } from '../../database/database.ts';
import { lockNewStreams } from '../../pull/sensors/change-streams.ts';
import { RETRY_UNREADABLE } from '../../pull/unreadable-rows.ts';
import { FINISH_COVERED, hasOneOf } from '../../pull/history/wishes.ts';
import { askHistories } from '../../pull/work.ts';
import { findSource } from '../find-source.ts';
import type { FoundSource, WantedSource } from '../find-source.ts';
import { firstRefusedHour } from '../refusals.ts';
import { inactiveSource, unknownSource } from '../unusable-source.ts';

/** What a backfill is asked to do. */
export interface WantedBackfill {
  readonly source: WantedSource;
  /** Undefined: the first hour with refused points, for the kind `refused` alone. */
  readonly from?: Instant | undefined;
  /** Undefined: up to the newest settled instant, or up to the start of the source where that is later. */
  readonly to?: Instant | undefined;
  /** `missing` where undefined. */
  readonly what?: KindOfBackfill | undefined;
  /** `oldest` time first where undefined. */
  readonly order?: 'oldest' | 'newest' | undefined;
  /** At most so many requests on a day of UTC; undefined: the pace alone bounds them. */
  readonly requestsPerDay?: number | undefined;
  /** Sensors as the platform or as readings call them; undefined: all. Sensors that are fetched with them are asked for, too. */
  readonly sensors?: readonly string[] | undefined;
}

export interface BackfillRequest extends WantedBackfill {
  readonly requestedBy: string;
  /** What was to be expected; undefined where nobody reckoned. */
  readonly quote?: Quote | undefined;
}

/** The fields of a source that tell how far its time has settled. */
interface SettledRow {
  readonly state: string;
  readonly now: Instant;
  readonly start: Instant;
  readonly settle: Microseconds;
  readonly every: Microseconds;
  /** As the operator wrote it, like `1m`. */
  readonly align: string | null;
  /** The project keeps the readings from this instant on; null: all readings. */
  readonly keptFrom: Instant | null;
}

/** A backfill that could be started, with its exact range. */
export interface CheckedBackfill {
  readonly id: number;
  readonly name: string;
  readonly organisation: string;
  readonly from: Instant;
  readonly to: Instant;
}

/** Throws `config-invalid` with a remedy for an unknown or inactive source, a range that is empty, has not settled or begins before what is kept, and no refused hour to begin with. */
export async function checkBackfill(database: Database, wanted: WantedBackfill): Promise<CheckedBackfill> {
  const found = await findSource(database, wanted.source);
  const source = await database.row<SettledRow & Record<string, unknown>>(
    `select state, instant_of(now()) as now, instant_of(start_at) as start, settle_us as settle, every_us as every, config #>> '{schedule,align}' as align,
       (select instant_of(kept_from) from ml_project where ml_project.id = project_id) as "keptFrom"
     from source where id = $1`,
    [found.id],
  );
  if (!source) throw unknownSource(found);
  // The end is a point of the grid, because windows end there: a backfill that reached further would never be covered.
  const align = parseDuration(source.align ?? '') ?? Math.min(SECOND, source.every);
  const edge = edgeOf({ settle: source.settle, align }, source.now);
  if (source.state !== 'active') throw inactiveSource(found, source.state);
  // The start of a new source has not settled yet, and live polls never ask before it. A backfill that ended at the edge
  // would leave the time between edge and start unread.
  const latest = Math.max(edge, source.start);
  const to = wanted.to ?? latest;
  const from = wanted.from ?? (wanted.what === 'refused' ? await firstRefusedHour(database, found.id) : undefined);
  if (from === undefined) throw withoutBegin(found, wanted.what);
  if (from >= to) {
    throw configInvalid('--from is not before --to', 'give a range that begins before it ends', 'to');
  }
  assertKept(source.keptFrom, { from, to });
  if (to > latest) {
    const remedy = `leave --to out to go up to ${formatInstant(latest)}; live polls fetch the rest`;
    throw configInvalid(`--to ${formatInstant(to)} has not settled yet`, remedy, 'to');
  }
  return { ...found, from, to };
}

function assertKept(keptFrom: Instant | null, { from, to }: Pick<CheckedBackfill, 'from' | 'to'>): void {
  if (keptFrom === null || from >= keptFrom) return;
  const kept = formatInstant(keptFrom);
  throw configInvalid(
    `its project keeps no readings from before ${kept}`,
    to <= keptFrom ? 'what was removed does not come back' : `give --from ${kept} or later`,
    'from',
  );
}

const withoutBegin = (source: FoundSource, what: KindOfBackfill | undefined) =>
  what === 'refused'
    ? configInvalid(`nothing of ${titleOf(source)} is refused`, 'nothing to do', 'from')
    : configInvalid('a backfill begins somewhere', 'give the begin of its range', 'from');

/** SQL: the present streams of the source `$1` that have one of the sensors `$2`, or all. */
const CHOSEN = `
  select stream.* from stream where source_id = $1 and retired_at is null and ${hasOneOf('$2::text[]')}`;

/** SQL: what a backfill of the kind `$3` wants of the row `stream` in `[$4, $5)`; null: all of it. */
const WANTED_OF_KIND = `case $3
  when 'failed' then (select coalesce(range_agg(tstzrange(from_at, to_at)), '{}') from unreadable where stream_id = stream.id)
    * tstzmultirange(tstzrange(at_instant($4), at_instant($5)))
  when 'refused' then (select coalesce(range_agg(tstzrange(hour, hour + interval '1 hour')), '{}') from refused_hour where stream_id = stream.id and points <> '{}')
    * tstzmultirange(tstzrange(at_instant($4), at_instant($5)))
  end`;

/** A stream that a backfill asks, with the time that it asks for now. */
export interface ChosenStream {
  readonly id: number;
  /** JSON of a multirange of instants. */
  readonly wanted: readonly (readonly [Instant, Instant])[];
}

/** The streams that a backfill would ask, each with the time that it would ask for. Throws `config-invalid` for an unknown sensor. */
export async function chosenStreams(
  database: Pick<Database, 'rows'>,
  { id, from, to }: CheckedBackfill,
  { what = 'missing', sensors }: WantedBackfill,
): Promise<readonly ChosenStream[]> {
  const rows = await database.rows<{ id: number; wanted: [Instant, Instant][] }>(
    `select stream.id, instants_of(coalesce(${WANTED_OF_KIND}, tstzmultirange(tstzrange(at_instant($4), at_instant($5))))
       - case when $3 in ('refused', 'all') then '{}' else covered end) as wanted
     from (${CHOSEN}) as stream order by id`,
    [id, sensors ?? null, what, from, to],
  );
  if (sensors !== undefined && rows.length === 0) throw unknownSensors(sensors);
  return rows;
}

const unknownSensors = (sensors: readonly string[]) =>
  configInvalid(
    `no stream has ${sensors.length === 1 ? `a sensor ${sensors[0] ?? ''}` : 'one of these sensors'}`,
    'databridge source sensors shows the sensors of a source',
    'sensors',
  );

/**
 * Stores a backfill for the streams that it asks and makes their history due at once. Where nothing is wanted it is done at once.
 * Returns its id. Throws as `checkBackfill`, and `config-invalid` for sensors that no stream has.
 */
export async function startBackfill(database: Database, request: BackfillRequest): Promise<number> {
  const checked = await checkBackfill(database, request);
  const { what = 'missing', order = 'oldest', requestsPerDay = null, sensors = null } = request;
  return await database.transaction(async (client) => {
    // The bound of the project rises behind this lock (upkeep/kept-bound.ts): either it stands by now, or it meets the backfill.
    await client.query('select from source where id = $1 for no key update', [checked.id]);
    const { rows: kept } = await client.query<{ keptFrom: Instant | null }>(
      'select instant_of(kept_from) as "keptFrom" from source join ml_project on ml_project.id = project_id where source.id = $1',
      [checked.id],
    );
    assertKept(kept[0]?.keptFrom ?? null, checked);
    // A look that adds streams meanwhile would not see the backfill, nor would the backfill see them.
    await lockNewStreams(client, checked.id);
    const { rows } = await client.query<{ id: number }>(
      `insert into backfill (source_id, from_at, to_at, what, newest_first, requests_per_day, sensors, quoted, requested_by)
       values ($1, at_instant($2), at_instant($3), $4, $5, $6, $7, $8, $9) returning id`,
      [
        checked.id,
        checked.from,
        checked.to,
        what,
        order === 'newest',
        requestsPerDay,
        sensors,
        request.quote === undefined ? null : JSON.stringify(request.quote),
        request.requestedBy,
      ],
    );
    const id = rows[0]?.id as number;
    const { rowCount } = await client.query(
      `insert into backfill_stream (backfill_id, stream_id, wanted) select $6, stream.id, ${WANTED_OF_KIND} from (${CHOSEN}) as stream`,
      [checked.id, sensors, what, checked.from, checked.to, id],
    );
    if (sensors !== null && !rowCount) throw unknownSensors(sensors);
    const asked =
      'from stream join backfill_stream on stream_id = stream.id where backfill_id = $1 and retired_at is null';
    await client.query(`update stream set retry_at = null where id in (select stream.id ${asked})`, [id]);
    await client.query(askHistories(asked), [id]);
    await client.query(RETRY_UNREADABLE, [[checked.id]]);
    await client.query(FINISH_COVERED, [checked.id]);
    await audit(client, request.requestedBy, 'backfill.started', checked.name, {
      organisation: checked.organisation,
      backfill: id,
      from: formatInstant(checked.from),
      to: formatInstant(checked.to),
      what,
      ...(order === 'newest' && { order }),
      ...(sensors !== null && { sensors }),
      ...(requestsPerDay !== null && { requestsPerDay }),
    });
    return id;
  });
}

/** Which sources may have a backfill; a field that is undefined leaves none out. */
interface ActiveChoice {
  readonly organisation?: string | undefined;
  readonly organisations?: readonly string[] | undefined;
  /** The organisation and the name of the last source of the page before. */
  readonly behind?: readonly string[] | undefined;
  /** At most so many. */
  readonly limit?: number | undefined;
}

/** The sources that may have a backfill, by organisation and name. */
export const activeSources = (
  database: Database,
  { organisation, organisations, behind, limit }: ActiveChoice,
): Promise<readonly { readonly name: string; readonly organisation: string }[]> =>
  database.rows<{ name: string; organisation: string }>(
    `select name, organisation_id as organisation from source where state = 'active' and ($1::text is null or organisation_id = $1)
       and ($2::text[] is null or organisation_id = any($2)) and ($3::text is null or (organisation_id, name) > ($3, $4)) order by 2, 1 limit $5`,
    [organisation ?? null, organisations ?? null, behind?.[0] ?? null, behind?.[1] ?? null, limit ?? null],
  );
