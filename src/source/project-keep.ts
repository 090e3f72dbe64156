import { audit } from '../access/audit.ts';
import { parseDuration } from '../core/duration.ts';
import { configInvalid } from '../core/errors.ts';
import { DAY, formatInstant, instantOrNull } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { keepInWords, parseKeep } from '../core/keep.ts';
import { LOOK_BACK_AT_MOST } from '../core/look-back.ts';
import type { Database } from '../database/database.ts';
import { KEPT_LENGTH } from '../upkeep/kept-bound.ts';
import { oldReadings } from '../upkeep/retention.ts';
import type { OldReadings } from '../upkeep/retention.ts';
import { projectRoom } from './project-room.ts';
import type { WantedProject } from './project-room.ts';

/** Why nothing of a project may be removed, and who said so. */
export interface Hold {
  readonly reason: string;
  readonly by: string;
  readonly at: Instant;
}

/** How long a project keeps its readings. */
export interface ProjectKeep extends WantedProject {
  readonly id: number;
  /** Such as `3y`; null: for ever. */
  readonly keep: string | null;
  /** The project keeps the readings from this instant on; null: all readings. */
  readonly keptFrom: Instant | null;
  readonly hold: Hold | null;
}

const KEEPS = `
  select id, organisation_id as organisation, code, keep, instant_of(kept_from) as "keptFrom",
    case when hold_reason is not null then jsonb_build_object('reason', hold_reason, 'by', held_by, 'at', instant_of(held_at)) end as hold
  from ml_project`;

/** Throws `config-invalid` for an unknown project. */
export async function projectKeep(database: Database, wanted: WantedProject): Promise<ProjectKeep> {
  const { id } = await projectRoom(database, wanted);
  return (await database.row<ProjectKeep & Record<string, unknown>>(`${KEEPS} where id = $1`, [id])) as ProjectKeep;
}

/** The projects on hold, by organisation and code. */
export const heldProjects = (database: Database): Promise<(ProjectKeep & { readonly hold: Hold })[]> =>
  database.rows<ProjectKeep & { hold: Hold } & Record<string, unknown>>(
    `${KEEPS} where hold_reason is not null order by 2, 3`,
  );

/** Longer than anything that asks for time again, so that no reading is asked for, found late or delivered when it is gone. */
const LEAST_DAYS = 35;
/** What a look for late data may need besides `lookBackAtMost` and `overlap`. */
const BESIDES_DAYS = 5;

/**
 * Sets how long a project keeps its readings, such as `3y`, or `forever`. With `dryRun` nothing is set. What goes is counted only where that
 * is asked for, because it takes a while. What was removed stays so under a longer length. Throws `config-invalid` for an unknown project, for a length that is none, and for one
 * that is shorter than looks for late data may reach.
 */
export async function setKeep(
  database: Database,
  wanted: WantedProject,
  { keep: text, dryRun, actor }: { readonly keep: string; readonly dryRun: boolean; readonly actor: string },
): Promise<ProjectKeep & { readonly old: OldReadings | null }> {
  const parsed = parseKeep(text);
  if (parsed === undefined)
    throw configInvalid(
      `${JSON.stringify(text)} is no length of time to keep readings`,
      'give a number of days, weeks, months or years up to 100y, such as 90d, 26w, 18mo or 3y, or forever',
      'keep',
    );
  const keep = parsed.keep ?? null;
  const before = await projectKeep(database, wanted);
  if (keep !== null) await assertLongEnough(database, before, keep);
  if (dryRun) return { ...before, keep, old: await oldReadings(database, before.id, keep) };
  await database.transaction(async (client) => {
    await client.query('update ml_project set keep = $2 where id = $1', [before.id, keep]);
    await audit(client, actor, 'project.keep', wanted.code, {
      organisation: wanted.organisation,
      before: keepInWords(before.keep),
      after: keepInWords(keep),
    });
  });
  return { ...(await projectKeep(database, wanted)), old: null };
}

async function assertLongEnough(database: Database, { id }: ProjectKeep, keep: string): Promise<void> {
  const sources = await database.rows<{ name: string; written: (string | null)[] }>(
    `select name, array[config #>> '{schedule,lookBackAtMost}', config #>> '{schedule,overlap}'] as written from source where project_id = $1`,
    [id],
  );
  const reaches = sources.map(({ name, written: [lookBack, overlap] }) => {
    const lengths = [lookBack ?? LOOK_BACK_AT_MOST, overlap ?? '0s'].map((text) => parseDuration(text) ?? 0);
    return { name, days: Math.ceil(Math.max(...lengths) / DAY) };
  });
  const farthest = reaches.toSorted((one, other) => other.days - one.days)[0] ?? { name: '', days: 0 };
  const least = Math.max(LEAST_DAYS, farthest.days + BESIDES_DAYS);
  const row = await database.row<{ days: number }>(
    `select floor(extract(epoch from now() - date_trunc('day', now() - ${KEPT_LENGTH}, 'UTC')) / 86400)::int as days from (select $1::text as keep) as given`,
    [keep],
  );
  if (row === undefined || row.days >= least) return;
  const why =
    least === LEAST_DAYS
      ? ''
      : `, because source ${farthest.name} looks for late data up to ${farthest.days} days back`;
  throw configInvalid(`readings are kept for at least ${least} days${why}`, `give ${least}d or more`, 'keep');
}

/** The longest reason of a hold, in characters. */
export const LONGEST_REASON = 500;

/**
 * Puts a project on hold, so that nothing of it is removed, or ends that (`reason` undefined). It returns when no removal is under way. Throws
 * `config-invalid` for an unknown project and for a reason that says nothing. @returns whether it was so before, and the project
 */
export async function setHold(
  database: Database,
  wanted: WantedProject,
  { reason, actor }: { readonly reason: string | undefined; readonly actor: string },
): Promise<{ readonly changed: boolean; readonly project: ProjectKeep }> {
  if (reason !== undefined && (reason.trim() === '' || reason.length > LONGEST_REASON))
    throw configInvalid('a hold needs a reason', `give one of at most ${LONGEST_REASON} characters`, 'reason');
  const { id } = await projectKeep(database, wanted);
  const changed = await database.transaction(async (client) => {
    // Removals share a lock on the row, each for a moment.
    await client.query('select from ml_project where id = $1 for update', [id]);
    const { rows } = await client.query<{ before: string | null }>(
      `update ml_project set hold_reason = $2, held_by = case when $2 is not null then $3 end, held_at = case when $2 is not null then now() end
       where id = $1 and hold_reason is distinct from $2 returning old.hold_reason as before`,
      [id, reason ?? null, actor],
    );
    const [row] = rows;
    if (row === undefined) return false;
    await audit(client, actor, reason === undefined ? 'project.hold-ended' : 'project.held', wanted.code, {
      organisation: wanted.organisation,
      before: row.before,
      after: reason ?? null,
    });
    return true;
  });
  return { changed, project: await projectKeep(database, wanted) };
}

/** What of a project goes, as a JSON document. */
export const oldDocument = ({ bound, ...old }: OldReadings) => ({ before: instantOrNull(bound), ...old });

/** How long a project keeps its readings, as a JSON document. */
export const keepDocument = ({ code, organisation, keep, keptFrom, hold }: ProjectKeep) => ({
  code,
  organisation,
  keep: keepInWords(keep),
  keptFrom: instantOrNull(keptFrom),
  hold: hold === null ? null : { ...hold, at: formatInstant(hold.at) },
});
