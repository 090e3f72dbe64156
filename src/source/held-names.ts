import { audit } from '../access/audit.ts';
import { configInvalid } from '../core/errors.ts';
import { formatInstant, instantOrNull } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { ReasonSum } from '../core/kept-refusals.ts';
import type { FullName } from '../core/near-names.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { nameOfSeries } from '../ingest/new-names.ts';
import { HELD_POINTS, NAMED, OF_HELD, heldRepairs } from './held-repair.ts';
import type { HeldRepair } from './held-repair.ts';
import { projectRoom } from './project-room.ts';
import type { ProjectRoom, WantedProject } from './project-room.ts';
import { nearSeries } from './near-series.ts';
import { raiseRevisionsOf } from './revisions.ts';

/** A name that is held back, whoever brings it. */
export interface HeldName {
  readonly sensorId: string;
  readonly valueName: string;
  /** The source that brought it last; null for one that an application pushed. */
  readonly source: string | null;
  /** The id of the application that pushed it last. */
  readonly application: string | null;
  readonly firstSeen: Instant;
  readonly lastSeen: Instant;
  /** Points of a source that stand as refused, and readings of pushes, each as often as it was sent. */
  readonly refused: number;
  /** The first and the last instant of them. */
  readonly first: Instant | null;
  readonly last: Instant | null;
  /** Series of the project that it may be a misspelt form of, at most three. */
  readonly near: readonly FullName[];
}

/** The names that a command means; a sensorId and a valueName may hold `*` for any text. Undefined is any. */
export interface WantedNames {
  readonly sensorId?: string | undefined;
  readonly valueName?: string | undefined;
}

/**
 * The names that an operator chose to release: a sensorId or pattern, perhaps with a valueName, or all of the project. Throws
 * `config-invalid` where neither or both are given, because a forgotten name must not release all of them.
 */
export function namesToRelease({ sensorId, valueName, all }: WantedNames & { readonly all: boolean }): WantedNames {
  if ((sensorId === undefined) === all && (valueName === undefined || !all)) return { sensorId, valueName };
  throw configInvalid(
    'name the held names',
    'give a sensorId or a pattern such as "pump-*", and perhaps a valueName, or say that all are meant (--all)',
    'sensorId',
  );
}

/** One page of held names. */
interface HeldPage extends WantedNames {
  /** Only names that this source brings. */
  readonly sourceId?: number | undefined;
  /** Only names that this application pushes. */
  readonly applicationId?: string | undefined;
  readonly limit: number;
  /** How many names come before the page. */
  readonly skip?: number | undefined;
  /** The page begins behind this name, also where it is held no more. */
  readonly after?: FullName | undefined;
}

const like = (pattern: string | undefined): string | null =>
  pattern === undefined ? null : pattern.replaceAll(/[\\%_]/g, '\\$&').replaceAll('*', '%');

const patternsOf = ({ sensorId, valueName }: WantedNames): [string | null, string | null] => [
  like(sensorId),
  like(valueName),
];

const LATEST = 'seen desc, source_id, application_id';

/** A page of the held names of a project, in the order of their names. */
export async function heldNames(
  database: Database,
  projectId: number,
  { limit, skip = 0, after, sourceId, applicationId, ...wanted }: HeldPage,
): Promise<HeldName[]> {
  const names = await database.rows<Omit<HeldName, 'near'> & Record<string, unknown>>(
    `with ${HELD_POINTS},
     held as (
       select held_name.*, source.name as source, greatest(last_seen, noted_at) as seen, points, first, last
       from held_name left join source on source.id = held_name.source_id left join held_points on ${OF_HELD}
       where held_name.project_id = $1 and ${NAMED} and ($8::text is null or (sensor_id, value_name) > ($8, $9::text)))
     select sensor_id as "sensorId", value_name as "valueName", (array_agg(source order by ${LATEST}))[1] as source,
       (array_agg(application_id order by ${LATEST}))[1] as application,
       instant_of(min(first_seen)) as "firstSeen", instant_of(max(seen)) as "lastSeen",
       sum(readings + coalesce(points, 0))::bigint as refused,
       min(least(first, instant_of(first_at))) as first, max(greatest(last, instant_of(last_at))) as last
     from held group by 1, 2
     having ($6::int is null or bool_or(source_id = $6)) and ($7::text is null or bool_or(application_id = $7))
     order by 1, 2 limit $4 offset $5`,
    [
      projectId,
      ...patternsOf(wanted),
      limit,
      skip,
      sourceId ?? null,
      applicationId ?? null,
      after?.sensorId ?? null,
      after?.valueName ?? null,
    ],
  );
  const near = await nearSeries(database, projectId, names);
  return names.map((name) => ({ ...name, near: near.get(name) ?? [] }));
}

