import type { ClientBase } from 'pg';
import { configInvalid } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';

/** A migration that was run on a database. */
export interface LedgerLine {
  readonly name: string;
  /** Of the databridge that ran it; null where it ran before the ledger had versions. */
  readonly version: string | null;
}

/** The migrations of a database in their order; none where it is empty. */
export async function ledgerOf(client: ClientBase): Promise<readonly LedgerLine[]> {
  const { rows: found } = await client.query<{ there: boolean }>(
    `select to_regclass('public.migration') is not null as there`,
  );
  if (found[0]?.there !== true) return [];
  const { rows } = await client.query<{ name: string; version: string | null }>(
    `select name, to_jsonb(migration) ->> 'version' as version from public.migration order by run_on, id`,
  );
  return rows;
}

/** The migration that holds the whole schema. */
export const FOUNDATION = '0100_foundation';

/** Before the foundation there were forty migrations, which made the same schema. */
const BEFORE = { first: '0001_foundation', last: '0040_work', commit: 'dad5c84' };

/** Whether a ledger, or that of a backup, begins with the migrations of before the foundation. */
export const isBeforeFoundation = (names: readonly string[]): boolean => names[0] === BEFORE.first;

/**
 * The names of a ledger as this databridge would have them: all migrations of before the foundation are the foundation.
 * `holder` is what has them, for the message. Throws `config-invalid` where only some of those migrations ran.
 */
export function sinceFoundation(names: readonly string[], holder: string): readonly string[] {
  if (!isBeforeFoundation(names)) return names;
  const last = names.indexOf(BEFORE.last);
  if (last !== -1) return [FOUNDATION, ...names.slice(last + 1)];
  throw configInvalid(
    `${holder} has the schema of ${names.at(-1)}, and this version brings forward only schemas from ${BEFORE.last} on`,
    `bring it forward with the version of commit ${BEFORE.commit} first`,
  );
}

/**
 * Throws `config-invalid` where a ledger does not begin the migrations `known` of this databridge, because its statements
 * would meet tables that it does not know.
 */
export function assertNotNewer(ledger: readonly LedgerLine[], known: readonly string[], version: string): void {
  const names = sinceFoundation(
    ledger.map(({ name }) => name),
    'the database',
  );
  const other = names.find((name, place) => known[place] !== name);
  if (other === undefined) return;
  if (known.includes(other)) {
    throw configInvalid(
      `the database comes from another line of databridge: it has migration ${other} without ${known[names.indexOf(other)]}`,
      'use the databridge that made it, or restore a backup into a new database',
    );
  }
  throw newerSchema(ledger.at(-1) ?? { name: other, version: null }, version);
}

/** The database has a migration that this databridge does not know. */
export function newerSchema({ name, version: maker }: LedgerLine, version: string): BridgeError {
  const by = maker === null ? '' : `, made by databridge ${maker}`;
  const use =
    maker === null || maker === version
      ? 'the databridge that made it, or a newer one,'
      : `databridge ${maker} or newer`;
  return configInvalid(
    `the database has a newer schema (${name}${by}) than this databridge (${version}) knows`,
    `use ${use} on every host; the way back is a backup from before the upgrade, restored into a new place`,
  );
}
