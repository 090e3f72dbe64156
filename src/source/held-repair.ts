import type { ClientBase } from 'pg';
import { parseDuration } from '../core/duration.ts';
import { HOUR, SECOND, formatInstant } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { argumentsOf } from '../core/source/source-name.ts';
import { rowsOf } from '../database/database.ts';

/** Points of held names of one source, and the backfill that asks for them once more. */
export interface HeldRepair {
  readonly sourceId: number;
  readonly source: string;
  readonly organisation: string;
  readonly points: number;
  /** ISO 8601; a range that holds all of the points, on the grid of the source. */
  readonly from: string;
  readonly to: string;
  readonly command: string;
}

/** A repair as a JSON document. */
export const repairDocument = ({ source, organisation, points, from, to, command }: HeldRepair) => ({
  source,
  organisation,
  points,
  from,
  to,
  command,
});

/** SQL: the points of held names that stand, by source and variable. The instants are µs. */
export const HELD_POINTS = `
  held_points as (
    select stream.source_id, sensor, variable, sum(cardinality(points))::bigint as points, max(noted_at) as noted_at,
      min(instant_of(hour) + ${HOUR / 2} + points[1]) as first, max(instant_of(hour) + ${HOUR / 2} + points[cardinality(points)]) as last
    from refused_hour join stream on stream.id = stream_id join source on source.id = stream.source_id
    where project_id = $1 and retired_at is null and reason = 'name-held-back' group by 1, 2, 3)`;

/** SQL condition: a row of `held_points` is of a row of `held_name`. */
export const OF_HELD = `held_points.source_id = held_name.source_id
  and held_points.sensor = held_name.holder::jsonb ->> 0 and held_points.variable = held_name.holder::jsonb ->> 1`;

/** SQL condition: a held name has this sensorId and valueName, each as a pattern of LIKE; null is any. */
export const NAMED = `($2::text is null or sensor_id like $2) and ($3::text is null or value_name like $3)`;

interface Row extends Record<string, unknown> {
  readonly sourceId: number;
  readonly source: string;
  readonly organisation: string;
  readonly align: string | null;
  readonly every: Microseconds;
  readonly points: number | null;
  readonly first: Instant | null;
  readonly last: Instant | null;
}

/** The sources of a project that brought held names (`NAMED`), each with the backfill that repairs its points. */
export async function heldRepairs(
  client: ClientBase,
  projectId: number,
  [sensor, value]: readonly [string | null, string | null] = [null, null],
): Promise<HeldRepair[]> {
  const rows = await rowsOf<Row>(
    client,
    `with ${HELD_POINTS}
     select source.id as "sourceId", source.name as source, source.organisation_id as organisation,
       config #>> '{schedule,align}' as align, every_us as every,
       sum(points)::bigint as points, min(first) as first, max(last) as last
     from held_name join source on source.id = held_name.source_id left join held_points on ${OF_HELD}
     where held_name.project_id = $1 and ${NAMED} group by source.id order by 1`,
    [projectId, sensor, value],
  );
  return rows.map(({ align: written, every, first, last, points, ...source }) => {
    const align = parseDuration(written ?? '') ?? Math.min(SECOND, every);
    const from = formatInstant(Math.floor((first ?? 0) / align) * align);
    const to = formatInstant((Math.floor((last ?? 0) / align) + 1) * align);
    const named = argumentsOf({ name: source.source, organisation: source.organisation });
    const command = `databridge backfill start ${named} --from ${from} --to ${to} --again`;
    return { ...source, points: points ?? 0, from, to, command };
  });
}
