import { setTimeout as sleep } from 'node:timers/promises';
import type { Sealing } from '../access/sealing.ts';
import { BridgeError } from '../core/errors.ts';
import type { Database } from '../database/database.ts';
import type { Grant } from './adapter.ts';
import type { Tokens } from './connection/index.ts';

/** How long one process may take to get a token before another may try. */
const REPLACING = "interval '60 s'";
const LOOK_AGAIN_MS = 200;

interface Row {
  readonly version: number;
  readonly sealed: string | null;
  readonly state: string;
}

/**
 * The token of one source, shared by all hosts, sealed in the database. Exactly one process at a time gets a new one
 * (single-use refresh tokens break otherwise); the others wait and take what it got.
 */
export function tokensOf(database: Database, sealing: Sealing, sourceId: number): Tokens {
  let known: { version: number; grant: Grant | undefined } | undefined;
  let replacing: Promise<Grant> | undefined;

  async function read(): Promise<{ version: number; grant: Grant | undefined }> {
    await database.run('insert into token (source_id) select id from source where id = $1 on conflict do nothing', [
      sourceId,
    ]);
    const row = await database.row<Row>(
      'select version, sealed, state from token join source on source.id = source_id where source_id = $1',
      [sourceId],
    );
    if (row === undefined) throw new BridgeError({ code: 'cancelled' }, 'the source was removed');
    // What was refused to one process is not tried by the next: platforms lock accounts (law 9).
    if (row.state === 'stopped') throw new BridgeError({ code: 'cancelled' }, 'the source was stopped');
    const { version } = row;
    if (known === undefined || known.version !== version) {
      known = { version, grant: row.sealed ? (JSON.parse(await sealing.open(row.sealed)) as Grant) : undefined };
    }
    return known;
  }

  async function replace(
    stale: Grant | undefined,
    obtain: (previous: Grant | undefined) => Promise<Grant>,
  ): Promise<Grant> {
    for (;;) {
      const { version, grant } = await read();
      if (grant !== undefined && grant.token !== stale?.token) return grant;
      const mine = await database.run(
        `update token set replacing_until = now() + ${REPLACING} where source_id = $1 and version = $2
         and (replacing_until is null or replacing_until < now())`,
        [sourceId, version],
      );
      if (mine === 1) return await fetchAndStore(version, grant, obtain);
      await sleep(LOOK_AGAIN_MS);
    }
  }

  async function fetchAndStore(
    version: number,
    previous: Grant | undefined,
    obtain: (previous: Grant | undefined) => Promise<Grant>,
  ): Promise<Grant> {
    try {
      const grant = await obtain(previous);
      const stored = await database.run(
        'update token set version = version + 1, sealed = $3, replacing_until = null where source_id = $1 and version = $2',
        [sourceId, version, await sealing.seal(JSON.stringify(grant))],
      );
      // It took so long that somebody else got one too: then that one counts, for renewals build on it.
      if (stored === 0) return (await read()).grant ?? grant;
      known = { version: version + 1, grant };
      return grant;
    } catch (error) {
      // After a refusal nobody else's turn comes before the source is stopped; whoever wakes it up again ends the wait.
      const refused = error instanceof BridgeError && error.code === 'credentials-rejected';
      if (!refused) {
        await database.run('update token set replacing_until = null where source_id = $1 and version = $2', [
          sourceId,
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
