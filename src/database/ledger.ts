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

/**
 * Throws `config-invalid` where a ledger does not begin the migrations `known` of this databridge, because its statements
 * would meet tables that it does not know.
 */
export function assertNotNewer(ledger: readonly LedgerLine[], known: readonly string[], version: string): void {
  const other = ledger.find(({ name }, place) => known[place] !== name);
  if (other === undefined) return;
  if (known.includes(other.name)) {
    throw configInvalid(
      `the database comes from another line of databridge: it has migration ${other.name} without ${known[ledger.indexOf(other)]}`,
      'use the databridge that made it, or restore a backup into a new database',
    );
  }
  throw newerSchema(ledger.at(-1) ?? other, version);
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
