import type { ClientBase } from 'pg';
import { parseDuration } from '../core/duration.ts';
import { HOUR, SECOND, formatInstant } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { givenNames } from '../core/mapping.ts';
import { argumentsOf } from '../core/source/source-name.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { rowsOf } from '../database/database.ts';
import { nameOfSeries } from '../ingest/new-names.ts';

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
  readonly sensor: string;
  readonly variable: string;
  readonly points: number;
  readonly first: Instant;
  readonly last: Instant;
}

interface SourceRow extends Pick<HeldRepair, 'sourceId' | 'source' | 'organisation'>, Record<string, unknown> {
  readonly sensors: SourceConfig['sensors'] | null;
  readonly align: string | null;
  readonly every: Microseconds;
}

/**
 * The sources of a project that have refused points of held names, each with the backfill that repairs them, in the order of the
 * sources. `names`: by `nameOfSeries`, only points to which the source gives one of these names now; without it all.
 */
export async function heldRepairs(
  client: ClientBase,
  projectId: number,
  names?: ReadonlySet<string>,
): Promise<HeldRepair[]> {
  const rows = await rowsOf<Row>(
    client,
    `with ${HELD_POINTS}
     select source_id as "sourceId", sensor, variable, points, first, last from held_points where points > 0`,
    [projectId],
  );
  const bySource = Map.groupBy(rows, ({ sourceId }) => sourceId);
  const sources = await rowsOf<SourceRow>(
    client,
    `select id as "sourceId", name as source, organisation_id as organisation, config -> 'sensors' as sensors,
       config #>> '{schedule,align}' as align, every_us as every
     from source where id = any($1) order by id`,
    [[...bySource.keys()]],
  );
  return sources.flatMap(({ sensors, align: written, every, ...source }) => {
    const nameOf = givenNames(sensors ?? 'all');
    const points = (bySource.get(source.sourceId) ?? []).filter(({ sensor, variable }) => {
      const name = nameOf(sensor, variable);
      return names === undefined || (name !== undefined && names.has(nameOfSeries(name)));
    });
    if (points.length === 0) return [];
    const align = parseDuration(written ?? '') ?? Math.min(SECOND, every);
    const first = points.reduce((least, one) => Math.min(least, one.first), Infinity);
    const last = points.reduce((most, one) => Math.max(most, one.last), -Infinity);
    const from = formatInstant(Math.floor(first / align) * align);
    const to = formatInstant((Math.floor(last / align) + 1) * align);
    const named = argumentsOf({ name: source.source, organisation: source.organisation });
    const command = `databridge backfill start ${named} --from ${from} --to ${to} --what all`;
    return [{ ...source, points: points.reduce((sum, one) => sum + one.points, 0), from, to, command }];
  });
}
