import type { Column } from '../core/batch.ts';
import type { Database } from '../database/database.ts';

/** Says which series of a push belong to a source, so that their readings are refused. */
export interface PushedOwnership {
  /** The names (`nameOfSeries`) of those columns. Series that nothing has written so far belong to pushing from now on. */
  foreignAmong(projectId: number, columns: readonly Column[]): Promise<ReadonlySet<string>>;
  /** `foreignAmong` without taking any series, and without memory. */
  foreignNow(projectId: number, columns: readonly Column[]): Promise<ReadonlySet<string>>;
}

type Names = Pick<Column, 'sensorId' | 'valueName'>;

/** The name of a series in its project as one text. */
export const nameOfSeries = ({ sensorId, valueName }: Names): string => `${sensorId}\n${valueName}`;

/** At most this many series are remembered as belonging to pushing applications. */
const MOST_REMEMBERED = 200_000;

/** How long a process may go on after a series was handed over to a source, ms. */
const HAND_OVER_MS = 1_000;

/**
 * Remembers the series that belong to pushing applications, until an operator hands any series over. Series of sources are
 * looked up with every push, because their readings are refused in any case.
 */
export function pushedOwnershipOf(
  database: Database,
  { nowMs }: { readonly nowMs: () => number } = { nowMs: () => performance.now() },
): PushedOwnership {
  const own = new Set<string>();
  let handOvers: number | undefined;
  let lookedAt = -Infinity;
  // A database that was replaced by an older state may give the same names to sources.
  database.memory.onForget(() => own.clear());

  async function forgetAfterHandOver(): Promise<void> {
    if (nowMs() < lookedAt + HAND_OVER_MS) return;
    lookedAt = nowMs();
    const row = await database.row<{ count: number }>('select count from hand_over');
    if (row?.count !== handOvers) own.clear();
    handOvers = row?.count;
  }

  return {
    async foreignAmong(projectId, columns) {
      await forgetAfterHandOver();
      const asked = columns.filter((column) => !own.has(`${projectId}\n${nameOfSeries(column)}`));
      const foreign = new Set<string>();
      if (asked.length === 0) return foreign;
      const before = handOvers;
      const owned = await ownersOf(database, [LOOK_UP, TAKE], projectId, asked);
      for (const column of asked) {
        const name = nameOfSeries(column);
        if (owned.get(name) !== '') foreign.add(name);
        else if (before === handOvers) remember(own, `${projectId}\n${name}`);
      }
      return foreign;
    },
    async foreignNow(projectId, columns) {
      const owners = await ownersOf(database, [LOOK_UP], projectId, columns);
      return new Set([...owners].filter(([, owner]) => owner !== '').map(([name]) => name));
    },
  };
}

function remember(own: Set<string>, key: string): void {
  if (own.size >= MOST_REMEMBERED) own.clear();
  own.add(key);
}

const GIVEN = 'unnest($2::text[], $3::text[]) as given (sensor_id, value_name)';

const LOOK_UP = `
  select sensor_id as "sensorId", value_name as "valueName", owner from series join ${GIVEN} using (sensor_id, value_name)
  where project_id = $1 and owner is not null`;

/** Writes in the order of names, so that two processes with the same names cannot deadlock. */
const TAKE = `
  insert into series as known (project_id, sensor_id, value_name, owner)
  select $1, sensor_id, value_name, '' from ${GIVEN} order by sensor_id, value_name
  on conflict (project_id, sensor_id, value_name) do update set owner = coalesce(known.owner, excluded.owner)
  returning sensor_id as "sensorId", value_name as "valueName", owner`;

/** The owners of series by their names. Only series without an owner are written. */
async function ownersOf(
  database: Database,
  statements: readonly string[],
  projectId: number,
  columns: readonly Names[],
): Promise<Map<string, string>> {
  const owners = new Map<string, string>();
  for (const statement of statements) {
    const missing = columns.filter((column) => !owners.has(nameOfSeries(column)));
    if (missing.length === 0) break;
    const rows = await database.rows<Names & { readonly owner: string }>(statement, [
      projectId,
      missing.map(({ sensorId }) => sensorId),
      missing.map(({ valueName }) => valueName),
    ]);
    for (const row of rows) owners.set(nameOfSeries(row), row.owner);
  }
  return owners;
}
