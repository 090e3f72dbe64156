import type { ClientBase } from 'pg';
import type { Sealing } from '../access/sealing.ts';
import { SLACK_OF_HOSTS, LEASE } from '../core/pace.ts';
import { rowsOf } from '../database/database.ts';
import { LIVES } from '../database/presence.ts';
import { printable } from '../database/printable.ts';
import type { Database } from '../database/database.ts';
import type { Credentials } from '../platform/contract.ts';
import { MOST_REFUSED } from '../platform/connection/index.ts';
import type { AccountStore, Admission } from '../platform/connection/index.ts';

/** An account in the database, which all hosts share. */
export interface SharedAccount extends AccountStore {
  readonly digest: string;
  /** Whether the platform refused it often enough that no request carries its credentials any more. */
  isLeftAlone(): Promise<boolean>;
  /** Allows one more request, where the account was refused often enough to be left alone: an operator says so. */
  tryAgain(): Promise<void>;
  /** Notes in the row of the pace which account the source has, unless a newer configuration of the source is in force. */
  link(sourceId: number, revision: number): Promise<void>;
}

/** Longer than a platform may take to refuse a request (`RequestLimits`): a killed process gives no probe back. */
const PROBE = "interval '90 s'";

/**
 * A request of a living process with the credentials of account `$1` has left and may still be refused, or leaves at any
 * moment without asking: its slot is so near that it may not look at the row of the pace again. One that waits longer for
 * its slot asks the account before it leaves, and an abandoned one was judged long ago.
 */
const UNDER_WAY = `
  select from pace, jsonb_to_recordset(state -> 'leases') as lease (id text, until bigint, abandoned boolean)
    join worker on worker.id = split_part(lease.id, '/', 1)::uuid
  where state ->> 'account' = $1 and abandoned is not true and now() between at_instant(until - ${LEASE + SLACK_OF_HOSTS}) and at_instant(until) and ${LIVES}`;

/**
 * Names the account of a source without telling its secret: a keyed hash of the host that takes the secret, user and secret. Paths
 * do not count, because a host that locks accounts counts the refusals of all its paths.
 */
export function accountDigest(sealing: Sealing, { url = '', authUrl = url, ...secret }: Credentials): string {
  const { origin } = new URL(authUrl);
  const fields = Object.keys(secret).sort();
  const values = fields.map((field) => [field, secret[field]]);
  return sealing.digest(JSON.stringify([origin, values]));
}

/**
 * The account with this digest. The row of `account` decides; the rows of `pace` of all its sources say whether it has to be
 * asked, so that a request costs no statement while the credentials work.
 */
export function sharedAccountOf(database: Database, digest: string): SharedAccount {
  /** Locks the account first and the pace second, as all statements do, so that two of them never wait in a ring. */
  const noting = async <T>(change: (client: ClientBase) => Promise<T>): Promise<T> =>
    await database.transaction(change);

  const stateOf = async (): Promise<{ proven: boolean; refused: number }> =>
    (await database.row('select proven, refused from account where digest = $1', [digest])) ?? {
      proven: false,
      refused: 0,
    };

  return {
    digest,
    isLeftAlone: async () => (await stateOf()).refused >= MOST_REFUSED,
    async tryAgain() {
      await database.run(
        'update account set refused = least(refused, 1), probe = null where digest = $1 and refused >= $2',
        [digest, MOST_REFUSED],
      );
    },
    async link(sourceId, revision) {
      await noting(async (client) => {
        await client.query(
          'insert into account (digest) values ($1) on conflict (digest) do update set used_at = now()',
          [digest],
        );
        // The lock waits for a refusal under way, so that its mark is not missed.
        const [row] = await rowsOf<{ proven: boolean }>(
          client,
          'select proven from account where digest = $1 for share',
          [digest],
        );
        await client.query(
          `update pace set version = version + 1, state = state || jsonb_build_object('account', $2::text, 'doubt', $3::boolean)
           where source_id = $1 and coalesce((state ->> 'revision')::int, 0) <= $4`,
          [sourceId, digest, row?.proven !== true, revision],
        );
      });
    },
    async admit(attempt, { alone, hasSlot }): Promise<Admission> {
      const claimed = await database.run(
        `insert into account as known (digest, probe, probe_until) values ($1, $2, now() + ${PROBE})
         on conflict (digest) do update set probe = $2, probe_until = now() + ${PROBE}
         where known.refused < $3 and (not known.proven or $4)
           and (known.probe is null or known.probe = $2 or known.probe_until < now())
           and (known.refused = 0 or known.probe = $2 or not $5 and not exists (${UNDER_WAY}))`,
        [digest, attempt, MOST_REFUSED, alone, hasSlot],
      );
      if (claimed === 1) return 'probe';
      const { proven, refused } = await stateOf();
      if (refused >= MOST_REFUSED) return 'rejected';
      return proven && !alone ? 'proven' : 'wait';
    },
    refuse: (attempt, requests, said) =>
      noting(async (client) => {
        const [row] = await rowsOf<{ refused: number }>(
          client,
          `insert into account as known (digest, refused, refusal) values ($1, $2, $4)
           on conflict (digest) do update set proven = false, refused = known.refused + $2,
             probe = nullif(known.probe, $3), refusal = coalesce($4, known.refusal) returning refused`,
          [digest, requests, attempt, said === undefined ? null : printable(said)],
        );
        await markSources(client, digest, true);
        return row?.refused ?? requests;
      }),
    async explain(said) {
      await database.run('update account set refusal = $2 where digest = $1', [digest, printable(said)]);
    },
    async lastRefusal() {
      const row = await database.row<{ refusal: string | null }>('select refusal from account where digest = $1', [
        digest,
      ]);
      return row?.refusal ?? undefined;
    },
    async prove(attempt) {
      await noting(async (client) => {
        const [row] = await rowsOf<{ was_proven: boolean }>(
          client,
          `update account set proven = true, refused = 0, probe = null, refusal = null where digest = $1 and probe = $2
           returning old.proven as was_proven`,
          [digest, attempt],
        );
        if (row?.was_proven === false) await markSources(client, digest, false);
      });
    },
    async leave(attempt) {
      await database.run('update account set probe = null where digest = $1 and probe = $2', [digest, attempt]);
    },
  };
}

/** Tells all sources with an account whether its credentials are in doubt. There is a row for each source, and doubts are rare. */
async function markSources(client: ClientBase, digest: string, doubt: boolean): Promise<void> {
  await client.query(
    `update pace set version = version + 1, state = state || jsonb_build_object('doubt', $2::boolean) where state ->> 'account' = $1`,
    [digest, doubt],
  );
}
