import type { ClientBase } from 'pg';
import { BridgeError } from '../../core/errors.ts';
import type { GivenName, SettledName } from '../../core/mapping.ts';
import { rowsOf } from '../../database/database.ts';
import type { Database } from '../../database/database.ts';
import { gathering } from '../../database/gathering.ts';
import { admitAll, nameOfSeries } from '../../ingest/new-names.ts';
import type { OpenSource } from '../open/open-source.ts';

/** At most this many names go into one statement, because a first window may bring a hundred thousand. */
const NAMES_PER_STATEMENT = 5_000;

/** Names of more than this many variables are stored alone, fewer together with those of other sources. */
const GATHERED_NAMES = 500;

/** Names that a source gave to variables. */
interface Given {
  readonly source: OpenSource;
  readonly names: readonly GivenName[];
}

/** Stores the names that the mapping of a source gave to variables; see `nameKeeper`. */
export type KeepNames = (source: OpenSource) => Promise<void>;

/**
 * Stores the names that the mappings of sources gave to variables, so that they hold for all processes and for good. Where
 * two processes gave one name to two variables, the first to store it keeps it, and the mapping of the other is corrected.
 * A name is also a series of the project, which belongs to the first source that gives it; the mapping of another source
 * refuses its points. So are those of a name that may not become a series (ingest/new-names.ts). A hand-over or release raises the revision of both sources, so the answers hold for as long as the source is open.
 * Sources that begin at a time share their statements.
 *
 * Throws `cancelled` where the source was changed or removed meanwhile, because its names may mean other variables now.
 */
export function nameKeeper(database: Database): KeepNames {
  const settle = (all: readonly Given[]): Promise<ReadonlyMap<Given, readonly SettledName[]>> => {
    // Streams of a source bring the same names; they are settled once, and found by the others then.
    const once = [...new Map(all.map((given) => [given.source.id, given])).values()];
    return database.memory.learn((client) => settled(client, once));
  };
  const together = gathering<Given, readonly SettledName[]>(settle);
  return async (source) => {
    const unconfirmed = source.rules.unconfirmed();
    for (let begin = 0; begin < unconfirmed.length; begin += NAMES_PER_STATEMENT) {
      const given = { source, names: unconfirmed.slice(begin, begin + NAMES_PER_STATEMENT) };
      const names = given.names.length <= GATHERED_NAMES ? await together(given) : (await settle([given])).get(given);
      if (names === undefined) throw changedMeanwhile();
      source.rules.confirm(names);
    }
  };
}

interface Row extends SettledName, Record<string, unknown> {
  readonly sourceId: number;
}

const columnsOf = (all: readonly Given[]): unknown[][] => {
  const names = all.flatMap(({ source, names: given }) => given.map((name) => ({ ...name, source })));
  return [
    names.map(({ source }) => source.id),
    names.map(({ sensorId }) => sensorId),
    names.map(({ valueName }) => valueName),
    names.map(({ holder }) => holder),
  ];
};

const GIVEN =
  'unnest($1::int[], $2::text[], $3::text[], $4::text[]) as given (source_id, sensor_id, value_name, given_to)';

/** A process that has just started finds most of its names stored already, so it looks before it writes. */
const KNOWN = `
  select source_id as "sourceId", sensor_id as "sensorId", value_name as "valueName", holder, series.owner = source.name as owned
  from series_name join ${GIVEN} using (source_id, sensor_id, value_name) join source on source.id = source_id
    join series using (project_id, sensor_id, value_name)
  where not stale and series.owner is not null`;

/** No operator changes or removes a source before its names are stored. */
const GIVERS = `
  select id, name, project_id as "projectId" from source join unnest($1::int[], $2::uuid[]) as given (id, edition) using (id, edition)
  order by id for share of source`;

