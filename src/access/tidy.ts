import type { Database } from '../database/database.ts';
import { tidySessions } from './operator-sessions.ts';
import { KEPT_AFTER_SIGNING } from './stored-signing-keys.ts';

/**
 * Removes expired refresh tokens and families, sessions of operators that have ended and their tokens a month later, links that were not used, seeds after the
 * grace time, events of operators and keys of idempotent requests after a day, attempts that are free again, private parts of keys that sign no more, and keys whose last token has expired. It
 * only keeps the tables small: the other code works the same without it.
 */
export async function tidyAccess(database: Database): Promise<void> {
  await database.run(`delete from refresh_family where expires_at < now() - interval '1 day'`);
  await database.run(`delete from refresh_token where expires_at < now() - interval '1 day'`);
  await database.run(`delete from event where at < now() - interval '1 day'`);
  await tidySessions(database);
  await database.run('delete from operator_link where expires_at < now()');
  await database.run(`delete from idempotent_request where at < now() - interval '1 day'`);
  await database.run('delete from attempt where full_at < now()');
  await database.run(`delete from operator_token where expires_at < now() - interval '30 days'`);
  await database.run(
    `update refresh_token set successor_seed = null
     where successor_seed is not null and used_at < now() - interval '10 minutes'`,
  );
  await database.run(
    `update signing_key set private_key = null where private_key is not null and signs_until < now() - interval '1 hour'`,
  );
  await database.run(`delete from signing_key where signs_until < now() - $1 * interval '1 microsecond'`, [
    KEPT_AFTER_SIGNING,
  ]);
}
