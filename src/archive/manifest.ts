import { counted } from '../core/counted.ts';
import { BridgeError, bridgeInvalid, isOfBridge } from '../core/errors.ts';
import type { Instant } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import { rowsOf } from '../database/database.ts';
import type { Asks, Database } from '../database/database.ts';
import { keptFrom, keptPart } from './kept.ts';

/** A day of a project whose readings are in a file. */
export interface ArchivedDay {
  readonly id: number;
  readonly projectId: number;
  /** Its begin, UTC. */
  readonly day: Instant;
  /** Below the place of the archive. */
  readonly path: string;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  readonly readings: number;
  /** Series that have a reading in it. */
  readonly series: number;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  readonly madeAt: Instant;
}

/** Archived days at an instant. */
export interface Shelf {
  /** Another one after every move and removal inside the range that was asked for. */
  readonly stamp: string;
  readonly days: readonly ArchivedDay[];
  /** The part of the range whose readings are kept. */
  readonly range: Window;
}

/** SQL: the columns of `ArchivedDay`. */
export const DAY_COLUMNS = `
  archived_day.id, archived_day.project_id as "projectId", instant_of(archived_day.day::timestamp at time zone 'UTC') as day,
  archived_day.path, archived_day.sha256, archived_day.bytes, archived_day.readings, archived_day.series,
  instant_of(archived_day.first_at) as "firstAt", instant_of(archived_day.last_at) as "lastAt", instant_of(archived_day.made_at) as "madeAt"`;

/** SQL: the day (UTC) of an instant. */
export const dayAt = (instant: string): string => `(at_instant(${instant}) at time zone 'UTC')::date`;

const PRESENT = `from archived_day where project_id = $1 and replaced_at is null and day >= ${dayAt('$2::bigint')} and day <= ${dayAt('$3::bigint')}`;

/**
 * The archived days of a project that share time with a range, the oldest first. Throws `config-invalid` where there are some and this
 * process does not know where the archive is, because their readings would look like none.
 */
export async function shelfOf(database: Asks, projectId: number, { from, to }: Window): Promise<Shelf> {
  const kept = await keptFrom(database, projectId);
  const days = await database.rows<ArchivedDay & Record<string, unknown>>(
    `select ${DAY_COLUMNS} ${PRESENT} order by day`,
    [projectId, from, to - 1],
  );
  if (days.length > 0) archiveOf(database, days.length);
  const range = keptPart({ from, to }, kept);
  return {
    stamp: stampOf(
      days.reduce((sum, { id }) => sum + id, 0),
      kept,
    ),
    days,
    range,
  };
}

/** The stamp alone. Throws as `shelfOf`, also where the first days of all are moved while a process without the setting reads. */
export async function shelfStamp(database: Asks, projectId: number, { from, to }: Window): Promise<string> {
  const [{ sum, days, kept } = { sum: 0, days: 0, kept: null }] = await database.rows<{
    sum: number;
    days: number;
    kept: Instant | null;
  }>(
    `select coalesce(sum(id), 0) as sum, count(*)::int as days,
       (select instant_of(kept_from) from ml_project where id = $1) as kept ${PRESENT}`,
    [projectId, from, to - 1],
  );
  if (days > 0) archiveOf(database, days);
  return stampOf(sum, kept ?? undefined);
}

const stampOf = (sum: number, kept: Instant | undefined): string => `${sum} ${kept ?? ''}`;

/** Throws `config-invalid` where days are archived and this process does not know where: it would take them for days without readings. */
export async function assertArchiveKnown(database: Asks): Promise<void> {
  if (database.archive !== undefined) return;
  const [row] = await database.rows<{ days: number }>(
    'select count(*)::int as days from archived_day where replaced_at is null',
  );
  if (row !== undefined && row.days > 0) archiveOf(database, row.days);
}

/**
 * Reads rows, the manifest and what is kept in one snapshot, so that no write, move or removal comes between them. `read` asks by the
 * connection of that snapshot alone. Throws `config-invalid` where days are archived and this process does not know where.
 */
export async function inSnapshot<T>(database: Database, read: (asks: Asks) => Promise<T>): Promise<T> {
  const { archive } = database;
  const stamp = async (): Promise<string> => (archive === undefined ? '' : await newest(database));
  for (let before = await stamp(); ;) {
    const [found] = await Promise.allSettled([
      database.transaction(async (client) => {
        await client.query('set transaction isolation level repeatable read, read only');
        const asks: Asks = { archive, rows: (text, values) => rowsOf(client, text, values) };
        if (archive === undefined) await assertArchiveKnown(asks);
        return await read(asks);
      }),
    ]);
    if (found.status === 'fulfilled') return found.value;
    // A file gets another name when its day is merged or removed, which ends a read that has not opened it yet.
    const after = await stamp();
    if (after === before) throw found.reason;
    before = after;
  }
}

/** Another one wherever a file took the place of another or was given up; each is one step in an index, however many days there are. */
const newest = async (database: Database): Promise<string> =>
  (
    await database.row<{ stamp: string }>(
      `select concat((select max(id) from archived_day), ' ', (select max(replaced_at) from archived_day)) as stamp`,
    )
  )?.stamp ?? '';

/** The archive of this process. Throws `config-invalid` where it has none. */
export function archiveOf({ archive }: Pick<Database, 'archive'>, days: number): NonNullable<Database['archive']> {
  if (archive !== undefined) return archive;
  throw bridgeInvalid(
    `${counted(days, 'day')} of these readings ${days === 1 ? 'lies' : 'lie'} in the archive, and DATABRIDGE_ARCHIVE is not set here`,
    'set DATABRIDGE_ARCHIVE to the place of the archive, as on the host that moved them',
    'DATABRIDGE_ARCHIVE',
  );
}

/** An error of reading the archive as a fault of the bridge. */
export const archiveFault = (error: unknown): BridgeError =>
  error instanceof BridgeError && isOfBridge(error)
    ? error
    : bridgeInvalid(
        `the archive: ${error instanceof Error ? error.message : String(error)}`,
        (error instanceof BridgeError ? error.remedy : undefined) ??
          'databridge archive check lists damaged days; databridge doctor looks at the archive',
        'DATABRIDGE_ARCHIVE',
        error,
      );
