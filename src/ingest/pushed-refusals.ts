import { configInvalid } from '../core/errors.ts';
import type { Refusal } from '../core/batch.ts';
import type { OfProject, ReasonSum, RefusalChoice, RefusalSum } from '../core/kept-refusals.ts';
import type { RefusalReason } from '../core/reading.ts';
import type { Database } from '../database/database.ts';
import { gathering } from '../database/gathering.ts';
import { printableJson } from '../database/printable.ts';
import { REFUSALS_KEPT_PER_HOUR, refusalRows } from './refusals.ts';

/** The refused readings of one push. */
export interface RefusedPush {
  readonly applicationId: string;
  readonly projectId: number;
  /** Number of refused readings by reason. */
  readonly refused: ReadonlyMap<RefusalReason, number>;
  readonly examples: readonly Refusal[];
}

/**
 * Counts the refused readings of pushes by application, project and hour, and keeps examples within the limit. The answer
 * of a push waits for it, so whatever a client was told is counted. A reading that is sent again and refused again counts
 * again, and is kept once; several values for one instant are kept one by one.
 *
 * Counts come in the order of their keys, so that two processes never wait for each other in a ring.
 */
const KEEP = `
  with given as (
    select application, project, reason, sum(refused) as refused
    from jsonb_to_recordset($1::jsonb) as one (application text, project int, reason text, refused bigint) group by 1, 2, 3),
  shown as (
    insert into refusal (application_id, project_id, reason, sensor, variable, at, raw)
    select application, project, reason, sensor, variable, at, raw
    from jsonb_to_recordset($2::jsonb) as example (application text, project int, reason text, sensor text, variable text,
      at timestamptz, raw text, place int)
    where place + coalesce((select kept from refusal_count where application_id = application and project_id = project
      and refusal_count.reason = example.reason and hour = date_trunc('hour', now(), 'UTC')), 0) <= ${REFUSALS_KEPT_PER_HOUR}
    order by application, project, reason, sensor, variable, at, raw
    on conflict do nothing returning application_id, project_id, reason)
  insert into refusal_count as known (application_id, project_id, reason, hour, refused, kept)
  select application, project, reason, date_trunc('hour', now(), 'UTC'), refused,
    (select count(*) from shown where application_id = application and project_id = project and shown.reason = given.reason)
  from given order by application, project, reason
  on conflict (application_id, project_id, reason, hour) where application_id is not null
    do update set refused = known.refused + excluded.refused, kept = known.kept + excluded.kept`;

/** One for each process. Pushes that arrive while a statement is under way share the next one. */
export function pushedRefusals(database: Database): (push: RefusedPush) => Promise<void> {
  const keep = gathering<RefusedPush, true>(async (pushes) => {
    await database.run(KEEP, [printableJson(pushes.flatMap(countsOf)), printableJson(pushes.flatMap(rowsOf))]);
    return new Map(pushes.map((push) => [push, true]));
  });
  return async (push) => {
    await keep(push);
  };
}

const keyOf = ({ applicationId, projectId }: RefusedPush) => ({ application: applicationId, project: projectId });

const countsOf = (push: RefusedPush) =>
  [...push.refused].map(([reason, refused]) => ({ ...keyOf(push), reason, refused }));

const rowsOf = (push: RefusedPush) => refusalRows(push.examples).map((row) => ({ ...keyOf(push), ...row }));

/** The refused readings of an application that are asked for. */
export interface WantedPushRefusals extends RefusalChoice {
  readonly applicationId: string;
}

/** Refused readings of pushes. */
export interface PushRefusals {
  /** By reason, the most frequent one first. All that clients were told are counted, except where `sensor`, `from` or `to` narrows them to kept ones. */
  readonly reasons: readonly ReasonSum[];
  /** The kept ones by project, variable and reason, those with most readings first. */
  readonly series: readonly (RefusalSum & OfProject)[];
}

const KEPT = `
  kept as (
    select code as project, reason, sensor, variable, at, raw from refusal join ml_project on ml_project.id = project_id
    where application_id = $1 and ($2::text is null or reason = $2) and ($3::text is null or sensor = $3)
      and ($4::bigint is null or at >= at_instant($4)) and ($5::bigint is null or at < at_instant($5)))`;

/** The refused readings of an application, at most `limit` variables of them. Throws `config-invalid` for an unknown application. */
export async function pushRefusalsOf(
  database: Database,
  wanted: WantedPushRefusals,
  limit: number,
): Promise<PushRefusals> {
  const { applicationId, reason, sensor, from, to, after } = wanted;
  if (!(await database.row('select from application where id = $1', [applicationId]))) {
    throw configInvalid(
      `there is no application ${JSON.stringify(applicationId)}`,
      'databridge application list shows all applications with their ids',
    );
  }
  const values = [applicationId, reason ?? null, sensor ?? null, from ?? null, to ?? null];
  const series = await database.rows<RefusalSum & OfProject & Record<string, unknown>>(
    `with ${KEPT}, summed as (
       select project, reason, sensor, variable, count(*) as refused, instant_of(min(at)) as first, instant_of(max(at)) as last
       from kept group by 1, 2, 3, 4
       having $7::bigint is null or (-count(*), project, reason, sensor, variable) > (-$7::bigint, $8, $9, $10, $11)
       order by refused desc, 1, 2, 3, 4 limit $6),
     placed as (
       select *, row_number() over (partition by project, reason, sensor, variable order by at, raw) as place,
         count(*) over (partition by project, reason, sensor, variable) as number from kept)
     select summed.*, (
       select jsonb_agg(jsonb_build_object('at', instant_of(at), 'raw', raw) order by place) from placed
       where (placed.project, placed.reason, placed.sensor, placed.variable) = (summed.project, summed.reason, summed.sensor, summed.variable)
         and place in (1, (number + 1) / 2, number)) as examples
     from summed order by refused desc, project, reason, sensor, variable`,
    [...values, limit, ...(after ?? [null, null, null, null, null])],
  );
  const isNarrowed = sensor !== undefined || from !== undefined || to !== undefined;
  const reasons = await database.rows<ReasonSum & Record<string, unknown>>(
    `with ${KEPT}, counted as (
       select reason, sum(refused)::bigint as refused from refusal_count
       where not $6 and application_id = $1 and ($2::text is null or reason = $2) group by 1)
     select reason, coalesce(min(counted.refused), count(kept.raw)) as refused, count(distinct (project, sensor, variable)) filter (where project is not null) as series,
       instant_of(min(at)) as first, instant_of(max(at)) as last
     from kept full join counted using (reason) group by 1 order by refused desc, 1`,
    [...values, isNarrowed],
  );
  return { series, reasons };
}
