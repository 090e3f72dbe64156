import { randomUUID } from 'node:crypto';
import { link, readFile, readdir, rm, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { liveness, parseIdentity, thisProcess } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';

const LOOK_EVERY_MS = 40;
const TELL_EVERY_MS = 5_000;
const SIGN_OF_LIFE_EVERY_MS = 2_000;
const SILENT_IS_DEAD_MS = 20_000;

/** The holder of the lock; `process` is undefined where the file is torn, as after a power cut. */
interface Holder {
  readonly token: string;
  readonly process: ProcessIdentity | undefined;
}

/**
 * Runs `work` while no other process, and no other caller in this process, holds the lock of this path. Waits as long as
 * the holder lives. A killed holder is noticed at once, in another container after 20 s without a sign of life.
 *
 * The lock is a hard link, so it appears whole or not at all. The link of a dead holder is removed under a second lock, named
 * after that holder. Without it two waiters could see the same dead holder, and the slower remove the new lock of the quicker.
 */
export async function withLock<T>(path: string, log: (message: string) => void, work: () => Promise<T>): Promise<T> {
  await acquire(path, log);
  const beat = setInterval(
    () => void utimes(path, new Date(), new Date()).catch(() => undefined),
    SIGN_OF_LIFE_EVERY_MS,
  );
  try {
    await removeLeftovers(path);
    return await work();
  } finally {
    clearInterval(beat);
    await rm(path, { force: true });
  }
}

async function acquire(path: string, log: (message: string) => void): Promise<void> {
  const token = randomUUID();
  const draft = `${path}.${token}`;
  let tellAt = performance.now() + TELL_EVERY_MS;
  try {
    await writeFile(draft, JSON.stringify({ token, ...thisProcess() }), { flag: 'wx', mode: 0o644 });
    while (!(await tryLink(draft, path))) {
      const holder = await holderOf(path);
      if (holder === undefined) continue;
      if (!(await isAlive(path, holder))) {
        await removeDead(path, holder, log);
        continue;
      }
      if (performance.now() > tellAt) {
        log(`waiting for process ${holder.process?.pid}, which is starting or stopping the embedded PostgreSQL`);
        tellAt += TELL_EVERY_MS;
      }
      await sleep(LOOK_EVERY_MS);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

async function removeDead(path: string, dead: Holder, log: (message: string) => void): Promise<void> {
  await withLock(`${path}.${dead.token}.burial`, log, async () => {
    if ((await holderOf(path))?.token === dead.token) await unlink(path);
  });
}

async function isAlive(path: string, holder: Holder): Promise<boolean> {
  if (holder.process === undefined) return false;
  const state = liveness(holder.process);
  if (state !== 'elsewhere') return state === 'alive';
  const seen = await stat(path).catch(() => undefined);
  return seen !== undefined && Date.now() - seen.mtimeMs < SILENT_IS_DEAD_MS;
}

/** Removes the files that killed waiters left beside the lock; files of living processes stay. */
async function removeLeftovers(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.`)) continue;
    const left = join(dirname(path), name);
    const holder = await holderOf(left);
    // An unreadable draft stays, because a living process may still be writing it.
    if (holder?.process !== undefined && liveness(holder.process) === 'dead') await unlink(left).catch(() => undefined);
  }
}

async function tryLink(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function holderOf(path: string): Promise<Holder | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const process = parseIdentity(text);
  const token = /"token":"([0-9a-f-]{36})"/.exec(text)?.[1] ?? 'torn';
  return { token, process };
}
