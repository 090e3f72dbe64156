import { setTimeout as sleep } from 'node:timers/promises';
import { BridgeError } from '../core/errors.ts';
import type { Database } from '../database/database.ts';
import type { Sealing } from './sealing.ts';

/** Whose grant it is: where its rows stand, and what to call it. */
export interface GrantOwner {
  readonly name: string;
  /** Has a column `state`: while that is `stopped` nobody gets a grant (law 9). */
  readonly table: 'source' | 'remote';
  readonly key: 'id' | 'project_id';
  /** Has version, sealed and replacing_until, and the owner's key. */
  readonly grants: 'token' | 'remote_token';
  readonly reference: 'source_id' | 'project_id';
  readonly id: number;
}

/** What the holder of a kind of grant knows about it. */
export interface GrantKind<G> {
  /** The part that is sent: two grants with the same one are the same. */
  readonly tokenOf: (grant: G) => string;
  /** Whether getting one failed for good: then nobody else tries, until an operator ends the wait. */
  readonly isFinal: (error: unknown) => boolean;
}

/** A grant that all processes share. */
export interface SharedGrant<G> {
  current(): Promise<G | undefined>;
  /** Runs `obtain` in one process at a time; the others wait and take what it got. */
  replace(stale: G | undefined, obtain: (previous: G | undefined) => Promise<G>): Promise<G>;
}

/** How long one process may take to get a grant before another may try. */
const REPLACING = "interval '60 s'";
const LOOK_AGAIN_MS = 200;

interface Known<G> {
  readonly version: number;
  readonly grant: G | undefined;
}

/**
 * One grant for all processes, sealed in the database. Exactly one process at a time gets a new one: refresh tokens that
 * may be used once break otherwise.
 */
export function sharedGrantOf<G>(
  { database, sealing, owner }: { database: Database; sealing: Sealing; owner: GrantOwner },
  kind: GrantKind<G>,
): SharedGrant<G> {
  const { grants, reference, id } = owner;
  const stands = `${grants} join ${owner.table} on ${owner.table}.${owner.key} = ${grants}.${reference} where ${grants}.${reference} = $1`;
  let known: Known<G> | undefined;
  let replacing: Promise<G> | undefined;

  async function read(): Promise<Known<G>> {
    await database.run(
      `insert into ${grants} (${reference}) select ${owner.key} from ${owner.table} where ${owner.key} = $1 on conflict do nothing`,
      [id],
    );
    const row = await database.row<{ version: number; sealed: string | null; state: string }>(
      `select version, sealed, state from ${stands}`,
      [id],
    );
    if (row === undefined) throw new BridgeError({ code: 'cancelled' }, `${owner.name} was removed`);
    // What was refused to one process is not tried by the next: accounts get locked (law 9).
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
      const mine = await database.run(
        `update ${grants} set replacing_until = now() + ${REPLACING} where ${reference} = $1 and version = $2
         and (replacing_until is null or replacing_until < now())`,
        [id, version],
      );
      if (mine === 1) return await obtainAndStore(version, grant, obtain);
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
      const stored = await database.run(
        `update ${grants} set version = version + 1, sealed = $3, replacing_until = null where ${reference} = $1 and version = $2`,
        [id, version, await sealing.seal(JSON.stringify(grant))],
      );
      // It took so long that somebody else got one too: then that one counts, for renewals build on it.
      if (stored === 0) return (await read()).grant ?? grant;
      known = { version: version + 1, grant };
      return grant;
    } catch (error) {
      // After a final refusal nobody else's turn comes before the owner is stopped; whoever wakes it up ends the wait.
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
