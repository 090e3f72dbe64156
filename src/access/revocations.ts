import { SECOND } from '../core/instant.ts';
import type { SharedClock } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { keepFresh } from './keep-fresh.ts';
import { LONGEST_TOKEN_SECONDS } from '../core/token-lifetime.ts';

/** A revocation is known in every process after this time at the latest. */
const MAX_AGE = 5 * SECOND;

/**
 * The ids of applications that were revoked and may still have access tokens. Few: a revocation older than the longest
 * token matters no more.
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
