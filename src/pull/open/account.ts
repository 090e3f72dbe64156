import type { ClientBase } from 'pg';
import type { Sealing } from '../../access/sealing.ts';
import { SLACK_OF_HOSTS, LEASE } from '../../core/pace.ts';
import { DEFAULT_ORGANISATION } from '../../core/source/source-name.ts';
import { rowsOf } from '../../database/database.ts';
import { gathering } from '../../database/gathering.ts';
import { LIVES } from '../../database/presence.ts';
import { printable } from '../../database/printable.ts';
import type { Database } from '../../database/database.ts';
import type { Credentials } from '../../platform/contract.ts';
import { MOST_REFUSED } from '../../platform/connection/account.ts';
import type { PacedAccount } from '../../pace/pacer.ts';
import type { LoginTurns } from '../../pace/login-turns.ts';
import { FOR_WITNESSES, hasWorked } from './witnesses.ts';
import { DUE_NOW, NOT_HELD } from '../work.ts';
import type { AccountStore, Admission } from '../../platform/connection/index.ts';

/** An account in the database, which all hosts share. */
export interface SharedAccount extends AccountStore, PacedAccount {
  /** Whether the platform refused it often enough that no request carries its credentials any more. */
  isLeftAlone(): Promise<boolean>;
  /** Allows one more request, where the account was refused often enough to be left alone: an operator says so. */
  tryAgain(): Promise<void>;
}

/** The use of an account is noted so often, ms. */
const USED_MS = 3_600_000;

/** A source that was refused leaves the second try to the others for so much longer. */
const ACCUSED_WAITS = "interval '1 hour'";

/** So many sources that worked are polled at once after a refusal; the first request of them decides. */
const WITNESSES = 3;

/** Longer than a platform may take to refuse a request (`RequestLimits`): a killed process gives no probe back. */
const PROBE = "interval '90 s'";

/**
 * A request of a living process with the credentials of account `$1` has left and may still be refused, or leaves at any
 * moment without asking: its slot is so near that it may not look at the row of the pace again. One that waits longer for
 * its slot asks the account before it leaves, and an abandoned one was judged long ago.
 */
