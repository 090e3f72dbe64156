import type { ClientBase } from 'pg';
import type { SeriesRefusal } from '../core/reading.ts';
import type { Instant } from '../core/instant.ts';
import { rowsOf } from '../database/database.ts';

/** A name that may be new, and the readings of it that were brought. */
export interface BroughtName {
  readonly sensorId: string;
  readonly valueName: string;
  /** JSON of sensor and variable, as the platform of a source calls them. */
  readonly holder?: string;
  /** Readings of a push. Points of a source are counted where its window is stored. */
  readonly readings?: number;
  readonly first?: Instant;
  readonly last?: Instant;
}

/** The source or the application that brings names. */
export type Bringer = { readonly sourceId: number } | { readonly applicationId: string };

/**
 * At most this many held names of a project are listed, each once for every source or application that brings it. Points of further
 * names are refused and counted all the same.
 */
export const MOST_HELD_NAMES = 10_000;

/** The name of a series in its project as one text. */
export const nameOfSeries = ({ sensorId, valueName }: Pick<BroughtName, 'sensorId' | 'valueName'>): string =>
  `${sensorId}\n${valueName}`;

/** The owner of each name that has a series now, and why each other name has none. Both by `nameOfSeries`. */
export interface AdmittedNames {
  readonly owners: ReadonlyMap<string, string>;
  readonly refused: ReadonlyMap<string, SeriesRefusal>;
}

/** Names that one source or application brings. A series without an owner gets `owner`. */
export interface Brought {
  readonly owner: string;
  readonly names: readonly BroughtName[];
  readonly bringer: Bringer;
}

/** `admitAll` for one who brings names. */
export const admitNames = (
  client: ClientBase,
  { projectId, ...brought }: Brought & { readonly projectId: number },
): Promise<AdmittedNames> => admitAll(client, projectId, [brought]);

/**
 * Gives names their series, in the transaction of `client`: the only place that makes series of readings. A name that several
 * bring belongs to the first. New names of a locked project are held back, and those beyond the quota of the project are refused.
 * Only processes that make series wait for each other, and only in one project.
 */
export async function admitAll(client: ClientBase, projectId: number, all: readonly Brought[]): Promise<AdmittedNames> {
  const owners = new Map<string, string>();
  const refused = new Map<string, SeriesRefusal>();
  const names = new Map<string, OwnedName>();
  for (const { owner, names: given } of all) {
    for (const name of given) if (!names.has(nameOfSeries(name))) names.set(nameOfSeries(name), { ...name, owner });
  }
  const missing = (): OwnedName[] => [...names].flatMap(([key, name]) => (owners.has(key) ? [] : [name]));
  const take = async (statement: string, more: readonly unknown[] = []): Promise<void> => {
    const wanted = missing();
    if (wanted.length === 0) return;
    const rows = await rowsOf<Owned>(client, statement, [projectId, ...ownedColumnsOf(wanted), ...more]);
    for (const row of rows) owners.set(nameOfSeries(row), row.owner);
  };
  const refuse = (reason: SeriesRefusal): void => {
    for (const name of missing()) refused.set(nameOfSeries(name), reason);
  };

  await client.query(TAKE, [projectId, ...ownedColumnsOf([...names.values()])]);
  await take(KNOWN);
  if (owners.size === names.size) return { owners, refused };
  // A look without a lock, so that applications which go on sending refused names do not keep each other waiting.
  let room = await roomOf(client, projectId, '');
  if (!room.locked && room.free > 0) {
    room = await roomOf(client, projectId, 'for no key update');
    // Another process may have made some of them while this one waited.
    await take(KNOWN);
  }
  if (room.locked) {
    refuse('name-held-back');
    for (const { names: given, bringer } of all) {
      await hold(
        client,
        projectId,
        given.filter((name) => !owners.has(nameOfSeries(name))),
        bringer,
      );
    }
    return { owners, refused };
  }
  if (room.free > 0) await take(MAKE, [room.free]);
  refuse('too-many-series');
  return { owners, refused };
}

const STORED = `
  select sensor_id as "sensorId", value_name as "valueName" from series
  join unnest($2::text[], $3::text[]) as given (sensor_id, value_name) using (sensor_id, value_name) where project_id = $1`;

/**
 * The names that have no series, each with the reason why `admitNames` would refuse it now; undefined where it would make the series.
 * Writes nothing. `made`: how many series more the project is taken to have.
 */
export async function judgeNewNames(
  client: ClientBase,
  projectId: number,
  names: readonly BroughtName[],
  made = 0,
): Promise<ReadonlyMap<string, SeriesRefusal | undefined>> {
  if (names.length === 0) return new Map();
  const stored = await rowsOf<BroughtName & Record<string, unknown>>(client, STORED, [projectId, ...columnsOf(names)]);
  const known = new Set(stored.map(nameOfSeries));
  const fresh = names.map(nameOfSeries).filter((name) => !known.has(name));
  const { locked, free } = await roomOf(client, projectId, '');
  const judged = (name: string, index: number): [string, SeriesRefusal | undefined] => {
    if (locked) return [name, 'name-held-back'];
    return [name, index < free - made ? undefined : 'too-many-series'];
  };
  return new Map(fresh.sort().map(judged));
}

/** The names that `admitNames` would refuse now, each with the reason. Writes nothing. */
export async function wouldRefuse(
  client: ClientBase,
  projectId: number,
  names: readonly BroughtName[],
): Promise<ReadonlyMap<string, SeriesRefusal>> {
  const judged = await judgeNewNames(client, projectId, names);
  return new Map([...judged].flatMap(([name, reason]) => (reason === undefined ? [] : [[name, reason] as const])));
}

