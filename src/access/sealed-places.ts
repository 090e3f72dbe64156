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

/** SQL: the sealed texts of a place as rows of the column `sealed`. A JWE begins with the header, and no reference does. */
export const sealedIn = ({ table, column, form }: SealedPlace): string =>
  form === 'text'
    ? `select ${column} as sealed from ${table} where ${column} like 'eyJ%'`
    : `select found #>> '{}' as sealed from ${table}, jsonb_path_query(${column}, 'strict $.**."$sealed"') as found`;

/** All sealed texts, place after place. */
export async function* sealedTexts(database: Database): AsyncGenerator<string> {
  for (const place of SEALED) {
    for (const { sealed } of await database.rows<{ sealed: string }>(sealedIn(place))) yield sealed;
  }
}
