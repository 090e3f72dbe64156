import { rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withLock } from './lock.ts';
import { placeOf } from './place.ts';
import { stopServer } from './server.ts';

/** Stops the server of a settings directory, whoever still uses it, and deletes its data for good, wherever they lie. */
export async function removeEmbeddedDatabase(
  directory: string,
  log: (message: string) => void = () => undefined,
): Promise<void> {
  const place = placeOf(directory);
  await withLock(place.lock, log, () => stopServer(place, log));
  await rm(place.root, { recursive: true, force: true, maxRetries: 5 });
  // The directory of all data kept elsewhere goes with the last of them.
  if (place.record !== undefined) await rmdir(dirname(place.root)).catch(() => undefined);
}
