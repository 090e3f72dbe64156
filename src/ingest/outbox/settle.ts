import type { Database } from '../../database/database.ts';
import { printableJson } from '../../database/printable.ts';
import type { Delivered, RefusedThere } from './deliver.ts';
import type { Head } from './head.ts';

const REFUSALS_KEPT_PER_HOUR = 1_000;

const DELIVERED = `
  with gone as (delete from outbox where id = any($2::bigint[]) and project_id = $1)
  insert into delivery_sum as total (project_id, hour, requests, readings, refused)
  values ($1, date_trunc('hour', now(), 'UTC'), $3, $4, $5)
  on conflict (project_id, hour) do update set requests = total.requests + excluded.requests,
    readings = total.readings + excluded.readings, refused = total.refused + excluded.refused`;

const WELL = `
  update remote set failures = 0, held_until = null, last_fault = null, last_delivery_at = now(), batch = $2,
    waiting = greatest(0, waiting - $3)
  where project_id = $1`;

/** Of a stream they are counted with its other refusals; streams that were removed meanwhile have none any more. */
const REFUSED = `
  with given as (
    select * from jsonb_to_recordset($2::jsonb) as one (stream int, sensor text, variable text, at bigint, raw text, place int)),
  kept as (
    insert into refusal (stream_id, project_id, reason, sensor, variable, at, raw)
    select stream.id, $1, 'refused-there', sensor, variable, at_instant(given.at), raw
    from given left join stream on stream.id = given.stream
    where place + (select count(*) from refusal where project_id = $1 and noted_at >= date_trunc('hour', now(), 'UTC')) <= ${REFUSALS_KEPT_PER_HOUR}
    on conflict do nothing returning stream_id)
  insert into refusal_count as known (stream_id, reason, hour, refused, kept)
  select stream.id, 'refused-there', date_trunc('hour', now(), 'UTC'), count(*), (select count(*) from kept where stream_id = stream.id)
  from given join stream on stream.id = given.stream group by stream.id
  on conflict (stream_id, reason, hour) do update set refused = known.refused + excluded.refused, kept = known.kept + excluded.kept`;

/** What was sent late by a process that others had already replaced may have overwritten newer values: they go again. */
const SEND_AGAIN = `
  insert into outbox (project_id, readings, series, at, value, precision, labels)
  select $1, count(*), array_agg(series), array_agg(at), array_agg(value), array_agg(precision), array_agg(labels)
  from unnest($2::int[], $3::bigint[]) as sent (series, instant) join reading using (series)
  where reading.at = at_instant(sent.instant) having count(*) > 0`;

/** Takes what was delivered out of the outbox. @returns false where the claim of this process was lost meanwhile */
export async function settle(
  database: Database,
  { projectId, workerId }: { readonly projectId: number; readonly workerId: string },
  head: Head,
  { requests, refused, batch }: Delivered,
): Promise<boolean> {
  return await database.transaction(async (client) => {
    const { rowCount } = await client.query(
      'select from remote where project_id = $1 and claimed_by = $2 for no key update',
      [projectId, workerId],
    );
    if (!rowCount) {
      await client.query(SEND_AGAIN, [
        projectId,
        head.readings.map(({ series }) => series),
        head.readings.map(({ at }) => at),
      ]);
      return false;
    }
    const { length } = head.readings;
    await client.query(DELIVERED, [projectId, head.ids, requests, length - refused.length, refused.length]);
    if (refused.length > 0) await client.query(REFUSED, [projectId, printableJson(refused.map(record))]);
    await client.query(WELL, [projectId, batch, length]);
    return true;
  });
}

const record = ({ outgoing, reason, message }: RefusedThere, place: number): Record<string, unknown> => ({
  stream: outgoing.streamId,
  sensor: outgoing.reading.sensorId,
  variable: outgoing.reading.valueName,
  at: outgoing.at,
  raw: `${outgoing.reading.value}: ${reason}: ${message}`.slice(0, 500),
  place: place + 1,
});
