import type { Column } from '../core/batch.ts';
import type { FullName } from '../core/near-names.ts';
import type { SeriesRefusal } from '../core/reading.ts';
import type { Database } from '../database/database.ts';
import { admitNames, nameOfSeries, wouldRefuse } from './new-names.ts';
import { renamedNames } from './renamed-names.ts';
import type { AdmittedNames } from './new-names.ts';
import { spanOf } from './pushed-spans.ts';

/** The sender of a push, and the project it pushes to. */
export interface Pusher {
  readonly projectId: number;
  readonly applicationId: string;
}

/** Says which series the names of a push mean, and of which no reading is taken. */
export interface PushedOwnership {
  /** The names (`nameOfSeries`) that are pushed to a project for series of other names. */
  renamedIn(projectId: number): Promise<ReadonlyMap<string, FullName>>;
  /**
   * The names of which no reading is taken (`nameOfSeries`), each with the reason: the series belongs to a source, or there may be no such new series.
   * Series that nothing has written so far belong to pushing from now on.
   */
  untakenAmong(pusher: Pusher, columns: readonly Column[]): Promise<ReadonlyMap<string, SeriesRefusal>>;
  /** `untakenAmong` without taking any series or holding a name back, and without memory. */
  untakenNow(projectId: number, columns: readonly Column[]): Promise<ReadonlyMap<string, SeriesRefusal>>;
}

/** The owner of series that applications push. No source has this name. */
const PUSHED = '';

/** At most this many series are remembered as belonging to pushing applications. */
const MOST_REMEMBERED = 200_000;

const MOST_PROJECTS_REMEMBERED = 1_000;

/** How long a process may go on after a series was handed over to a source, ms. */
const HAND_OVER_MS = 1_000;

/**
 * Remembers the series that belong to pushing applications, until an operator hands any series over. Series of sources are
 * looked up with every push, because their readings are refused in any case. So are names that are held back.
 */
export function pushedOwnershipOf(
  database: Database,
  { nowMs }: { readonly nowMs: () => number } = { nowMs: () => performance.now() },
): PushedOwnership {
  const own = new Set<string>();
  const renamed = new Map<number, Promise<ReadonlyMap<string, FullName>>>();
  const forget = (): void => {
    own.clear();
    renamed.clear();
  };
  let handOvers: number | undefined;
  let lookedAt = -Infinity;
  // A database that was replaced by an older state may give the same names to sources.
  database.memory.onForget(forget);

  async function forgetAfterHandOver(): Promise<void> {
    if (nowMs() < lookedAt + HAND_OVER_MS) return;
    lookedAt = nowMs();
    const row = await database.row<{ count: number }>('select count from hand_over');
    if (row?.count !== handOvers) forget();
    handOvers = row?.count;
  }

  return {
    async renamedIn(projectId) {
      await forgetAfterHandOver();
      const known = renamed.get(projectId);
      if (known !== undefined) return await known;
      if (renamed.size >= MOST_PROJECTS_REMEMBERED) renamed.clear();
      const looked = renamedNames(database, projectId);
      renamed.set(projectId, looked);
      looked.catch(() => renamed.delete(projectId));
      return await looked;
    },
    async untakenAmong(pusher, columns) {
      const { projectId } = pusher;
      await forgetAfterHandOver();
      const asked = columns.filter((column) => !own.has(`${projectId}\n${nameOfSeries(column)}`));
      const untaken = new Map<string, SeriesRefusal>();
      if (asked.length === 0) return untaken;
      const before = handOvers;
      const { owners, refused } = await ownersOf(database, pusher, asked);
      for (const column of asked) {
        const name = nameOfSeries(column);
        if (owners.get(name) !== PUSHED) untaken.set(name, refused.get(name) ?? 'series-of-another');
        else if (before === handOvers) remember(own, `${projectId}\n${name}`);
      }
      return untaken;
    },
    async untakenNow(projectId, columns) {
      const { owners, missing } = await knownAmong(database, projectId, columns);
      const refused = await database.transaction((client) => wouldRefuse(client, projectId, missing));
      const foreign = [...owners].filter(([, owner]) => owner !== PUSHED);
      return new Map([...refused, ...foreign.map(([name]) => [name, 'series-of-another'] as const)]);
    },
  };
}

function remember(own: Set<string>, key: string): void {
  if (own.size >= MOST_REMEMBERED) own.clear();
  own.add(key);
}

const LOOK_UP = `
  select sensor_id as "sensorId", value_name as "valueName", owner
  from series join unnest($2::text[], $3::text[]) as given (sensor_id, value_name) using (sensor_id, value_name)
  where project_id = $1 and owner is not null`;

/** The owners of series by their names, and why other names have none. Only names without an owner take a transaction. */
async function ownersOf(
  database: Database,
  { projectId, applicationId }: Pusher,
  columns: readonly Column[],
): Promise<AdmittedNames> {
  const { owners, missing } = await knownAmong(database, projectId, columns);
  if (missing.length === 0) return { owners, refused: new Map() };
  const names = missing.map(({ sensorId, valueName, segments }) => ({
    sensorId,
    valueName,
    readings: segments.reduce((sum, { at }) => sum + at.length, 0),
    ...spanOf(segments),
  }));
  const admitted = await database.transaction((client) =>
    admitNames(client, { projectId, owner: PUSHED, names, bringer: { applicationId } }),
  );
  return { owners: new Map([...owners, ...admitted.owners]), refused: admitted.refused };
}

/** The owners of series that have one, by their names, and the columns of the other names. */
async function knownAmong(
  database: Database,
  projectId: number,
  columns: readonly Column[],
): Promise<{ readonly owners: ReadonlyMap<string, string>; readonly missing: readonly Column[] }> {
  const rows = await database.rows<{ sensorId: string; valueName: string; owner: string }>(LOOK_UP, [
    projectId,
    columns.map(({ sensorId }) => sensorId),
    columns.map(({ valueName }) => valueName),
  ]);
  const owners = new Map(rows.map((row) => [nameOfSeries(row), row.owner]));
  return { owners, missing: columns.filter((column) => !owners.has(nameOfSeries(column))) };
}