interface Owned extends Pick<BroughtName, 'sensorId' | 'valueName'>, Record<string, unknown> {
  readonly owner: string;
}

interface OwnedName extends BroughtName {
  readonly owner: string;
}

const ownedColumnsOf = (names: readonly OwnedName[]): string[][] => [
  ...columnsOf(names),
  names.map(({ owner }) => owner),
];

const columnsOf = (names: readonly BroughtName[]): string[][] => [
  names.map(({ sensorId }) => sensorId),
  names.map(({ valueName }) => valueName),
];

interface Room {
  readonly locked: boolean;
  /** How many more series the project may have. */
  readonly free: number;
}

async function roomOf(client: ClientBase, projectId: number, lock: '' | 'for no key update'): Promise<Room> {
  const [room] = await rowsOf<Room & Record<string, unknown>>(
    client,
    `select locked, greatest(series_quota - series_made, 0) as free from ml_project where id = $1 ${lock}`,
    [projectId],
  );
  if (room === undefined) throw new Error(`there is no project ${projectId}`);
  return room;
}

const GIVEN = 'unnest($2::text[], $3::text[], $4::text[]) as given (sensor_id, value_name, given_owner)';

/** Writes in the order of names, here and below, so that two processes with the same names cannot deadlock. */
const TAKE = `
  with ownerless as (
    select series.id, given_owner from series join ${GIVEN} using (sensor_id, value_name)
    where project_id = $1 and owner is null order by sensor_id, value_name for no key update of series)
  update series set owner = given_owner from ownerless where series.id = ownerless.id and owner is null`;

const KNOWN = `
  select sensor_id as "sensorId", value_name as "valueName", owner from series join ${GIVEN} using (sensor_id, value_name)
  where project_id = $1 and owner is not null`;

/** A name that was held back before the project was unlocked is held back no more. */
const MAKE = `
  with made as (
    insert into series as known (project_id, sensor_id, value_name, owner)
    select $1::int, sensor_id, value_name, given_owner from (select * from ${GIVEN} order by 1, 2 limit $5) as first order by 1, 2, 3
    on conflict (project_id, sensor_id, value_name) do update set owner = coalesce(known.owner, excluded.owner)
    returning sensor_id, value_name, owner),
  counted as (update ml_project set series_made = series_made + (select count(*) from made) where id = $1),
  noted as (
    insert into series_hour as known (project_id, hour, made)
    select $1::int, date_trunc('hour', now(), 'UTC'), count(*) from made
    on conflict (project_id, hour) do update set made = known.made + excluded.made),
  forgotten as (delete from series_hour where project_id = $1 and hour < now() - interval '8 days'),
  freed as (
    delete from held_name using made where project_id = $1
      and held_name.sensor_id = made.sensor_id and held_name.value_name = made.value_name)
  select sensor_id as "sensorId", value_name as "valueName", owner from made`;

const BROUGHT = `
  brought as (
    select sensor_id, value_name, holder, readings, at_instant(first_us) as first_at, at_instant(last_us) as last_at
    from unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[])
      as given (sensor_id, value_name, holder, readings, first_us, last_us))`;

const HOLD_AGAIN = `
  with ${BROUGHT}, known as (
    select sensor_id, value_name from held_name join brought using (sensor_id, value_name)
    where project_id = $1 and (source_id = $8::int or application_id = $9::text) order by 1, 2 for update of held_name)
  update held_name as held set last_seen = now(), holder = brought.holder,
    readings = held.readings + brought.readings,
    first_at = least(held.first_at, brought.first_at), last_at = greatest(held.last_at, brought.last_at)
  from brought join known using (sensor_id, value_name)
  where held.project_id = $1 and (held.source_id = $8::int or held.application_id = $9::text)
    and held.sensor_id = brought.sensor_id and held.value_name = brought.value_name
  returning held.sensor_id as "sensorId", held.value_name as "valueName"`;

const HOLD_NEW = `
  with ${BROUGHT}
  insert into held_name (project_id, sensor_id, value_name, source_id, application_id, holder, readings, first_at, last_at)
  select $1::int, sensor_id, value_name, $8::int, $9::text, holder, readings, first_at, last_at
  from (select * from brought order by sensor_id, value_name
    limit greatest(0, ${MOST_HELD_NAMES} - (select count(*) from held_name where project_id = $1))) as first
  order by 1, 2, 3 on conflict do nothing`;

/** Lists held names, as many as there is room for. */
async function hold(
  client: ClientBase,
  projectId: number,
  names: readonly BroughtName[],
  bringer: Bringer,
): Promise<void> {
  if (names.length === 0) return;
  const values = (some: readonly BroughtName[]): unknown[] => [
    projectId,
    ...columnsOf(some),
    some.map(({ holder }) => holder ?? null),
    some.map(({ readings }) => readings ?? 0),
    some.map(({ first }) => first ?? null),
    some.map(({ last }) => last ?? null),
    'sourceId' in bringer ? bringer.sourceId : null,
    'applicationId' in bringer ? bringer.applicationId : null,
  ];
  const again = await rowsOf<Owned>(client, HOLD_AGAIN, values(names));
  const listed = new Set(again.map(nameOfSeries));
  const fresh = names.filter((name) => !listed.has(nameOfSeries(name)));
  if (fresh.length === 0) return;
  const [held] = await rowsOf<{ count: number }>(
    client,
    'select count(*) as count from held_name where project_id = $1',
    [projectId],
  );
  if ((held?.count ?? 0) >= MOST_HELD_NAMES) return;
  // Processes that list further names take turns, so that the bound holds.
  await roomOf(client, projectId, 'for no key update');
  await client.query(HOLD_NEW, values(fresh));
}
