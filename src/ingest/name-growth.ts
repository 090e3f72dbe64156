import type { ClientBase } from 'pg';
import type { Database } from '../database/database.ts';

/** How a project grows. */
export interface NameGrowth {
  readonly organisation: string;
  readonly code: string;
  readonly series: number;
  readonly quota: number;
  /** Series that were made in the present hour or the one before, whichever had more. */
  readonly made: number;
  /** Series that were made in an hour of the 7 days before, on average. */
  readonly usual: number;
}

/** Ours: a project is told to be nearly full from this share of its quota on. */
const NEARLY_FULL = 0.8;

/** Ours: so many new names in an hour are nothing strange, such as those of a machine that is connected. */
const FEW_NAMES = 100;
const MUCH_FASTER = 10;

const GROWTH = `
  select organisation_id as organisation, code, series_made as series, series_quota as quota,
    coalesce(newest.made, 0) as made, coalesce(earlier.made, 0)::float / (7 * 24) as usual
  from ml_project
  left join lateral (
    select max(made) as made from series_hour
    where project_id = ml_project.id and hour >= date_trunc('hour', now(), 'UTC') - interval '1 hour') as newest on true
  left join lateral (
    select sum(made) as made from series_hour
    where project_id = ml_project.id and hour < date_trunc('hour', now(), 'UTC') - interval '1 hour'
      and hour >= date_trunc('hour', now(), 'UTC') - interval '169 hours') as earlier on true`;

const STRAINED = `series >= ${NEARLY_FULL} * quota or made > greatest(${FEW_NAMES}, ${MUCH_FASTER} * usual)`;

/** How one project grows. */
export const growthOf = (database: Database, projectId: number): Promise<NameGrowth | undefined> =>
  database.row<NameGrowth & Record<string, unknown>>(`${GROWTH} where id = $1`, [projectId]);

/** The projects that near their quota, or get new names faster than before. */
export const strainedProjects = (database: Database): Promise<NameGrowth[]> =>
  database.rows<NameGrowth & Record<string, unknown>>(
    `select * from (${GROWTH}) as growth where ${STRAINED} order by organisation, code`,
  );

/** The same, each project once an hour for all processes together. */
export const strainedUntold = (database: Database): Promise<NameGrowth[]> =>
  database.transaction(async (client: ClientBase) => {
    const { rows } = await client.query<NameGrowth>(
      `with growth as (${GROWTH}),
       told as (
         update ml_project set names_told_at = now() from growth
         where ml_project.organisation_id = growth.organisation and ml_project.code = growth.code and (${STRAINED})
           and (names_told_at is null or names_told_at <= now() - interval '1 hour')
         returning growth.*)
       select * from told order by organisation, code`,
    );
    return rows;
  });

/** What an operator should know about the growth of a project, each with a remedy; none where all is well. */
export function growthWarnings(growth: NameGrowth): readonly { readonly message: string; readonly remedy: string }[] {
  const { organisation, code, series, quota, made, usual } = growth;
  const named = organisation === 'default' ? code : `${code} --organisation ${organisation}`;
  const warnings = [];
  if (series >= NEARLY_FULL * quota) {
    warnings.push({
      message: `project ${code} has ${series} series of at most ${quota}${series >= quota ? ': new names are refused' : ''}`,
      remedy: `if they are meant, databridge project quota ${named} NUMBER raises the quota`,
    });
  }
  if (made > Math.max(FEW_NAMES, MUCH_FASTER * usual)) {
    warnings.push({
      message: `project ${code} got ${made} new names in an hour, and ${usual < 1 ? 'less than one' : Math.round(usual)} in a usual one`,
      remedy: `if they are not meant, databridge project lock ${named} holds new names back`,
    });
  }
  return warnings;
}
