import { randomBytes } from 'node:crypto';
import { configInvalid } from '../core/errors.ts';
import { formatInstant, instantOrNull } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { audit } from './audit.ts';
import { assertName } from './names.ts';
import { lockedOperator } from './operators.ts';
import type { Operator } from './operators.ts';
import { fingerprint, newSecret } from './secret.ts';

/** A personal token of an operator, without its secret. */
export interface OperatorToken {
  readonly id: string;
  readonly operator: string;
  readonly name: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  /** To the minute; null: never. */
  readonly lastUsedAt: Instant | null;
  readonly revokedAt: Instant | null;
}

/** The prefix tells scanners of repositories and logs that a text is a secret. */
const PREFIX = 'dbo_';
const FORM = /^dbo_[\w-]{43}$/;

const LONGEST_DAYS = 365;
const MOST_TOKENS = 50;

/**
 * Creates a personal token. The result is the only place that holds its secret; the database keeps its SHA-256. Throws
 * `config-invalid` for an unknown or disabled operator, for a life of other than 1 to 365 whole days, and beyond 50 tokens.
 */
export async function createOperatorToken(
  database: Database,
  given: { readonly operator: string; readonly name: string; readonly days: number },
  actor: string,
): Promise<OperatorToken & { readonly token: string }> {
  const { operator, name, days } = given;
  assertName(name);
  if (!Number.isInteger(days) || days < 1 || days > LONGEST_DAYS) {
    throw configInvalid(`a token cannot live for ${days} days`, `use 1 to ${LONGEST_DAYS} whole days`, 'days');
  }
  const token = `${PREFIX}${newSecret()}`;
  const id = `tok_${randomBytes(10).toString('hex')}`;
  return await database.transaction(async (client) => {
    const owner = await lockedOperator(client, operator);
    if (owner.disabled) {
      throw configInvalid(`operator ${operator} is disabled`, `databridge operator enable ${operator}`, 'operator');
    }
    const [created] = await rowsOf<{ createdAt: Instant; expiresAt: Instant }>(
      client,
      `insert into operator_token (id, operator_id, name, hash, expires_at)
       select $1, $2, $3, $4, now() + $5 * interval '1 day'
       where (select count(*) from operator_token
              where operator_id = $2 and revoked_at is null and expires_at > now()) < $6
       returning instant_of(created_at) as "createdAt", instant_of(expires_at) as "expiresAt"`,
      [id, owner.id, name, fingerprint(token), days, MOST_TOKENS],
    );
    if (!created) {
      throw configInvalid(
        `operator ${operator} has ${MOST_TOKENS} tokens`,
        'revoke one that is not used: databridge operator token list shows when each was used',
        'operator',
      );
    }
    await audit(client, actor, 'operator.token-created', operator, { before: null, after: { id, name, days } });
    return { id, operator, name, ...created, lastUsedAt: null, revokedAt: null, token };
  });
}

/** A personal token as a JSON document, without its secret. */
export const operatorTokenDocument = ({ createdAt, expiresAt, lastUsedAt, revokedAt, ...token }: OperatorToken) => ({
  ...token,
  createdAt: formatInstant(createdAt),
  expiresAt: formatInstant(expiresAt),
  lastUsedAt: instantOrNull(lastUsedAt),
  revokedAt: instantOrNull(revokedAt),
});

/** The personal tokens of an operator, or of all, the newest first. Expired ones are listed for a month. */
export const listOperatorTokens = (database: Database, operator?: string): Promise<OperatorToken[]> =>
  database.rows<OperatorToken & Record<string, unknown>>(
    `select operator_token.id, operator_account.name as operator, operator_token.name,
       instant_of(operator_token.created_at) as "createdAt", instant_of(expires_at) as "expiresAt",
       instant_of(last_used_at) as "lastUsedAt", instant_of(revoked_at) as "revokedAt"
     from operator_token join operator_account on operator_account.id = operator_id
     where $1::text is null or operator_account.name = $1
     order by operator_token.created_at desc, operator_token.id`,
    [operator ?? null],
  );

/**
 * Revokes a personal token from the next request on; false where it was revoked before. Throws `config-invalid` for an
 * unknown id. With `operator` the token of any other operator is unknown.
 */
export async function revokeOperatorToken(
  database: Database,
  id: string,
  actor: string,
  { operator }: { readonly operator?: string | undefined } = {},
): Promise<boolean> {
  return await database.transaction(async (client) => {
    const [row] = await rowsOf<{ owner: string; name: string; revoked: boolean }>(
      client,
      `select operator_account.name as owner, operator_token.name, revoked_at is not null as revoked
       from operator_token join operator_account on operator_account.id = operator_id
       where operator_token.id = $1 and ($2::text is null or operator_account.name = $2) for update of operator_token`,
      [id.slice(0, 100), operator ?? null],
    );
    if (!row) {
      throw configInvalid(
        `there is no token ${JSON.stringify(id.slice(0, 100))}`,
        'databridge operator token list shows the tokens with their ids',
        'id',
      );
    }
    if (row.revoked) return false;
    await client.query('update operator_token set revoked_at = now() where id = $1', [id]);
    await audit(client, actor, 'operator.token-revoked', row.owner, {
      before: { id, name: row.name, revoked: false },
      after: { id, name: row.name, revoked: true },
    });
    return true;
  });
}

/** The reason why a personal token is not accepted. */
export type OperatorTokenRefusal = 'unknown' | 'expired' | 'revoked' | 'disabled';

/**
 * The operator that presents a personal token, or the reason why there is none. Asks the database each time, so a
 * revocation holds from the next request on, on every host.
 */
export async function operatorOfToken(
  database: Database,
  token: string,
): Promise<{ readonly operator: Operator; readonly tokenId: string } | { readonly refused: OperatorTokenRefusal }> {
  if (!FORM.test(token)) return { refused: 'unknown' };
  const row = await database.row<
    Operator & { tokenId: string; expired: boolean; revoked: boolean; disabled: boolean; stale: boolean }
  >(
    `select operator_account.id, operator_account.name, role, organisations, operator_token.id as "tokenId",
       expires_at <= now() as expired, revoked_at is not null as revoked, disabled_at is not null as disabled,
       last_used_at is null or last_used_at < now() - interval '1 minute' as stale
     from operator_token join operator_account on operator_account.id = operator_id where hash = $1`,
    [fingerprint(token)],
  );
  if (!row) return { refused: 'unknown' };
  if (row.disabled) return { refused: 'disabled' };
  if (row.revoked) return { refused: 'revoked' };
  if (row.expired) return { refused: 'expired' };
  const { id, name, role, organisations, tokenId } = row;
  if (row.stale) await database.run('update operator_token set last_used_at = now() where id = $1', [tokenId]);
  return { operator: { id, name, role, organisations }, tokenId };
}