const UNDER_WAY = `
  select from pace, jsonb_to_recordset(leases) as lease (id text, until bigint, abandoned boolean)
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

/** SQL: the row `source` in words, as `titleOf` says it. */
export const TITLE = `case when source.organisation_id = '${DEFAULT_ORGANISATION}' then source.name else source.organisation_id || '/' || source.name end`;

/** SQL: the source `source` has not worked. */
const notWorked = (source: string, digest: string): string =>
  `not exists (select from pace as its where its.source_id = ${source} and ${hasWorked('its', digest)})`;

/**
 * SQL: once a source of the account was refused, one that has not worked goes alone, so that no two requests that lack a right are
 * refused at a time and are taken for a wrong password.
 */
const goesAlone = (account: string, source: string): string =>
  `(${account}.refused_by is not null and ${source} is not null and ${notWorked(source, `${account}.digest`)})`;

/** SQL: the source `$6` may make the second try of the account. */
const MAY_TRY_AGAIN = `(known.second_until is null or $6::int is not null and not ${notWorked('$6', '$1')}
  or known.second_until < now() - case when exists (select from pace where source_id = $6 and state ->> 'refused' = $1) then ${ACCUSED_WAITS} else '0' end)`;

/** Polls sources that worked with the account `$1` at once, so that they find out what a refusal of the source `$2` means. */
const ASK_WITNESSES = `
  update work set ${DUE_NOW} from (
    select work.id from work join source on source.id = work.id join pace on pace.source_id = source.id
    where work.kind = 'poll' and pace.state ->> 'account' = $1 and source.id <> $2 and source.state = 'active' and source.failures = 0
      and ${NOT_HELD} and ${hasWorked('pace', '$1')}
    order by well_at desc nulls last limit ${WITNESSES} for no key update of work skip locked) as witness
  where work.kind = 'poll' and work.id = witness.id`;

interface Link {
  readonly digest: string;
  readonly sourceId: number;
  readonly revision: number;
}

/** Notes accounts in the rows of the pace; those of sources that are opened together share a statement. */
export type Links = (link: Link) => Promise<unknown>;

/** The lock of an account waits for a refusal under way, so that its mark is not missed; it comes before those of the pace. */
const LINK = (rows: string): string => `
  with link as (
    select digest, source_id, revision, place
    from unnest($1::text[], $2::int[], $3::int[]) with ordinality as link (digest, source_id, revision, place)),
  known as materialized (
    select digest, proven, refused_by from account where digest in (select digest from link) order by digest for share),
  locked as materialized (
    select link.* from pace join link using (source_id) where coalesce((state ->> 'revision')::int, 0) <= revision
      and (select count(*) from known) >= 0
    for no key update of pace ${rows}),
  linked as (
    update pace set version = version + 1, state = state
      || jsonb_build_object('account', digest, 'doubt', not coalesce(
        (select proven and not ${goesAlone('known', 'pace.source_id')} from known where known.digest = locked.digest), false))
    from locked where pace.source_id = locked.source_id)
  select place from locked`;

/** The row of an account is made, and noted as used, by its first link of an hour. */
const USE = `
  insert into account (digest) select distinct unnest($1::text[]) order by 1 on conflict (digest) do update set used_at = now()`;

export function linksOf(database: Pick<Database, 'pool'>): Links {
  let used = new Set<string>();
  let usedFrom = -Infinity;

  return gathering<Link, true>(async (links, rows) => {
    if (performance.now() > usedFrom + USED_MS) [used, usedFrom] = [new Set(), performance.now()];
    const unused = links.map(({ digest }) => digest).filter((digest) => !used.has(digest));
    if (unused.length > 0) {
      await database.pool.query(USE, [unused]);
      for (const digest of unused) used.add(digest);
    }
    const { rows: found } = await database.pool.query<{ place: number }>({
      name: `link-accounts ${rows}`.trim(),
      text: LINK(rows),
      values: [
        links.map(({ digest }) => digest),
        links.map(({ sourceId }) => sourceId),
        links.map(({ revision }) => revision),
      ],
    });
    return new Map(found.map(({ place }) => [links[place - 1] as Link, true]));
  });
}

/**
 * The account with this digest, as `sourceId` uses it; without one as a trial does. The row of `account` decides; the rows of `pace` of
 * all its sources say whether it has to be asked, so that a request costs no statement while the credentials work.
 *
 * One 401 does not tell a wrong password from a right that is missing on one path. So the second try is made by a source that worked,
 * where there is one: refused as well, it stops all; answered, it frees all but the first, which is tried once more alone.
 *
 * Each transaction locks the account first and the pace second, so that two of them never wait in a ring.
 */
export function sharedAccountOf(
  database: Database,
  digest: string,
  {
    links = linksOf(database),
    logins,
    sourceId = null,
  }: { readonly links?: Links; readonly logins?: LoginTurns; readonly sourceId?: number | null } = {},
): SharedAccount {
  const stateOf = async (): Promise<{ proven: boolean; refused: number; alone: boolean }> =>
    (await database.row(
      `select proven, refused, ${goesAlone('account', '$2::int')} as alone from account where digest = $1`,
      [digest, sourceId],
    )) ?? { proven: false, refused: 0, alone: false };

  return {
    digest,
    ...(logins && { turn: (signal) => logins.take(digest, signal), renewals: logins.renewalsOf(digest) }),
    isLeftAlone: async () => (await stateOf()).refused >= MOST_REFUSED,
    async tryAgain() {
      await database.run(
        'update account set refused = least(refused, 1), probe = null, second_until = null where digest = $1 and refused >= $2',
        [digest, MOST_REFUSED],
      );
    },
    link: (linked, revision) => links({ digest, sourceId: linked, revision }),
    async admit(attempt, { alone, hasSlot }): Promise<Admission> {
      const claimed = await database.run(
        `insert into account as known (digest, probe, probe_until) values ($1, $2, now() + ${PROBE})
         on conflict (digest) do update set probe = $2, probe_until = now() + ${PROBE}
         where known.refused < $3 and (not known.proven or $4 or ${goesAlone('known', '$6::int')})
           and (known.probe is null or known.probe = $2 or known.probe_until < now())
           and (known.refused = 0 or known.probe = $2 or not $5 and not exists (${UNDER_WAY}) and ${MAY_TRY_AGAIN})`,
        [digest, attempt, MOST_REFUSED, alone, hasSlot, sourceId],
      );
      if (claimed === 1) return 'probe';
      const state = await stateOf();
      if (state.refused >= MOST_REFUSED) return 'rejected';
      return state.proven && !alone && !state.alone ? 'proven' : 'wait';
    },
    refuse: (attempt, requests, said) =>
      database.transaction(async (client) => {
        const [row] = await rowsOf<{ refused: number; was_proven: boolean | null }>(
          client,
          `insert into account as known (digest, refused, refusal, refused_by) values ($1, $2, $4, $5)
           on conflict (digest) do update set proven = false, refused = known.refused + $2, second_until = null,
             probe = nullif(known.probe, $3), refusal = coalesce($4, known.refusal), refused_by = $5
           returning refused, old.proven as was_proven`,
          [digest, requests, attempt, said === undefined ? null : printable(said), sourceId],
        );
        await markSources(client, digest, true);
        const refused = row?.refused ?? requests;
        if (sourceId === null || refused >= MOST_REFUSED) return refused;
        const [own] = await rowsOf<{ before: boolean }>(
          client,
          `update pace set state = state || jsonb_build_object('refused', $2::text), version = version + 1
           where source_id = $1 returning coalesce(old.state ->> 'refused' = $2, false) as before`,
          [sourceId, digest],
        );
        const { rowCount } = await client.query(ASK_WITNESSES, [digest, sourceId]);
        if (!rowCount) return refused;
        await client.query(`update account set second_until = now() + ${FOR_WITNESSES} where digest = $1`, [digest]);
        return own?.before === true && row?.was_proven === true ? 'right' : refused;
      }),
    async explain(said) {
      await database.run('update account set refusal = $2 where digest = $1', [digest, printable(said)]);
    },
    async lastRefusal() {
      const row = await database.row<{ refusal: string | null }>(
        `select nullif(concat_ws(', ', refusal, 'met by source ' || ${TITLE}), '') as refusal
         from account left join source on source.id = refused_by and source.id is distinct from $2 where digest = $1`,
        [digest, sourceId],
      );
      return row?.refusal ?? undefined;
    },
    async prove(attempt) {
      await database.transaction(async (client) => {
        const [row] = await rowsOf<{ was_proven: boolean }>(
          client,
          `update account set proven = true, refused = 0, probe = null, refusal = null, second_until = null,
             refused_by = nullif(refused_by, $3)
           where digest = $1 and probe = $2 returning old.proven as was_proven`,
          [digest, attempt, sourceId],
        );
        if (row === undefined) return;
        if (!row.was_proven) await markSources(client, digest, false);
        if (sourceId === null) return;
        await client.query(
          `update pace set version = version + 1, state = state - 'refused' || '{"doubt": false}'
           where source_id = $1 and state ->> 'account' = $2 and (state ? 'refused' or state @> '{"doubt": true}')`,
          [sourceId, digest],
        );
      });
    },
    async leave(attempt) {
      await database.run('update account set probe = null where digest = $1 and probe = $2', [digest, attempt]);
    },
  };
}

/**
 * Tells all sources with an account whether its credentials are in doubt; one that goes alone stays so. There is a row for each source,
 * and doubts are rare.
 */
async function markSources(client: ClientBase, digest: string, doubt: boolean): Promise<void> {
  await client.query(
    `update pace set version = version + 1, state = state || jsonb_build_object('doubt', $2::boolean or ${goesAlone('account', 'pace.source_id')})
     from account where account.digest = $1 and state ->> 'account' = $1`,
    [digest, doubt],
  );
}