/** A held name as a JSON document, with each instant as text. */
export const heldNameDocument = (name: HeldName) => ({
  ...name,
  firstSeen: formatInstant(name.firstSeen),
  lastSeen: formatInstant(name.lastSeen),
  first: instantOrNull(name.first),
  last: instantOrNull(name.last),
});

/** The held names of a source or application that resemble series of its project, at most `MOST_LOOKED_AT` names looked at. */
export async function resembling(
  database: Database,
  by: { readonly sourceId: number } | { readonly applicationId: string },
): Promise<HeldName[]> {
  const projects = await database.rows<{ id: number }>(
    'select distinct project_id as id from held_name where source_id = $1 or application_id = $2 order by 1',
    'sourceId' in by ? [by.sourceId, null] : [null, by.applicationId],
  );
  const found: HeldName[] = [];
  for (const { id } of projects) found.push(...(await heldNames(database, id, { ...by, limit: MOST_LOOKED_AT })));
  return found.filter(({ near }) => near.length > 0);
}

const MOST_LOOKED_AT = 1_000;

/** The same beside its refusals; none where none of them is of a held name. */
export const resemblingIn = async (
  database: Database,
  { reasons }: { readonly reasons: readonly ReasonSum[] },
  by: Parameters<typeof resembling>[1],
): Promise<HeldName[]> =>
  reasons.some(({ reason }) => reason === 'name-held-back') ? await resembling(database, by) : [];

/** The same as a field of a document; no field where there are none. */
export const resemblingDocument = (held: readonly HeldName[]) =>
  held.length === 0 ? {} : { resembling: held.map(({ sensorId, valueName, near }) => ({ sensorId, valueName, near })) };

/** The answer to a release. */
export interface Released {
  readonly released: number;
  /** The sources whose points of these names are asked for once more, each with its backfill. */
  readonly repairs: readonly HeldRepair[];
  /** Applications that pushed some of the names. Only they can send those readings again. */
  readonly applications: readonly string[];
  readonly room: ProjectRoom;
}

const LISTED = 'databridge project names PROJECT lists the held names';

/**
 * Gives held names their series, which belong to the first source or application that writes them. All sources of the project
 * go on under a new revision. Throws `config-invalid` for an unknown project, where no such name is held, and where the quota is too small.
 */
export async function releaseNames(
  database: Database,
  project: WantedProject,
  wanted: WantedNames,
  actor: string,
): Promise<Released> {
  const { id } = await projectRoom(database, project);
  const patterns = patternsOf(wanted);
  const done = await database.transaction(async (client) => {
    // Sources, the project, series: locked in this order everywhere.
    await raiseRevisionsOf(client, id);
    const [room] = await rowsOf<{ quota: number; made: number }>(
      client,
      'select series_quota as quota, series_made as made from ml_project where id = $1 for no key update',
      [id],
    );
    const freed = await rowsOf<FullName & { application: string | null } & Record<string, unknown>>(
      client,
      `with freed as (delete from held_name where project_id = $1 and ${NAMED} returning sensor_id, value_name, application_id),
       made as (insert into series (project_id, sensor_id, value_name)
         select distinct $1::int, sensor_id, value_name from freed order by 2, 3 on conflict do nothing returning id),
       counted as (update ml_project set series_made = series_made + (select count(*) from made) where id = $1)
       select sensor_id as "sensorId", value_name as "valueName", application_id as application from freed`,
      [id, ...patterns],
    );
    if (freed.length === 0) throw configInvalid('no such name is held back', LISTED, 'sensorId');
    const names = new Set(freed.map(nameOfSeries));
    const { quota, made } = room ?? { quota: 0, made: 0 };
    if (made + names.size > quota) throw quotaTooSmall(project, made + names.size, quota);
    const { sensorId = '*', valueName = '*' } = wanted;
    const { organisation, code } = project;
    await audit(client, actor, 'project.released', code, { organisation, sensorId, valueName, names: names.size });
    const applications = [...new Set(freed.flatMap(({ application }) => application ?? []))].sort();
    return { released: names.size, repairs: await heldRepairs(client, id, names), applications };
  });
  return { ...done, room: await projectRoom(database, project) };
}

const quotaTooSmall = ({ code }: WantedProject, needed: number, quota: number): Error =>
  configInvalid(
    `the project would have ${needed} series, and its quota is ${quota}`,
    `release fewer names, or raise the quota: databridge project quota ${code} ${needed}`,
  );
