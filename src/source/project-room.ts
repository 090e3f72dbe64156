import type { ClientBase } from 'pg';
import { audit } from '../access/audit.ts';
import { configInvalid } from '../core/errors.ts';
import type { Database } from '../database/database.ts';
import { growthOf, growthWarnings } from '../ingest/name-growth.ts';
import { heldRepairs } from './held-repair.ts';
import type { HeldRepair } from './held-repair.ts';
import { raiseRevisionsOf } from './revisions.ts';

/** A project as an operator names it in a command. */
export interface WantedProject {
  readonly organisation: string;
  readonly code: string;
}

/** A project, and whether it takes new series. */
export interface ProjectRoom extends WantedProject {
  readonly id: number;
  /** New names are held back until an operator releases them. */
  readonly locked: boolean;
  /** The most series that it may have. */
  readonly quota: number;
  readonly series: number;
  /** Names that are held back and listed. */
  readonly held: number;
}

/** A project with its room. Throws `config-invalid` where there is none of that code. */
export async function projectRoom(database: Database, { organisation, code }: WantedProject): Promise<ProjectRoom> {
  const row = await database.row<ProjectRoom & Record<string, unknown>>(
    `select id, organisation_id as organisation, code, locked, series_quota as quota, series_made as series,
       (select count(distinct (sensor_id, value_name)) from held_name where project_id = id) as held
     from ml_project where organisation_id = $1 and code = $2`,
    [organisation, code],
  );
  if (row) return row;
  throw configInvalid(
    `organisation ${organisation} has no project ${JSON.stringify(code)}`,
    'databridge project list shows all projects; databridge project create makes a new one',
    'project',
  );
}

/** A project with its room and its growth, as a JSON document. Throws `config-invalid` where there is none of that code. */
export async function showProject(database: Database, wanted: WantedProject) {
  const room = await projectRoom(database, wanted);
  const growth = await growthOf(database, room.id);
  return {
    ...room,
    /** Series that were made in the present hour or the one before, and in an hour of the 7 days before on average. */
    newInHour: growth?.made ?? 0,
    newInUsualHour: growth?.usual ?? 0,
    warnings: growth === undefined ? [] : growthWarnings(growth),
  };
}

/**
 * Locks a project, so that names without a series are held back, or unlocks it. Held names become series then as soon as they come
 * again, because all sources go on under a new revision; the answer names the backfills that ask for their past. Throws `config-invalid` for an unknown project.
 */
export async function setLocked(
  database: Database,
  wanted: WantedProject,
  locked: boolean,
  actor: string,
): Promise<{ readonly changed: boolean; readonly room: ProjectRoom; readonly repairs: readonly HeldRepair[] }> {
  const { id, locked: wasLocked } = await projectRoom(database, wanted);
  const done = await database.transaction(async (client) => {
    // Sources are locked before projects, and projects before series, as where a source gives names (pull/sensors/series-names.ts).
    if (wasLocked && !locked) await raiseRevisionsOf(client, id);
    const { rowCount } = await client.query('update ml_project set locked = $2 where id = $1 and locked <> $2', [
      id,
      locked,
    ]);
    const change = { before: { locked: !locked }, after: { locked } };
    if (rowCount) await note(client, actor, locked ? 'project.locked' : 'project.unlocked', wanted, change);
    return { changed: Boolean(rowCount), repairs: locked ? [] : await heldRepairs(client, id) };
  });
  return { ...done, room: await projectRoom(database, wanted) };
}

/** More series than there are numbers for them in all projects together cannot be allowed. */
export const LARGEST_QUOTA = 1_000_000_000;

/**
 * Sets how many series a project may have. A quota below the present number takes no series away. Sources go on under a new
 * revision, so that they ask anew for names that were refused. Throws `config-invalid` for an unknown project, and for a quota that is
 * no whole number from 0 to `LARGEST_QUOTA`.
 */
export async function setQuota(
  database: Database,
  wanted: WantedProject,
  quota: number,
  actor: string,
): Promise<ProjectRoom> {
  if (!(Number.isInteger(quota) && quota >= 0 && quota <= LARGEST_QUOTA)) {
    throw configInvalid('a quota is a whole number', `give one from 0 to ${LARGEST_QUOTA}`, 'series');
  }
  const before = await projectRoom(database, wanted);
  await database.transaction(async (client) => {
    if (quota > before.quota) await raiseRevisionsOf(client, before.id);
    await client.query('update ml_project set series_quota = $2 where id = $1', [before.id, quota]);
    await note(client, actor, 'project.quota', wanted, { before: before.quota, after: quota });
  });
  return await projectRoom(database, wanted);
}

const note = (
  client: ClientBase,
  actor: string,
  action: string,
  { organisation, code }: WantedProject,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> => audit(client, actor, action, code, { organisation, ...detail });
