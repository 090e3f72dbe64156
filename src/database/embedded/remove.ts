import { rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withLock } from './lock.ts';
import { placeOf } from './place.ts';
import { stopServer } from './server.ts';

/** Stops the server of a settings directory, even while processes use it, and deletes its data for good. */
export async function removeEmbeddedDatabase(directory: string): Promise<void> {
  const log = (): void => undefined;
  const place = placeOf(directory);
  await withLock(place.lock, log, () => stopServer(place, log));
  await rm(place.root, { recursive: true, force: true, maxRetries: 5 });
  // The common directory of data outside settings directories is removed with the last of them.
  if (place.record !== undefined) await rmdir(dirname(place.root)).catch(() => undefined);
}
