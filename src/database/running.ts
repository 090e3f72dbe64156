import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMapping } from '../core/source/path.ts';
import { readPassword } from './embedded/cluster.ts';
import { placeOf } from './embedded/place.ts';
import { runningPostmaster } from './embedded/postmaster.ts';
import { urlOf } from './embedded/readiness.ts';

/**
 * Whether a settings directory holds an embedded database. What a start leaves that failed before the database was made, such as
 * on a full disk, is none.
 */
export function hasEmbeddedDatabase(home: string): boolean {
  if (existsSync(join(home, 'postgres', 'data'))) return true;
  try {
    // The data is elsewhere. A record that cannot be read is a fault that its reader tells.
    const record: unknown = JSON.parse(readFileSync(join(home, 'postgres', 'place.json'), 'utf8'));
    return !isMapping(record) || record['initialised'] === true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'));
  }
}

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
