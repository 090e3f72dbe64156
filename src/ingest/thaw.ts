import type { ClientBase } from 'pg';
import { coldReadingsAt } from '../archive/cold-readings.ts';
import type { ColdReading } from '../archive/cold-readings.ts';
import { DAY_COLUMNS, archiveFault } from '../archive/manifest.ts';
import type { ArchivedDay } from '../archive/manifest.ts';
import { DAY } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import type { NumberedColumn } from './rows.ts';

/** Readings that may lie in the archive: of each series the instants. */
interface OldKeys {
  readonly series: number;
  readonly sensorId: string;
  readonly valueName: string;
  readonly at: readonly Instant[];
}

/** Readings that are to be written. */
interface OldWrite {
  readonly columns: readonly NumberedColumn[];
  /** By the clock of the database. */
  readonly now: Instant;
}

/** An archived day that has readings of these keys. */
type FoundDay = ArchivedDay & Record<string, unknown>;

/**
 * The archived readings that a write meets, with their series. Where there is no archive, or all is newer than the
 * archive may be, it asks the database nothing. `client`: its transaction sees the same archive.
 */
export async function archivedReadingsOf(
  database: Database,
  client: ClientBase,
  write: OldWrite,
): Promise<{ readonly days: readonly Instant[]; readonly stamp: number; readonly readings: readonly ThawedReading[] }> {
  const keys = oldKeysOf(database, write);
  if (keys.length === 0) return { days: [], stamp: 0, readings: [] };
  const days = [...new Set(keys.flatMap(({ at }) => at.map((instant) => Math.floor(instant / DAY) * DAY)))];
  const found = await daysOf(client, keys, days);
  const projects = await projectsOf(client, keys);
  const readings: ThawedReading[] = [];
  for (const [projectId, own] of Map.groupBy(found, (day) => day.projectId)) {
    const here = new Set(own.map(({ day }) => day));
    const wanted = keys.flatMap((key) => {
      const at = key.at.filter((instant) => here.has(Math.floor(instant / DAY) * DAY));
      return projects.get(key.series) === projectId && at.length > 0 ? [{ ...key, at }] : [];
    });
    const cold = await coldReadingsAt(database, own, wanted).catch((error: unknown) => {
      throw archiveFault(error);
    });
    for (const reading of cold) readings.push({ ...reading, series: (wanted[reading.place] as OldKeys).series });
  }
  return { days, stamp: stampOf(found), readings };
}

/** A reading of a file, with the number of its series. */
export type ThawedReading = ColdReading & { readonly series: number };

/** Whether some of the readings are so old that their day may be archived. */
export function mayBeArchived(database: Pick<Database, 'archive'>, { columns, now }: OldWrite): boolean {
  const before = oldBefore(database, now);
  return (
    before !== undefined &&
    columns.some(({ column }) => column.segments.some(({ at }) => at.some((one) => one < before)))
  );
}

/** The archive was changed while readings of it were being written; nothing was. */
export class ArchiveChanged extends Error {
  /** As PostgreSQL says it of two transactions that cannot both be: the work begins anew. */
  readonly code = '40001';
}

/**
 * Makes the archived readings that a write meets rows again, so that the write finds what it repeats or revises, counts it
 * and hands it over as ever. The next move merges them. `work` is the write, in the same transaction, which has to be rolled back where it wrote nothing, because those rows are of no use then; afterwards the archive must be as
 * it was: throws `ArchiveChanged` otherwise, and the transaction has to be begun anew.
 */
export async function withThawed<T>(
  database: Database,
  client: ClientBase,
  write: OldWrite,
  work: () => Promise<T>,
): Promise<T> {
  const { days, stamp, readings } = await archivedReadingsOf(database, client, write);
  if (readings.length > 0) await makeRows(client, readings);
  const result = await work();
  const keys = oldKeysOf(database, write);
  if (days.length > 0 && stampOf(await daysOf(client, keys, days)) !== stamp) throw new ArchiveChanged();
  return result;
}

const stampOf = (days: readonly Pick<ArchivedDay, 'id'>[]): number => days.reduce((sum, { id }) => sum + id, 0);

/** Readings that are so much younger than the archive's age count as archived, too, because hosts move whole days and their clocks differ. */
const MARGIN = 2 * DAY;

const oldBefore = ({ archive }: Pick<Database, 'archive'>, now: Instant): Instant | undefined =>
  archive && now - archive.after + MARGIN;

function oldKeysOf(database: Pick<Database, 'archive'>, { columns, now }: OldWrite): OldKeys[] {
  const before = oldBefore(database, now);
  if (before === undefined) return [];
  return columns.flatMap(({ series, column: { sensorId, valueName, segments } }) => {
    const at = segments.flatMap((segment) => segment.at.filter((instant) => instant < before));
    return at.length === 0 ? [] : [{ series, sensorId, valueName, at }];
  });
}

const daysOf = (client: ClientBase, keys: readonly OldKeys[], days: readonly Instant[]): Promise<FoundDay[]> =>
  rowsOf<FoundDay>(
    client,
    `select ${DAY_COLUMNS} from archived_day
     where replaced_at is null and day = any(array(select (at_instant(one) at time zone 'UTC')::date from unnest($2::bigint[]) as one))
       and project_id in (select project_id from series where series.id = any($1::int[])) order by day`,
    [keys.map(({ series }) => series), days],
  );

async function projectsOf(client: ClientBase, keys: readonly OldKeys[]): Promise<ReadonlyMap<number, number>> {
  const rows = await rowsOf<{ id: number; project: number }>(
    client,
    'select id, project_id as project from series where id = any($1::int[])',
    [keys.map(({ series }) => series)],
  );
  return new Map(rows.map(({ id, project }) => [id, project]));
}

/** In key order, as every writer of readings, so that none waits for another in a ring. */
const MAKE_ROWS = `
  insert into reading (series, at, value, precision, labels)
  select given.series, at_instant(given.at), given.value, given.precision, label_set.id
  from unnest($1::int[], $2::bigint[], $3::float8[], $4::int2[], $5::text[]) as given (series, at, value, precision, labels)
  left join label_set on label_set.labels = array(select jsonb_array_elements_text(given.labels::jsonb)) and given.labels is not null
  order by 1, 2 on conflict do nothing`;

/** Sets of labels stay in the database as long as a file may name them, except in one that an older backup was restored to. */
const MAKE_LABEL_SETS = `
  insert into label_set (labels)
  select distinct array(select jsonb_array_elements_text(given::jsonb)) from unnest($1::text[]) as given order by 1 on conflict do nothing`;

async function makeRows(client: ClientBase, readings: readonly ThawedReading[]): Promise<void> {
  const labels = [...new Set(readings.flatMap((one) => (one.labels === null ? [] : [one.labels])))];
  if (labels.length > 0) await client.query(MAKE_LABEL_SETS, [labels]);
  await client.query(MAKE_ROWS, [
    readings.map(({ series }) => series),
    readings.map(({ at }) => at),
    readings.map(({ value }) => value),
    readings.map(({ precision }) => precision),
    readings.map((one) => one.labels),
  ]);
}
