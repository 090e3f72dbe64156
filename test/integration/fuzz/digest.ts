import { BACKED_UP } from '../../../src/database/backup/tables.ts';
import type { Database } from '../../../src/database/database.ts';

/** Columns that a use changes, and no change of an operator. */
const USES = ['last_used_at'];

/** The tables that a backup keeps, but for the audit. */
export const ALL_TABLES: readonly string[] = BACKED_UP.filter((table) => table !== 'audit');

/** A digest of the rows of each of `ALL_TABLES`, by name. */
export async function digestOf(database: Database): Promise<ReadonlyMap<string, string>> {
  const tables = ALL_TABLES.map(
    (table) =>
      `select '${table}' as name, (select md5(coalesce(string_agg(line, '|' order by line), ''))
         from (select (to_jsonb(${table}) - '${USES.join()}')::text as line from ${table}) as lines) as digest`,
  );
  const rows = await database.rows<{ name: string; digest: string }>(tables.join(' union all '));
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

/** The tables whose digest differs. */
export const changedTables = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] => [...after].filter(([name, digest]) => before.get(name) !== digest).map(([name]) => name);

/** The tables that an operation may change, by the action of its entry in the audit. */
const TOUCHED: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^organisation\./, ['organisation']],
  [/^project\./, ['ml_project']],
  [/^application\./, ['application', 'refresh_family']],
  [/^signing-key\./, ['signing_key', 'sealing']],
  [
    /^source\./,
    [
      'source',
      'stream',
      'work',
      'pace',
      'token',
      'account',
      'former_configuration',
      'backfill',
      'muted_sensor',
      'sealing',
    ],
  ],
  [/^backfill\./, ['work', 'backfill']],
  [/^ingestion\./, ['remote', 'remote_token', 'sealing']],
  [/^operator\.password/, ['operator_account']],
];

/** The tables that may have changed with these entries of the audit, `action subject` each. */
export const touchedBy = (entries: readonly string[]): readonly string[] =>
  entries.flatMap((entry) => TOUCHED.filter(([action]) => action.test(entry)).flatMap(([, tables]) => tables));
