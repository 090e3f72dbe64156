import { rm } from 'node:fs/promises';
import { explained } from './failure.ts';
import { withLock } from './lock.ts';
import { placeOf } from './place.ts';
import type { EmbeddedPlace } from './place.ts';
import { runningPostmaster } from './postmaster.ts';
import { ensureServer, stopServer } from './server.ts';
import { boundLog } from './server-log.ts';
import { livingUsers, register } from './users.ts';

export { EmbeddedDatabaseError } from './embedded-database-error.ts';

const LOOK_EVERY_MS = 2_000;

export interface EmbeddedDatabase {
  /** Of the database `databridge`, with password: not to be logged. Stays the same over restarts while its port is free. */
  readonly url: string;
  /** Gives the server up; the last user of all processes stops it and waits until no process of it is left. Repeatable. */
  release(): Promise<void>;
}

export interface EmbeddedDatabaseOptions {
  /** The settings directory, made where missing; the server lives in its `postgres` directory (see placeOf). */
  readonly directory: string;
  /** Told what takes long or is surprising, in sentences; a start of an existing database in good health says nothing. */
  readonly log?: (message: string) => void;
}

/**
 * Opens the PostgreSQL of a settings directory for this process: makes it at first use, starts it where it does not run, else
 * attaches to it. Any number of processes may do so at once. A user that is killed does not harm the others and does not
 * count; a server that is killed is started again, with all that was committed, by whichever user sees it first (within about
 * two seconds; connections are lost and to be made anew). A server nobody released keeps running for the next to attach.
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
      const note = await register(place.users);
      try {
        return opened(place, note, await ensureServer(place, log), log);
      } catch (error) {
        await leave(place, note, log);
        throw error;
      }
    });
  } catch (error) {
    throw explained(error);
  }
}

async function leave(place: EmbeddedPlace, note: string, log: (message: string) => void): Promise<void> {
  await rm(note, { force: true });
  // Notes are judged only beside the server they belong to: it may run in another container, and its users with it.
  if (runningPostmaster(place.data) === undefined) return;
  if ((await livingUsers(place.users)) === 0) await stopServer(place, log);
}

function opened(place: EmbeddedPlace, note: string, url: string, log: (message: string) => void): EmbeddedDatabase {
  let looking: Promise<void> | undefined;
  let trouble = '';
  const watch = setInterval(() => {
    looking ??= look(place, url, log)
      .then(() => (trouble = ''))
      .catch((error: unknown) => {
        const message = `the embedded PostgreSQL cannot be kept running: ${String(explained(error))}`;
        // Once, and not at every look.
        if (message !== trouble) log(message);
        trouble = message;
      })
      .then(() => (looking = undefined));
  }, LOOK_EVERY_MS).unref();
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => {
    clearInterval(watch);
    await looking;
    await withLock(place.lock, log, () => leave(place, note, log));
  };
  return {
    url,
    release: () => (released ??= release().catch((error: unknown) => Promise.reject(explained(error)))),
  };
}

/** What a user does while it is one: keeps the log small, and the server running. */
async function look(place: EmbeddedPlace, url: string, log: (message: string) => void): Promise<void> {
  boundLog(place);
  if (runningPostmaster(place.data) !== undefined) return;
  await withLock(place.lock, log, async () => {
    if (runningPostmaster(place.data) !== undefined) return;
    log('the embedded PostgreSQL has ended unasked and is started again');
    if ((await ensureServer(place, log)) === url) return;
    log('the embedded PostgreSQL had to change its port; restart databridge to follow it');
  });
}
