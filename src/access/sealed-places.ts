import type { Database } from '../database/database.ts';

/** A column that holds sealed values. */
export interface SealedPlace {
  readonly table: string;
  readonly column: string;
  /** The column that names the row. */
  readonly key: string;
  /** `text`: the column is one sealed value, null or a reference. `config`: a stored configuration with sealed values inside. */
  readonly form: 'text' | 'config';
}

/** Every column that holds sealed values, besides the canary. A test compares them with a database that holds all of them. */
export const SEALED: readonly SealedPlace[] = [
  { table: 'signing_key', column: 'private_key', key: 'kid', form: 'text' },
  { table: 'source', column: 'config', key: 'id', form: 'config' },
  { table: 'remote', column: 'secret', key: 'project_id', form: 'text' },
  { table: 'token', column: 'sealed', key: 'source_id', form: 'text' },
  { table: 'remote_token', column: 'sealed', key: 'project_id', form: 'text' },
  { table: 'former_configuration', column: 'config', key: 'id', form: 'config' },
];

/** SQL: the sealed texts inside a value of this place, as an array. */
const textsIn = ({ column, form }: SealedPlace): string =>
  form === 'text'
    ? `array[${column}]`
    : `array(select found #>> '{}' from jsonb_path_query(${column}, 'strict $.**."$sealed"') as found)`;

/** SQL: the sealed texts of a place as rows of the column `sealed`. A JWE begins with the header, and no reference does. */
const sealedIn = (place: SealedPlace): string =>
  `select ${place.key}::text as id, found.sealed from ${place.table}, unnest(${textsIn(place)}) as found (sealed)
   where found.sealed like 'eyJ%'`;

/** All sealed texts of the places, by default of all, place after place. */
export async function* sealedTexts(database: Pick<Database, 'rows'>, places = SEALED): AsyncGenerator<string> {
  for (const place of places) {
    for (const { sealed } of await database.rows<{ sealed: string }>(sealedIn(place))) yield sealed;
  }
}

/** The rows of a place with a sealed text that does not begin with `header`. */
export const rowsSealedOtherwise = async (database: Database, place: SealedPlace, header: string): Promise<string[]> =>
  (
    await database.rows<{ id: string }>(
      `select distinct id from (${sealedIn(place)}) as found where split_part(sealed, '.', 1) <> $1`,
      [header],
    )
  ).map(({ id }) => id);

/** A row of a place as text, and the sealed texts in it. Undefined where it is gone. */
export const sealedRow = (
  database: Database,
  place: SealedPlace,
  id: string,
): Promise<{ readonly stored: string; readonly texts: readonly string[] } | undefined> =>
  database.row(
    `select ${place.column}::text as stored, ${textsIn(place)} as texts from ${place.table} where ${place.key} = $1 and ${place.column} is not null`,
    [id],
  );

/** Puts `next` in the place of `stored`. @returns false where another process changed or removed it meanwhile */
export async function swapSealed(
  database: Database,
  place: SealedPlace,
  { id, stored, next }: { readonly id: string; readonly stored: string; readonly next: string },
): Promise<boolean> {
  const type = place.form === 'text' ? 'text' : 'jsonb';
  const { table, column, key } = place;
  const changed = await database.run(
    `update ${table} set ${column} = $2::${type} where ${key} = $1 and ${column} = $3::${type}`,
    [id, next, stored],
  );
  return changed === 1;
}

/** How many sealed texts of a place begin with each header, and one of them. */
export const sealedByHeader = (
  database: Database,
  place: SealedPlace,
): Promise<{ readonly count: number; readonly sample: string }[]> =>
  database.rows(
    `select count(*) as count, min(sealed) as sample from (${sealedIn(place)}) as found group by split_part(sealed, '.', 1)`,
  );
