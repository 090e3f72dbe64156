import { SECOND } from '../core/instant.ts';
import type { SharedClock } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { keepFresh } from './keep-fresh.ts';
import { LONGEST_TOKEN_SECONDS } from '../core/token-lifetime.ts';

/** Every process knows a revocation after at most this time. */
const MAX_AGE = 5 * SECOND;

/**
 * Ids of the revoked applications that may still have valid access tokens. They are few, because a revocation older than
 * the longest lifetime of a token is left out.
 */
export const revocationsOf = (database: Database, clock: SharedClock): (() => Promise<ReadonlySet<string>>) =>
  keepFresh(
    async () => {
      const rows = await database.rows<{ id: string }>(
        `select id from application where revoked_at > now() - ($1 + 60) * interval '1 second'`,
        [LONGEST_TOKEN_SECONDS],
      );
      return new Set(rows.map((row) => row.id));
    },
    MAX_AGE,
    clock.now,
  );
