import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPassword } from './embedded/cluster.ts';
import { placeOf } from './embedded/place.ts';
import { runningPostmaster } from './embedded/postmaster.ts';
import { urlOf } from './embedded/readiness.ts';

/** Whether a settings directory holds an embedded database, complete or not. */
export const hasEmbeddedDatabase = (home: string): boolean => existsSync(join(home, 'postgres'));

/**
 * The URL of the embedded server of a settings directory where one runs on this host; undefined where none does.
 * It does not start a server, and the caller does not count as a user, so the server may stop at any time.
 */
export function urlOfRunning(home: string): string | undefined {
  if (!hasEmbeddedDatabase(home)) return undefined;
  const place = placeOf(home);
  const running = existsSync(place.data) ? runningPostmaster(place.data) : undefined;
  return running === undefined || running.port === 0 ? undefined : urlOf(running.port, readPassword(place));
}
