import { configInvalid } from '../core/errors.ts';
import type { Refusal } from '../core/batch.ts';
import type { HourlyRefusals, KeptRefusal, OfProject } from '../core/kept-refusals.ts';
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
 * again, and is kept once.
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
    order by application, project, reason, sensor, variable, at
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

/**
 * The latest kept refusals of an application and its latest hourly counts, newest first. Throws `config-invalid` for an
 * unknown application.
 */
export async function pushRefusalsOf(
  database: Database,
  { applicationId, reason, limit }: { applicationId: string; reason: string | undefined; limit: number },
): Promise<{
  readonly kept: readonly (KeptRefusal & OfProject)[];
  readonly hours: readonly (HourlyRefusals & OfProject)[];
}> {
  if (!(await database.row('select from application where id = $1', [applicationId]))) {
    throw configInvalid(
      `there is no application ${JSON.stringify(applicationId)}`,
      'databridge application list shows all applications with their ids',
    );
  }
  const values = [applicationId, reason ?? null, limit];
  const kept = await database.rows<KeptRefusal & OfProject & Record<string, unknown>>(
    `select code as project, reason, sensor, variable, instant_of(at) as at, raw, instant_of(noted_at) as "notedAt"
     from refusal join ml_project on ml_project.id = project_id
     where application_id = $1 and ($2::text is null or reason = $2) order by noted_at desc, refusal.id desc limit $3`,
    values,
  );
  const hours = await database.rows<HourlyRefusals & OfProject & Record<string, unknown>>(
    `select code as project, instant_of(hour) as hour, reason, refused, kept
     from refusal_count join ml_project on ml_project.id = project_id
     where application_id = $1 and ($2::text is null or reason = $2) order by refusal_count.hour desc, 1, 3 limit $3`,
    values,
  );
  return { kept, hours };
}