/** Writes in the order of names, so that two processes with the same names cannot deadlock. */
const HOLD = `
  insert into series_name as known (source_id, sensor_id, value_name, holder)
  select source_id, sensor_id, value_name, given_to from ${GIVEN} order by source_id, sensor_id, value_name
  on conflict (source_id, sensor_id, value_name) do update set stale = false,
    holder = case when known.stale then excluded.holder else known.holder end
  returning source_id as "sourceId", sensor_id as "sensorId", value_name as "valueName", holder`;

interface Giver extends Record<string, unknown> {
  readonly id: number;
  readonly name: string;
  readonly projectId: number;
}

/** @returns what holds of the names; a source that was changed or removed meanwhile is not in it, unless all its names were stored */
async function settled(client: ClientBase, all: readonly Given[]): Promise<ReadonlyMap<Given, readonly SettledName[]>> {
  const found = new Map(all.map((given) => [given, [] as SettledName[]]));
  const rows = Map.groupBy(await rowsOf<Row>(client, KNOWN, columnsOf(all)), ({ sourceId }) => sourceId);
  const unstored: Given[] = [];
  for (const given of all) {
    const known = new Map((rows.get(given.source.id) ?? []).map((row) => [nameOfSeries(row), row]));
    const names = given.names.filter((name) => !known.has(nameOfSeries(name)));
    found.get(given)?.push(...given.names.flatMap((name) => known.get(nameOfSeries(name)) ?? []));
    if (names.length > 0) unstored.push({ ...given, names });
  }
  if (unstored.length === 0) return found;
  const stored = await store(client, unstored);
  for (const given of all) {
    const mine = unstored.find(({ source }) => source === given.source);
    if (mine === undefined) continue;
    const names = stored.get(mine);
    if (names === undefined) found.delete(given);
    else found.get(given)?.push(...names);
  }
  return found;
}

/** Gives names their series and stores their holders. A name that gets no series has no holder that is stored. */
async function store(client: ClientBase, all: readonly Given[]): Promise<ReadonlyMap<Given, SettledName[]>> {
  const sources = all.map(({ source }) => source);
  const givers = new Map(
    (await rowsOf<Giver>(client, GIVERS, [sources.map(({ id }) => id), sources.map(({ edition }) => edition)])).map(
      (giver) => [giver.id, giver],
    ),
  );
  const standing = all.flatMap((given) => {
    const giver = givers.get(given.source.id);
    return giver === undefined ? [] : [{ given, giver }];
  });
  const stored = new Map(standing.map(({ given }) => [given, [] as SettledName[]]));
  const held: Given[] = [];
  const ownerOf = new Map<Given, ReadonlyMap<string, string>>();
  for (const [projectId, some] of Map.groupBy(standing, ({ giver }) => giver.projectId)) {
    const { owners, refused } = await admitAll(
      client,
      projectId,
      some.map(({ given: { names, source }, giver }) => ({
        owner: giver.name,
        names,
        bringer: { sourceId: source.id },
      })),
    );
    for (const { given } of some) {
      const names = given.names.filter((name) => owners.has(nameOfSeries(name)));
      if (names.length > 0) held.push({ ...given, names });
      ownerOf.set(given, owners);
      for (const name of given.names) {
        const reason = refused.get(nameOfSeries(name));
        if (reason !== undefined) stored.get(given)?.push({ ...name, owned: false, reason });
      }
    }
  }
  const rows = held.length === 0 ? [] : await rowsOf<Row>(client, HOLD, columnsOf(held));
  const bySource = Map.groupBy(rows, ({ sourceId }) => sourceId);
  for (const { given, giver } of standing) {
    for (const row of bySource.get(given.source.id) ?? []) {
      stored.get(given)?.push({ ...row, owned: ownerOf.get(given)?.get(nameOfSeries(row)) === giver.name });
    }
  }
  return stored;
}

const changedMeanwhile = (): Error =>
  new BridgeError({ code: 'cancelled' }, 'the source was changed while it was read');
