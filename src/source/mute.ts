import { audit } from '../access/audit.ts';
import { configInvalid } from '../core/errors.ts';
import { DAY } from '../core/instant.ts';
import type { Microseconds } from '../core/instant.ts';
import { argumentsOf } from '../core/source/source-name.ts';
import type { Database } from '../database/database.ts';
import { printable } from '../database/printable.ts';
import { reachOfSensor } from './coverage-rows.ts';
import type { FoundSource } from './find-source.ts';

/** The longest time for which a sensor is muted at once: a mute that is forgotten ends. */
const LONGEST_MUTE: Microseconds = 366 * DAY;

/**
 * Leaves a sensor out of the alert of silent sensors for `length` µs, at most a year, from the next look at it, within a minute; 0 ends
 * that. Throws `config-invalid` for a sensor that the source does not read. @returns the names of the sensor at the platform
 */
export async function muteSensor(
  database: Database,
  source: FoundSource,
  wish: { readonly sensor: string; readonly length: Microseconds; readonly reason: string; readonly actor: string },
): Promise<readonly string[]> {
  const { sensor, length, reason, actor } = wish;
  if (length > LONGEST_MUTE)
    throw configInvalid('a sensor is muted for a year at most', 'mute it for a shorter time, and again then', 'for');
  const { names, streams } = await reachOfSensor(database, source.id, sensor);
  if (streams.length === 0)
    throw configInvalid(
      `no stream reads a sensor ${sensor}`,
      `databridge source newest ${argumentsOf(source)} lists those that are read`,
      'sensor',
    );
  return await database.transaction(async (client) => {
    const { rows } = await client.query<{ sensor: string }>(
      `select distinct listed ->> 'id' as sensor from stream cross join jsonb_array_elements(sensors) as listed
       where stream.id = any($1) and listed ->> 'id' = any($2)`,
      [streams, names],
    );
    const muted = rows.map((row) => row.sensor);
    const before = await client.query<Record<string, unknown>>(
      `select sensor, muted_until, reason, muted_by from muted_sensor where source_id = $1 and sensor = any($2) for update`,
      [source.id, muted],
    );
    if (length > 0)
      await client.query(
        `insert into muted_sensor (source_id, sensor, muted_until, reason, muted_by)
         select $1, one, now() + $3 * interval '1 microsecond', $4, $5 from unnest($2::text[]) as one
         on conflict (source_id, sensor) do update
           set muted_until = excluded.muted_until, reason = excluded.reason, muted_by = excluded.muted_by`,
        [source.id, muted, length, printable(reason), printable(actor)],
      );
    else await client.query('delete from muted_sensor where source_id = $1 and sensor = any($2)', [source.id, muted]);
    await audit(client, actor, 'source.sensor-muted', source.name, {
      organisation: source.organisation,
      sensor,
      before: before.rows,
      length,
      ...(length > 0 && { reason }),
    });
    return muted;
  });
}
