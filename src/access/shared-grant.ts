import { setTimeout as sleep } from 'node:timers/promises';
import { BridgeError } from '../core/errors.ts';
import type { Database } from '../database/database.ts';
import type { Sealing } from './sealing.ts';

/** The owner of a grant: its name for messages, and the tables and keys of its rows. */
export interface GrantOwner {
  readonly name: string;
  /** Has a column `state`; while it is `stopped` no process gets a grant (law 9). */
  readonly table: 'source' | 'remote';
  readonly key: 'id' | 'project_id';
  /** Has the columns version, sealed and replacing_until, and the owner's key in the column `reference`. */
  readonly grants: 'token' | 'remote_token';
  readonly reference: 'source_id' | 'project_id';
  readonly id: number;
}

/** The rules for one kind of grant. */
export interface GrantKind<G> {
  /** The token that is sent; two grants with the same token are the same grant. */
  readonly tokenOf: (grant: G) => string;
  /** Whether an error of `obtain` is final. After a final error no process tries again until an operator acts. */
  readonly isFinal: (error: unknown) => boolean;
}

/** A grant that all processes share. */
export interface SharedGrant<G> {
  current(): Promise<G | undefined>;
  /** Runs `obtain` in one process at a time; the other processes wait and take its grant. */
  replace(stale: G | undefined, obtain: (previous: G | undefined) => Promise<G>): Promise<G>;
}

/** Another process may try after this time. */
const OBTAIN_TIME = "interval '60 s'";
const LOOK_AGAIN_MS = 200;

interface Known<G> {
  readonly version: number;
  readonly grant: G | undefined;
}

/**
 * One grant for all processes, sealed in the database. Only one process at a time gets a new grant, because a refresh
 * token that may be used once would be refused to the second process.
 */
export function sharedGrantOf<G>(
  { database, sealing, owner }: { database: Database; sealing: Sealing; owner: GrantOwner },
  kind: GrantKind<G>,
): SharedGrant<G> {
  const { grants, reference, id } = owner;
  const withOwner = `${grants} join ${owner.table} on ${owner.table}.${owner.key} = ${grants}.${reference} where ${grants}.${reference} = $1`;
  let known: Known<G> | undefined;
  let replacing: Promise<G> | undefined;

  async function read(): Promise<Known<G>> {
    await database.run(
      `insert into ${grants} (${reference}) select ${owner.key} from ${owner.table} where ${owner.key} = $1 on conflict do nothing`,
      [id],
    );
    const row = await database.row<{ version: number; sealed: string | null; state: string }>(
      `select version, sealed, state from ${withOwner}`,
      [id],
    );
    if (row === undefined) throw new BridgeError({ code: 'cancelled' }, `${owner.name} was removed`);
    // Credentials that were refused to one process are not tried by the next, because accounts get locked (law 9).
    if (row.state === 'stopped') throw new BridgeError({ code: 'cancelled' }, `${owner.name} was stopped`);
    const { version } = row;
    if (known === undefined || known.version !== version) {
      known = { version, grant: row.sealed ? (JSON.parse(await sealing.open(row.sealed)) as G) : undefined };
    }
    return known;
  }

  async function replace(stale: G | undefined, obtain: (previous: G | undefined) => Promise<G>): Promise<G> {
    const staleToken = stale && kind.tokenOf(stale);
    for (;;) {
      const { version, grant } = await read();
      if (grant !== undefined && kind.tokenOf(grant) !== staleToken) return grant;
      const claimed = await database.run(
        `update ${grants} set replacing_until = now() + ${OBTAIN_TIME} where ${reference} = $1 and version = $2
         and (replacing_until is null or replacing_until < now())`,
        [id, version],
      );
      if (claimed === 1) return await obtainAndStore(version, grant, obtain);
      await sleep(LOOK_AGAIN_MS);
    }
  }

  async function obtainAndStore(
    version: number,
    previous: G | undefined,
    obtain: (previous: G | undefined) => Promise<G>,
  ): Promise<G> {
    try {
      const grant = await obtain(previous);
      const stored = await database.transaction(async (client) => {
        const { rowCount } = await client.query(
          `update ${grants} set version = version + 1, sealed = $3, replacing_until = null where ${reference} = $1 and version = $2`,
          [id, version, await sealing.seal(JSON.stringify(grant), client)],
        );
        return rowCount;
      });
      // Another process got a grant meanwhile, because this took too long. That grant counts, since renewals build on it.
      if (stored === 0) return (await read()).grant ?? grant;
      known = { version: version + 1, grant };
      return grant;
    } catch (error) {
      // After a final error the claim stays, so that no process tries before the owner is stopped. Its resume ends the claim.
      if (!kind.isFinal(error)) {
        await database.run(`update ${grants} set replacing_until = null where ${reference} = $1 and version = $2`, [
          id,
          version,
        ]);
      }
      throw error;
    }
  }

  return {
    current: async () => (known ?? (await read())).grant,
    replace(stale, obtain) {
      replacing ??= replace(stale, obtain).finally(() => {
        replacing = undefined;
      });
      return replacing;
    },
  };
}
