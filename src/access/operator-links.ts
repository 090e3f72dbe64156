import { configInvalid } from '../core/errors.ts';
import type { Instant } from '../core/instant.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { audit } from './audit.ts';
import { beginSession } from './operator-sessions.ts';
import type { OperatorSession } from './operator-sessions.ts';
import { lockedOperator } from './operators.ts';
import { fingerprint, newSecret } from './secret.ts';

/** How long a link is taken: one for a person at the screen, and one that is sent to a new operator. */
const LIFE = { 'sign-in': `interval '15 minutes'`, invite: `interval '3 days'` } as const;

/** What a link is for. */
export type LinkKind = keyof typeof LIFE;

const FORM = /^[\w-]{43}$/;

/**
 * Makes a link that signs a browser in as an operator, once. It replaces the link that the operator had. The answer is the only place
 * that holds its token; the database keeps its SHA-256. Throws `config-invalid` for an unknown or disabled operator, for one that
 * signs in at an issuer, whose rules a link would pass by, and for an invite of one that has chosen a password.
 */
export async function createOperatorLink(
  database: Database,
  { name, kind }: { readonly name: string; readonly kind: LinkKind },
  actor: string,
): Promise<{ readonly token: string; readonly expiresAt: Instant }> {
  const token = newSecret();
  return await database.transaction(async (client) => {
    const { id, disabled } = await lockedOperator(client, name);
    if (disabled) throw configInvalid(`operator ${name} is disabled`, 'enable it first', 'name');
    const [account] = await rowsOf<{ byIssuer: boolean; chose: boolean }>(
      client,
      `select oidc_subject is not null as "byIssuer", password_hash is not null and password_until is null as chose
       from operator_account where id = $1`,
      [id],
    );
    if (account?.byIssuer) {
      throw configInvalid(`operator ${name} signs in at its OpenID provider`, 'sign in there', 'name');
    }
    if (kind === 'invite' && account?.chose) {
      throw configInvalid(
        `operator ${name} has a password already`,
        'make a link to sign in, which is taken for 15 minutes',
        'invite',
      );
    }
    const [row] = await rowsOf<{ expiresAt: Instant }>(
      client,
      `insert into operator_link (operator_id, hash, expires_at) values ($1, $2, now() + ${LIFE[kind]})
       on conflict (operator_id) do update set hash = excluded.hash, expires_at = excluded.expires_at
       returning instant_of(expires_at) as "expiresAt"`,
      [id, fingerprint(token)],
    );
    if (row === undefined) throw new Error('a link was not stored');
    await audit(client, actor, 'operator.link', name, { before: null, after: { kind } });
    return { token, expiresAt: row.expiresAt };
  });
}

/**
 * Begins a session of the operator of a link, which is spent by it; undefined where the link was used, replaced, is too old or never
 * was. @returns the name of the operator and the secret of the session
 */
export async function signInByLink(
  database: Database,
  token: string,
  from: Pick<OperatorSession, 'address' | 'agent'>,
): Promise<{ readonly name: string; readonly secret: string } | undefined> {
  if (!FORM.test(token)) return undefined;
  return await database.transaction(async (client) => {
    // The account first, as everything that ends sessions and links does.
    const [account] = await rowsOf<{ id: number; name: string }>(
      client,
      `select id, name from operator_account
       where id = (select operator_id from operator_link where hash = $1) and disabled_at is null for update`,
      [fingerprint(token)],
    );
    if (account === undefined) return undefined;
    const spent = await rowsOf(
      client,
      'delete from operator_link where operator_id = $1 and hash = $2 and expires_at > now() returning operator_id',
      [account.id, fingerprint(token)],
    );
    if (spent.length === 0) return undefined;
    return { name: account.name, secret: await beginSession(client, account.id, { ...from, byLink: true }) };
  });
}

/** The place of a link below the address of the API. The token is in the fragment, which no browser sends, so it is in no log of a server. */
export const pathOfLink = (token: string): string => `/#/link/${token}`;
