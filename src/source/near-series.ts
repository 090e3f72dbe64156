import { counted } from '../core/counted.ts';
import { nearNames } from '../core/near-names.ts';
import type { FullName } from '../core/near-names.ts';
import { NO_VALUE_NAME } from '../core/naming.ts';
import type { SeriesRefusal } from '../core/reading.ts';
import type { Database } from '../database/database.ts';
import { inPieces } from './in-pieces.ts';

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
  const known = nearNames<FullName>([]);
  await inPieces(await database.rows<FullName & Record<string, unknown>>(SAME_NUMBERS, [projectId, numbers]), (name) =>
    known.add(name),
  );
  const near = await inPieces(names, (name) => [name, known.near(name, MOST_NEAR)] as const);
  return new Map(near.filter(([, some]) => some.length > 0));
}

/** The names of a trial that its project has no series of. */
export interface NewNames {
  readonly names: number;
  /** The project is locked, so they would be held back. */
  readonly locked: boolean;
  /** How many of them would be refused, because the project has as many series as its quota allows. */
  readonly beyondQuota: number;
  /** Those that are near to series of the project, at most twenty. */
  readonly near: readonly (FullName & { readonly like: readonly FullName[] })[];
}

const MOST_SHOWN = 20;

/** A name of which a project has no series, and why points of it would be refused; without a reason they would not be. */
export interface NewName extends FullName {
  readonly reason: SeriesRefusal | undefined;
}

/** Looks up which series of the project the new names of a trial resemble; null where there are no new names. */
export async function newNamesOf(
  database: Database,
  projectId: number,
  found: readonly NewName[],
): Promise<NewNames | null> {
  if (found.length === 0) return null;
  const names = found
    .map(({ sensorId, valueName }) => ({ sensorId, valueName }))
    .toSorted((one, other) => (nameInWords(one) < nameInWords(other) ? -1 : 1));
  const near = [...(await nearSeries(database, projectId, names))].slice(0, MOST_SHOWN);
  return {
    names: names.length,
    locked: found.some(({ reason }) => reason === 'name-held-back'),
    beyondQuota: found.filter(({ reason }) => reason === 'too-many-series').length,
    near: near.map(([name, like]) => ({ ...name, like })),
  };
}

/** The new names in words; undefined where nothing about them is to be said. */
export function newNamesInWords(found: NewNames | null): string | undefined {
  if (found === null) return undefined;
  const parts: string[] = [];
  if (found.locked)
    parts.push(
      `${counted(found.names, 'name')} would be held back, because the project is locked and has no series of them`,
    );
  if (found.beyondQuota > 0)
    parts.push(
      `${counted(found.beyondQuota, 'name')} would be refused, because the quota of the project leaves no room for them`,
    );
  for (const { like, ...name } of found.near.slice(0, MOST_NEAR)) {
    parts.push(`${nameInWords(name)} is new and resembles ${like.map(nameInWords).join(' and ')} of the project`);
  }
  return parts.length === 0 ? undefined : parts.join('; ');
}
