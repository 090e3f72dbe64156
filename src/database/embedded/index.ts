import { rm } from 'node:fs/promises';
import { withRemedy } from './failure.ts';
import { withLock } from './lock.ts';
import { placeOf } from './place.ts';
import type { EmbeddedPlace } from './place.ts';
import { runningPostmaster } from './postmaster.ts';
import { ensureServer, stopServer } from './server.ts';
import { boundLog } from './server-log.ts';
import { livingUsers, registerUser } from './users.ts';

export { EmbeddedDatabaseError } from './embedded-database-error.ts';

const CHECK_EVERY_MS = 2_000;

export interface EmbeddedDatabase {
  /** URL of the database `databridge` with its password: never log it. It survives restarts while its port is free. */
  readonly url: string;
  /** Ends this use. The last user of all processes stops the server and waits until no process of it is left. Repeatable. */
  release(): Promise<void>;
}

export interface EmbeddedDatabaseOptions {
  /** The settings directory, made where missing; the server lives in its `postgres` directory (see placeOf). */
  readonly directory: string;
  /** Called with a sentence when a step takes long or is surprising; a healthy start of an existing database says nothing. */
  readonly log?: (message: string) => void;
}

/**
 * Opens the PostgreSQL of a settings directory for this process: makes it at first use, starts it where it does not run, else
 * attaches to it. Any number of processes may do so at once. A killed process does not harm the other users and no longer
 * counts as a user. A killed server is started again within about two seconds, with all that was committed, by the first
 * user that notices; connections are lost. A server whose users were all killed keeps running for the next user.
 *
 * Throws EmbeddedDatabaseError, whose `remedy` tells a person what to do.
 */
export async function openEmbeddedDatabase({
  directory,
  log = () => undefined,
}: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  try {
    const place = placeOf(directory);
    return await withLock(place.lock, log, async () => {
      const note = await registerUser(place.users);
      try {
        return watched(place, note, await ensureServer(place, log), log);
      } catch (error) {
        await unregister(place, note, log);
        throw error;
      }
    });
  } catch (error) {
    throw withRemedy(error);
  }
}

async function unregister(place: EmbeddedPlace, note: string, log: (message: string) => void): Promise<void> {
  await rm(note, { force: true });
  // Without a server on this host the notes mean nothing: it may run in another container, together with its users.
  if (runningPostmaster(place.data) === undefined) return;
  if ((await livingUsers(place.users)) === 0) await stopServer(place, log);
}

function watched(place: EmbeddedPlace, note: string, url: string, log: (message: string) => void): EmbeddedDatabase {
  let checking: Promise<void> | undefined;
  let lastReported = '';
  const watch = setInterval(() => {
    checking ??= keepRunning(place, url, log)
      .then(() => (lastReported = ''))
      .catch((error: unknown) => {
        const message = `the embedded PostgreSQL cannot be kept running: ${String(withRemedy(error))}`;
        // The same message is logged once, not at every check.
        if (message !== lastReported) log(message);
        lastReported = message;
      })
      .then(() => (checking = undefined));
  }, CHECK_EVERY_MS).unref();
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => {
    clearInterval(watch);
    await checking;
    await withLock(place.lock, log, () => unregister(place, note, log));
  };
  return {
    url,
    release: () => (released ??= release().catch((error: unknown) => Promise.reject(withRemedy(error)))),
  };
}

/** Keeps the log small and the server running. */
async function keepRunning(place: EmbeddedPlace, url: string, log: (message: string) => void): Promise<void> {
  boundLog(place);
  if (runningPostmaster(place.data) !== undefined) return;
  await withLock(place.lock, log, async () => {
    if (runningPostmaster(place.data) !== undefined) return;
    log('the embedded PostgreSQL has ended unasked and is started again');
    if ((await ensureServer(place, log)) === url) return;
    log('the embedded PostgreSQL had to change its port; restart databridge, which still uses the old port');
  });
}
