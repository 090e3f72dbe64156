import type { Column } from '../core/batch.ts';
import { counted } from '../core/counted.ts';
import { nearNames } from '../core/near-names.ts';
import type { FullName } from '../core/near-names.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { NO_VALUE_NAME } from '../core/naming.ts';
import type { Database } from '../database/database.ts';

/** A name in words. */
export const nameInWords = ({ sensorId, valueName }: FullName): string =>
  valueName === NO_VALUE_NAME ? sensorId : `${sensorId} ${valueName}`;

/** The numbers of a name. Names that are near to each other have the same ones, so the database leaves the others out. */
const numbersOf = ({ sensorId, valueName }: FullName): string =>
  (`${sensorId}\n${valueName}`.match(/[0-9]+/g) ?? []).map((number) => number.replace(/^0+(?=[0-9])/, '')).join(' ');

const SAME_NUMBERS = `
  select sensor_id as "sensorId", value_name as "valueName" from series
  where project_id = $1 and regexp_replace(
    btrim(regexp_replace(sensor_id || ' ' || value_name, '[^0-9]+', ' ', 'g')), '(^| )0+([0-9])', '\\1\\2', 'g') = any($2)
  limit 200000`;

const MOST_NEAR = 3;

/** The series of a project that the names may be misspelt forms of, at most three for each name; names with none are left out. */
export async function nearSeries(
  database: Database,
  projectId: number,
  names: readonly FullName[],
): Promise<ReadonlyMap<FullName, readonly FullName[]>> {
  if (names.length === 0) return new Map();
  const numbers = [...new Set(names.map(numbersOf))];
  const known = nearNames(await database.rows<FullName & Record<string, unknown>>(SAME_NUMBERS, [projectId, numbers]));
  const near = names.map((name) => [name, known.near(name, MOST_NEAR)] as const);
  return new Map(near.filter(([, some]) => some.length > 0));
}

/** The names of a trial that its project has no series of. */
export interface NewNames {
  readonly names: number;
  /** The project is locked, so they would be held back. */
  readonly locked: boolean;
  /** Those that are near to series of the project, at most twenty. */
  readonly near: readonly (FullName & { readonly like: readonly FullName[] })[];
}

const MOST_SHOWN = 20;

/** Looks up which of the columns that a source gave would be new in its project; null where none is, or the project is unknown. */
export async function newNamesOf(
  database: Database | undefined,
  { organisation, project }: SourceConfig,
  columns: readonly Column[],
): Promise<NewNames | null> {
  const row = await database?.row<{ id: number; locked: boolean }>(
    'select id, locked from ml_project where organisation_id = $1 and code = $2',
    [organisation, project],
  );
  if (database === undefined || row === undefined) return null;
  const fresh = await database.rows<FullName & Record<string, unknown>>(
    `select sensor_id as "sensorId", value_name as "valueName"
     from (select distinct * from unnest($2::text[], $3::text[]) as given (sensor_id, value_name)) as given
     where not exists (select from series where project_id = $1 and series.sensor_id = given.sensor_id and series.value_name = given.value_name)
     order by 1, 2`,
    [row.id, columns.map(({ sensorId }) => sensorId), columns.map(({ valueName }) => valueName)],
  );
  if (fresh.length === 0) return null;
  const near = [...(await nearSeries(database, row.id, fresh))].slice(0, MOST_SHOWN);
  return { names: fresh.length, locked: row.locked, near: near.map(([name, like]) => ({ ...name, like })) };
}

/** The new names in words; undefined where nothing about them is to be said. */
export function newNamesInWords(found: NewNames | null): string | undefined {
  if (found === null || (!found.locked && found.near.length === 0)) return undefined;
  const parts = found.locked
    ? [`${counted(found.names, 'name')} would be held back, because the project is locked and has no series of them`]
    : [];
  for (const { like, ...name } of found.near.slice(0, MOST_NEAR)) {
    parts.push(`${nameInWords(name)} is new and resembles ${like.map(nameInWords).join(' and ')} of the project`);
  }
  return parts.join('; ');
}
