import { SECOND } from '../core/instant.ts';
import type { SharedClock } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { keepFresh } from './keep-fresh.ts';
import { LONGEST_TOKEN_SECONDS } from '../core/token-lifetime.ts';

/** Every process knows that tokens were ended after at most this time. */
const MAX_AGE = 2 * SECOND;

/** The least valid generation of a revoked application: no token has it. */
export const REVOKED = Infinity;

/**
 * Applications whose access tokens were ended, with the least generation that is still valid. They are few, because an
 * ending older than the longest lifetime of a token is left out. It is a number instead of an instant, because a token
 * may be made in the second in which others end, on a host whose clock differs.
 */
export const revocationsOf = (database: Database, clock: SharedClock): (() => Promise<ReadonlyMap<string, number>>) =>
  keepFresh(
    async () => {
      const rows = await database.rows<{ id: string; revoked: boolean; generation: number }>(
        `select id, revoked_at is not null as revoked, token_generation as generation from application
         where revoked_at > now() - ($1 + 60) * interval '1 second' or tokens_ended_at > now() - ($1 + 60) * interval '1 second'`,
        [LONGEST_TOKEN_SECONDS],
      );
      return new Map(rows.map(({ id, revoked, generation }) => [id, revoked ? REVOKED : generation]));
    },
    MAX_AGE,
    clock.now,
  );
