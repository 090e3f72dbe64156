import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { OperatorRole } from '../core/operator-role.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { audit } from './audit.ts';
import { beginSession } from './operator-sessions.ts';
import type { OperatorSession } from './operator-sessions.ts';
import { endSessions } from './operators.ts';

/** An operator as an issuer vouches for it. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** The name that it likes to have; never a reason to be taken for another operator. */
  readonly name: string;
  /** Undefined: its claims give it none, so it may not sign in. */
  readonly role: OperatorRole | undefined;
  /** The organisations that its claims let it see, null for all; those that do not exist are passed over. Undefined: no claim says it. */
  readonly organisations: readonly string[] | null | undefined;
}

interface Account {
  readonly id: number;
  readonly name: string;
  readonly role: OperatorRole;
  readonly organisations: readonly string[] | null;
  readonly disabled: boolean;
}

/**
 * Begins a session of the operator of an identity, which is made at its first sign-in and gets role and organisations of its claims at
 * each one.
 * The answer is the name and the secret of the session; `refused` where it has no role or organisation, or is disabled.
 */
export async function signInByIdentity(
  database: Database,
  identity: OidcIdentity,
  from: Pick<OperatorSession, 'address' | 'agent'>,
): Promise<
  { readonly name: string; readonly secret: string } | { readonly refused: 'no-role' | 'no-organisation' | 'disabled' }
> {
  const { issuer, subject, role } = identity;
  return await database.transaction(async (client) => {
    // One sign-in of an identity at a time, so that two first ones make one operator.
    await client.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${issuer} ${subject}`]);
    const [known] = await rowsOf<Account>(
      client,
      `select id, name, role, organisations, disabled_at is not null as disabled from operator_account
       where oidc_issuer = $1 and oidc_subject = $2 for update`,
      [issuer, subject],
    );
    if (known?.disabled) return { refused: 'disabled' };
    if (role === undefined) {
      if (known !== undefined) await endSessions(client, known.id);
      return { refused: 'no-role' };
    }
    const organisations = await existingOf(client, identity.organisations);
    if (organisations?.length === 0) {
      if (known !== undefined) await endSessions(client, known.id);
      return { refused: 'no-organisation' };
    }
    const account = known ?? (await createdFor(client, identity, role, organisations ?? null));
    if (organisations !== undefined && JSON.stringify(account.organisations) !== JSON.stringify(organisations)) {
      await client.query('update operator_account set organisations = $2 where id = $1', [account.id, organisations]);
      await endSessions(client, account.id);
      const change = { before: { organisations: account.organisations }, after: { organisations, issuer } };
      await audit(client, 'oidc', 'operator.organisations', account.name, change);
    }
    if (account.role !== role) {
      await client.query('update operator_account set role = $2 where id = $1', [account.id, role]);
      await endSessions(client, account.id);
      const change = { before: { role: account.role }, after: { role, issuer } };
      await audit(client, 'oidc', 'operator.role', account.name, change);
    }
    return { name: account.name, secret: await beginSession(client, account.id, from) };
  });
}

/** Those of the organisations that exist, each once; null and undefined as they are. */
async function existingOf(
  client: ClientBase,
  given: OidcIdentity['organisations'],
): Promise<readonly string[] | null | undefined> {
  if (given === null || given === undefined) return given;
  const rows = await rowsOf<{ id: string }>(client, 'select id from organisation where id = any($1)', [given]);
  return rows.map(({ id }) => id).sort();
}

async function createdFor(
  client: ClientBase,
  { issuer, subject, name }: OidcIdentity,
  role: OperatorRole,
  organisations: readonly string[] | null,
): Promise<Account> {
  const mark = createHash('sha256').update(`${issuer} ${subject}`).digest('hex').slice(0, 12);
  // A name that is taken stays that of its operator.
  for (const wanted of [asName(name), `${asName(name).slice(0, 80)}.${mark}`]) {
    const [row] = await rowsOf<{ id: number }>(
      client,
      `insert into operator_account (name, role, organisations, oidc_issuer, oidc_subject) values ($1, $2, $3, $4, $5)
       on conflict (name) do nothing returning id`,
      [wanted, role, organisations, issuer, subject],
    );
    if (row === undefined) continue;
    await audit(client, 'oidc', 'operator.created', wanted, {
      before: null,
      after: { role, organisations, issuer, subject },
    });
    return { id: row.id, name: wanted, role, organisations, disabled: false };
  }
  throw new Error(`no name is free for an identity of ${issuer}`);
}

/** A name of an operator that is like a text. */
function asName(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._@+-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 100);
  return plain === '' ? 'operator' : plain;
}
