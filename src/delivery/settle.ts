import type { PoolClient } from 'pg';
import type { Database } from '../database/database.ts';
import { printableJson } from '../database/printable.ts';
import type { DeliveredReadings, RefusedThere } from './deliver.ts';
import type { Head } from './head.ts';

/** A project keeps at most this many rows of refused readings for each hour. */
const REFUSALS_KEPT_PER_HOUR = 1_000;

/** Leaves rows of a restored database, which have got the numbers of the delivered ones. Counts only if it takes rows out of the outbox, so that a repeat counts nothing twice. */
const DELIVERED = `
  with gone as (
    delete from outbox using unnest($2::bigint[], $5::bigint[]) as sent (id, noted)
    where outbox.id = sent.id and noted_at = at_instant(noted) and project_id = $1 returning readings)
  insert into delivery_sum as total (project_id, hour, readings, refused)
  select $1, date_trunc('hour', now(), 'UTC'), $3, $4 where exists (select from gone)
  on conflict (project_id, hour) do update set readings = total.readings + excluded.readings, refused = total.refused + excluded.refused`;

const CLEAR_FAULT = `
  update remote set failures = 0, held_until = null, last_fault = null, last_delivery_at = now(), batch = $2,
    waiting = greatest(0, waiting - $3)
  where project_id = $1`;

/** Refused readings of a stream also stand with its other refusals, each once, unless the stream was removed meanwhile. */
const REFUSED = `
  with given as (
    select * from jsonb_to_recordset($2::jsonb) as one (stream int, sensor text, variable text, at bigint, raw text, place int)),
  kept as (
    insert into refusal (stream_id, project_id, reason, sensor, variable, at, raw)
    select stream.id, $1, 'refused-there', sensor, variable, at_instant(given.at), raw
    from given left join stream on stream.id = given.stream
    where place + (select count(*) from refusal where project_id = $1 and application_id is null and noted_at >= date_trunc('hour', now(), 'UTC')) <= ${REFUSALS_KEPT_PER_HOUR}
    on conflict do nothing returning stream_id)
  insert into refused_hour as known (stream_id, hour, sensor, variable, reason, points, examples)
  select stream.id, hours.hour, sensor, variable, 'refused-there', array_agg(distinct point order by point),
    jsonb_build_array(jsonb_build_array(min(point), (array_agg(raw order by point))[1]))
  from given join stream on stream.id = given.stream
  cross join lateral (select date_trunc('hour', at_instant(given.at), 'UTC') as hour) as hours
  cross join lateral (select (given.at - instant_of(hours.hour) - 1800000000)::int as point) as its
  group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (stream_id, hour, sensor, variable, reason) do update set noted_at = now(),
    points = array(select unnest(known.points) union select unnest(excluded.points) order by 1)`;

/**
 * Notes the present values of readings in the outbox once more. It locks the readings, so that a window that is revising
 * one of them takes its number in the outbox wholly before or after this note: the higher number has the newer value.
 */
const NOTE_AGAIN = `
  with standing as (
    select reading.* from unnest($2::int[], $3::bigint[]) as sent (series, instant) join reading using (series)
    where reading.at = at_instant(sent.instant) order by series, at for share of reading)
  insert into outbox (project_id, readings, series, at, value, precision, labels)
  select $1, count(*), array_agg(series), array_agg(at), array_agg(value), array_agg(precision), array_agg(labels)
  from standing having count(*) > 0`;

/** One worker's delivery for a project, under the settings of this revision. */
export interface Claim {
  readonly projectId: number;
  readonly workerId: string;
  readonly revision: number;
}

/**
 * Takes delivered readings out of the outbox. @returns false where they stay: this process lost its claim, or an operator
 * changed the remote, so that the readings may have gone to a service that is no longer the project's
 */
export async function settle(
  database: Database,
  claim: Claim,
  head: Head,
  { refused, batch }: DeliveredReadings,
): Promise<boolean> {
  const { projectId } = claim;
  return await database.transaction(async (client) => {
    if (!(await isHeld(client, claim, head))) return false;
    const { length } = head.readings;
    const { rowCount } = await client.query(DELIVERED, [
      projectId,
      head.rows.map(({ id }) => id),
      length - refused.length,
      refused.length,
      head.rows.map(({ notedAt }) => notedAt),
    ]);
    if (!rowCount) return true;
    if (refused.length > 0) await client.query(REFUSED, [projectId, printableJson(refused.map(record))]);
    await client.query(CLEAR_FAULT, [projectId, batch.size, head.noted]);
    return true;
  });
}

/** For readings that were sent without an answer: makes sure that they are noted, also where the claim was lost. */
export const keepNoted = (database: Database, claim: Claim, head: Head): Promise<void> =>
  database.transaction(async (client) => {
    await isHeld(client, claim, head);
  });

/**
 * Whether this process still has its claim, under the same settings. A process that lost its claim may have replaced newer
 * values in the remote service by sending late, so the present values are noted once more.
 */
async function isHeld(client: PoolClient, { projectId, workerId, revision }: Claim, head: Head): Promise<boolean> {
  const { rows } = await client.query<{ mine: boolean; same: boolean }>(
    `select claimed_by is not distinct from $2 as mine, revision = $3 as same from remote where project_id = $1 for no key update`,
    [projectId, workerId, revision],
  );
  const [found] = rows;
  if (found === undefined) return false;
  if (found.mine) return found.same;
  const sent = head.readings;
  await client.query(NOTE_AGAIN, [projectId, sent.map(({ series }) => series), sent.map(({ at }) => at)]);
  return false;
}

const record = ({ outgoing, reason, message }: RefusedThere, place: number): Record<string, unknown> => ({
  stream: outgoing.streamId,
  sensor: outgoing.reading.sensorId,
  variable: outgoing.reading.valueName,
  at: outgoing.at,
  raw: `${outgoing.reading.value}: ${reason}: ${message}`.slice(0, 500),
  place: place + 1,
});
