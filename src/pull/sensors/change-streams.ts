import type { ClientBase } from 'pg';
import { rowsOf } from '../../database/database.ts';
import { printable, printableJson } from '../../database/printable.ts';
import { afterChoice, unusedKeyOf } from './stream-plan.ts';
import { IS_OPEN, hasOneOf } from '../history/wishes.ts';
import { wakeHistories } from '../work.ts';
import type { Choice, KnownStream, PlannedStream, StreamPlan } from './stream-plan.ts';

/** SQL: whether `inherits`, a JSON array, holds the id of a stream that a new one takes over from. */
const isOneOf = (id: string, inherits: string): string =>
  `${id} in (select value::int from jsonb_array_elements_text(${inherits}))`;

/**
 * The refused points of a stream go with its sensors, so that a window of the new stream replaces them. A stream without a list of
 * sensors takes all of them.
 */
const MOVE_REFUSED = `
  with moving as (
    select stream.id, old.value::int as old, selection -> 'sensors' as sensors
    from unnest($2::text[], $3::jsonb[]) as planned (key, inherits) join stream using (key)
    cross join jsonb_array_elements_text(inherits) as old where source_id = $1 and retired_at is null),
  gone as (
    delete from refused_hour as known using moving
    where stream_id = moving.old and (moving.sensors is null or moving.sensors ? sensor)
    returning moving.id, known.*)
  insert into refused_hour (stream_id, hour, sensor, variable, reason, points, examples, noted_at)
  select id, hour, sensor, variable, reason, array_agg(point order by point), (array_agg(examples))[1], max(noted_at)
  from gone left join lateral unnest(points) as point on true where points <> '{}' group by 1, 2, 3, 4, 5`;

/** The first number of the advisory lock; the second one is the id of the source. */
const NEW_STREAMS = 7_301;

/**
 * Waits until no other transaction gives streams to the source, and keeps others waiting until this one ends. A transaction that
 * also locks streams takes this lock before them, so that no two wait for each other.
 */
export async function lockNewStreams(client: ClientBase, sourceId: number): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1, $2)', [NEW_STREAMS, sourceId]);
}

/**
 * Stores new streams. A look and a poll that sets a sensor apart may add streams at the same time, and neither knows those of the
 * other: a key that is taken by now gets a number. A backfill covers every stream that has its sensors, so it takes in those that were
 * found after it began. One of time that failed or was refused takes in those that take over from its own.
 *
 * A stream that takes over from several covers what each of them covered, because its sensors were spread over them. So it is
 * with the time that a running backfill has done. It looks once more at all time that one of them was to look at.
 */
export async function addStreams(
  client: ClientBase,
  sourceId: number,
  planned: readonly PlannedStream[],
): Promise<KnownStream[]> {
  if (planned.length === 0) return [];
  await lockNewStreams(client, sourceId);
  const taken = await rowsOf<{ key: string }>(client, 'select key from stream where source_id = $1', [sourceId]);
  const unusedKey = unusedKeyOf(taken.map(({ key }) => key));
  const keys = planned.map(({ key }) => unusedKey(printable(key)));
  const selections = planned.map(({ selection }) => printableJson(selection));
  const sensors = planned.map((stream) => printableJson(stream.sensors));
  const inherits = planned.map((stream) => JSON.stringify(stream.inherits));
  const rows = await rowsOf<{ id: number; key: string }>(
    client,
    `insert into stream (source_id, source_revision, key, selection, sensors, covered, look_again, looks_from)
     select source.id, revision, key, selection, sensors,
       coalesce((select range_intersect_agg(covered) from stream as old where ${isOneOf('old.id', 'inherits')}), '{}'),
       coalesce((select range_agg(look_again) from stream as old where ${isOneOf('old.id', 'inherits')}), '{}'),
       (select max(looks_from) from stream as old where ${isOneOf('old.id', 'inherits')})
     from source, unnest($2::text[], $3::jsonb[], $4::jsonb[], $5::jsonb[])
       with ordinality as planned (key, selection, sensors, inherits, place)
     where source.id = $1 order by place returning id, key`,
    [sourceId, keys, selections, sensors, inherits],
  );
  if (planned.some((stream) => stream.inherits.length > 0)) {
    await client.query(MOVE_REFUSED, [sourceId, keys, inherits]);
  }
  const idOf = new Map(rows.map(({ id, key }) => [key, id]));
  await client.query(
    `insert into backfill_stream (backfill_id, stream_id, done, wanted)
     select backfill.id, stream.id, coalesce(own.done, '{}'), own.wanted
     from backfill join stream using (source_id) left join unnest($2::text[], $3::jsonb[]) as planned (key, inherits) using (key)
     cross join lateral (
       select count(*) as streams, range_intersect_agg(done) as done, range_agg(wanted) as wanted from backfill_stream as old
       where old.backfill_id = backfill.id and ${isOneOf('old.stream_id', 'inherits')}) as own
     where source_id = $1 and ${IS_OPEN} and retired_at is null
       and (own.streams > 0 or (what in ('missing', 'all') and ${hasOneOf('backfill.sensors')})) on conflict do nothing`,
    [sourceId, keys, inherits],
  );
  await client.query(
    // Live polls make history due for missing time, and not for time to ask for once more.
    wakeHistories(`from stream where source_id = $1 and retired_at is null
       and (exists (select from backfill where source_id = $1 and ${IS_OPEN}) or (look_again <> '{}' and id = any($2)))`),
    [sourceId, rows.map(({ id }) => id)],
  );
  return planned.flatMap(({ selection }, place) => {
    const key = keys[place] ?? '';
    const id = idOf.get(key);
    return id === undefined ? [] : [{ id, key, selection }];
  });
}

/** Ends and narrows stored streams. The keys of ended ones become free. */
export async function endStreams(
  client: ClientBase,
  { retired, narrowed }: Pick<StreamPlan, 'retired' | 'narrowed'>,
): Promise<void> {
  if (retired.length > 0) {
    await client.query(`update stream set retired_at = now(), key = key || '~' || id where id = any($1)`, [retired]);
    await client.query(`delete from work where kind = 'history' and id = any($1)`, [retired]);
  }
  for (const { id, selection } of narrowed) {
    await client.query('update stream set selection = $2 where id = $1', [id, printableJson(selection)]);
  }
}

/** Changes the stored streams of a source as another choice of sensors demands; see `afterChoice`. */
export async function followChoice(client: ClientBase, sourceId: number, choice: Choice): Promise<void> {
  const existing = await rowsOf<KnownStream & Record<string, unknown>>(
    client,
    'select id, key, selection from stream where source_id = $1 and retired_at is null order by id for no key update',
    [sourceId],
  );
  await endStreams(client, afterChoice(existing, choice));
}
