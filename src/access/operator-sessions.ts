import { randomBytes } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { printable } from '../database/printable.ts';
import type { Operator } from './operators.ts';
import { fingerprint, newSecret } from './secret.ts';

/** A session ends this long after its last request, to the minute, and this long after sign-in, whatever it does. */
const IDLE = `interval '30 minutes'`;
const LONGEST = `interval '12 hours'`;
/** Who signed in or gave the password longer ago has to give it again before a change that hands out or takes away access. */
const PROOF = `interval '10 minutes'`;
const IS_ALIVE = `used_at > now() - ${IDLE} and operator_session.created_at > now() - ${LONGEST}`;

/** A sign-in beyond that ends the oldest session. */
const MOST_SESSIONS = 20;
const FORM = /^[\w-]{43}$/;
const LONGEST_AGENT = 200;

/** A session of an operator, without its secret. */
export interface OperatorSession {
  readonly id: string;
  readonly createdAt: Instant;
  /** To the minute. */
  readonly usedAt: Instant;
  /** When it ends whatever it does. */
  readonly endsAt: Instant;
  /** The address that signed in. */
  readonly address: string;
  /** The browser that signed in, as it calls itself. */
  readonly agent: string;
}

/** The operator of a session. */
export interface SessionHolder {
  readonly operator: Operator;
  readonly sessionId: string;
  readonly endsAt: Instant;
  /** The operator did not choose its password, and has to choose one before anything else. */
  readonly mustChangePassword: boolean;
  /** The operator signed in or gave its password in the last ten minutes. */
  readonly isProved: boolean;
  /** A one-time link began it, and the operator has no password of its own choice. */
  readonly mayChoosePassword: boolean;
}

/** Begins a session. The result is the only place that holds its secret; the database keeps its SHA-256. */
export async function beginSession(
  client: ClientBase,
  operatorId: number,
  { address, agent, byLink = false }: Pick<OperatorSession, 'address' | 'agent'> & { readonly byLink?: boolean },
): Promise<string> {
  const secret = newSecret();
  await client.query(
    `insert into operator_session (id, hash, operator_id, address, agent, by_link) values ($1, $2, $3, $4, $5, $6)`,
    [
      `ses_${randomBytes(10).toString('hex')}`,
      fingerprint(secret),
      operatorId,
      address,
      printable(agent.slice(0, LONGEST_AGENT)),
      byLink,
    ],
  );
  await client.query(
    `delete from operator_session where id in (
       select id from operator_session where operator_id = $1 order by created_at desc, id offset ${MOST_SESSIONS})`,
    [operatorId],
  );
  return secret;
}

/**
 * The holder of a session; undefined where it has ended. Asks the database each time, so an end holds at once on every host. Each
 * request is a use of the session, unless `isUse` is false.
 */
export async function holderOfSession(
  database: Database,
  secret: string,
  { isUse = true }: { readonly isUse?: boolean } = {},
): Promise<SessionHolder | undefined> {
  if (!FORM.test(secret)) return undefined;
  const row = await database.row<Operator & Omit<SessionHolder, 'operator'> & { stale: boolean }>(
    `select operator_account.id, operator_account.name, role, organisations, operator_session.id as "sessionId",
       instant_of(operator_session.created_at + ${LONGEST}) as "endsAt", password_until is not null or is_invited as "mustChangePassword",
       proved_at > now() - ${PROOF} as "isProved", by_link and (password_until is not null or is_invited) as "mayChoosePassword",
       used_at < now() - interval '1 minute' as stale
     from operator_session join operator_account on operator_account.id = operator_id,
       lateral (select by_link and password_hash is null as is_invited) as invitation
     where hash = $1 and ${IS_ALIVE} and disabled_at is null`,
    [fingerprint(secret)],
  );
  if (!row) return undefined;
  const { id, name, role, organisations, stale, ...session } = row;
  if (stale && isUse) {
    await database.run('update operator_session set used_at = now() where id = $1', [session.sessionId]);
  }
  return { operator: { id, name, role, organisations }, ...session };
}

/** The sessions of an operator that have not ended, the newest first. */
export const sessionsOf = (database: Database, operatorId: number): Promise<OperatorSession[]> =>
  database.rows<OperatorSession & Record<string, unknown>>(
    `select id, instant_of(created_at) as "createdAt", instant_of(used_at) as "usedAt",
       instant_of(created_at + ${LONGEST}) as "endsAt", address, agent
     from operator_session where operator_id = $1 and ${IS_ALIVE} order by created_at desc, id`,
    [operatorId],
  );

/** Ends one session of an operator; false where it has none of that id. */
export const endSession = async (database: Database, operatorId: number, id: string): Promise<boolean> =>
  (await database.run('delete from operator_session where operator_id = $1 and id = $2', [operatorId, id])) > 0;

/** Ends the session of a secret, where there is one. */
export async function endSessionOfSecret(database: Database, secret: string): Promise<void> {
  if (FORM.test(secret)) await database.run('delete from operator_session where hash = $1', [fingerprint(secret)]);
}

/** Removes sessions that have ended. */
export const tidySessions = (database: Database): Promise<number> =>
  database.run(`delete from operator_session where not (${IS_ALIVE})`);
