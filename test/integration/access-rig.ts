import { accessTokensOf } from '../../src/access/access-tokens.ts';
import type { AccessTokens } from '../../src/access/access-tokens.ts';
import { createApplication } from '../../src/access/applications.ts';
import { revocationsOf } from '../../src/access/revocations.ts';
import type { Sealing } from '../../src/access/sealing.ts';
import { openSealing } from '../kit/sealing.ts';
import { signingKeysOf } from '../../src/access/signing-keys.ts';
import type { SigningKeys } from '../../src/access/signing-keys.ts';
import { grantToken } from '../../src/access/token-endpoint.ts';
import type { GrantRefused, TokenAnswer, TokenRequest } from '../../src/access/token-endpoint.ts';
import { DAY } from '../../src/core/instant.ts';
import type { Instant, Microseconds } from '../../src/core/instant.ts';
import { clockOf } from '../../src/database/clock.ts';
import type { Database } from '../../src/database/database.ts';

export const SEALING_KEY = 'A'.repeat(43);

/** Texts that must do no harm in any field of a request. */
export const NASTY = [
  '',
  ' ',
  '\0',
  'a\0b',
  "' or '1'='1",
  "'; drop table refresh_token; --",
  '$1',
  '%',
  '\ud800',
  '\u202e',
  'ä'.repeat(5_000),
];

/** One process with the access room as the API opens it, on a clock that a test moves. */
export interface Process {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly keys: SigningKeys;
  readonly accessTokens: AccessTokens;
  now(): Instant;
  /** Moves this process's clock forward. */
  wait(time: Microseconds): void;
  /** Stops this process's clock, so that it goes on by `wait` alone, however long the statements of a test take. */
  stopClock(): void;
  grant(request: Partial<TokenRequest>): Promise<TokenAnswer | GrantRefused>;
}

export async function openProcess(database: Database, sealingKey = SEALING_KEY): Promise<Process> {
  const real = await clockOf(database);
  let ahead = 0;
  let stoppedAt: Instant | undefined;
  const clock = { ...real, now: () => (stoppedAt ?? real.now()) + ahead };
  const sealing = await openSealing('/nowhere', sealingKey);
  const keys = signingKeysOf({ database, sealing, clock });
  const leastGeneration = revocationsOf(database, clock);
  const accessTokens = accessTokensOf({ keys, leastGeneration, clock, issuer: 'databridge' });
  const refreshLifetimes = { unused: 30 * DAY, family: 365 * DAY };
  const parts = { database, accessTokens, clock, accessSeconds: () => 600, refreshLifetimes };
  return {
    database,
    sealing,
    keys,
    accessTokens,
    now: clock.now,
    wait: (time) => {
      ahead += time;
    },
    stopClock: () => {
      stoppedAt = real.now();
    },
    grant: (request) => grantToken(parts, { address: '127.0.0.1', ...request }),
  };
}

export interface Client {
  readonly id: string;
  readonly secret: string;
}

export async function makeClient(database: Database, name = 'gateway'): Promise<Client> {
  const { applicationId, secret } = await createApplication(database, { organisation: 'default', name }, 'test');
  return { id: applicationId, secret };
}

/** The answer where a token was granted; throws with the refusal otherwise. */
export function granted(answer: TokenAnswer | GrantRefused): TokenAnswer {
  if ('error' in answer) throw new Error(`refused: ${answer.error}, ${answer.error_description}`);
  return answer;
}

/** All rows of all tables as text, as in a dump. */
export async function everythingIn(database: Database): Promise<string> {
  const tables = await database.rows<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const dumps: string[] = [];
  for (const { name } of tables) {
    for (const { row } of await database.rows<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`)) {
      dumps.push(`${name} ${row}`);
    }
  }
  return dumps.join('\n');
}
