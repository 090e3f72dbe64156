import { randomUUID } from 'node:crypto';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { liveness, parseIdentity, thisProcess } from './process-identity.ts';

/**
 * Writes a note that this process uses the server, and returns its path; the release removes it. A process may hold
 * several notes. To be called under the lock.
 */
export async function registerUser(directory: string): Promise<string> {
  const note = join(directory, `${process.pid}-${randomUUID()}.json`);
  await writeFile(note, JSON.stringify(thisProcess()), { flag: 'wx', mode: 0o644 });
  return note;
}

/**
 * Number of living users; notes of dead users are removed. A note from another container counts as dead, because its
 * process could not reach a server that runs here. To be called under the lock.
 */
export async function livingUsers(directory: string): Promise<number> {
  let living = 0;
  for (const name of await readdir(directory)) {
    const note = join(directory, name);
    const user = parseIdentity(await readFile(note, 'utf8'));
    if (user !== undefined && liveness(user) === 'alive') living += 1;
    else await rm(note, { force: true });
  }
  return living;
}
