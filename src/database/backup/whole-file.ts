import { constants } from 'node:fs';
import { open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { BridgeError, configInvalid } from '../../core/errors.ts';

/**
 * Writes a file that is there whole or not at all: it is written beside its name, and takes the name when it is on the disk.
 * Only its owner may read it. A device is written to directly.
 */
export async function writeWholeFile<T>(path: string, fill: (file: FileHandle) => Promise<T>): Promise<T> {
  let draft: string | undefined;
  try {
    const target = await realpath(path).catch(() => path);
    const found = await stat(target).catch(() => undefined);
    const isReplaced = found === undefined || found.isFile();
    if (isReplaced) {
      await removeLeftDrafts(target);
      draft = `${target}.${hostname()}-${process.pid}.part`;
    }
    const { O_WRONLY, O_CREAT, O_EXCL } = constants;
    const file = await open(draft ?? target, draft === undefined ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL, 0o600);
    const result = await fillAndClose(file, isReplaced, fill);
    if (draft !== undefined) {
      await rename(draft, target);
      await syncDirectory(dirname(target));
    }
    return result;
  } catch (error) {
    if (draft !== undefined) await rm(draft, { force: true });
    throw fileFault(error, path, 'written');
  }
}

/** Removes the drafts of this file whose processes were killed on this host. Another host's may still be written. */
async function removeLeftDrafts(target: string): Promise<void> {
  const begin = `${basename(target)}.${hostname()}-`;
  for (const name of await readdir(dirname(target)).catch(() => [])) {
    const pid = name.startsWith(begin) ? /^(\d+)\.part$/.exec(name.slice(begin.length))?.[1] : undefined;
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(dirname(target), name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

async function fillAndClose<T>(
  file: FileHandle,
  isReplaced: boolean,
  fill: (file: FileHandle) => Promise<T>,
): Promise<T> {
  try {
    const result = await fill(file);
    // A device may know no sync.
    if (isReplaced) await file.sync();
    return result;
  } finally {
    await file.close();
  }
}

/** The new name lasts when its directory is on the disk. Some file systems cannot do that for a directory. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(() => undefined);
  await directory?.sync().catch(() => undefined);
  await directory?.close();
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'free disk space, or name a file on another disk',
  EDQUOT: 'free disk space, or name a file on another disk',
  ENOENT: 'name a file in a directory that exists',
  ENOTDIR: 'name a file in a directory that exists',
  EISDIR: 'name a file, not a directory',
  EACCES: 'name a file that this user may read and write',
  EPERM: 'name a file that this user may read and write',
  EROFS: 'name a file on a disk that can be written to',
};

/** An error of the file system as one with a remedy; every other error as it is. */
export function fileFault(error: unknown, path: string, done: 'read' | 'written'): unknown {
  if (error instanceof BridgeError || !(error instanceof Error)) return error;
  if (error.name === 'AbortError') return new BridgeError({ code: 'cancelled' }, 'stopped: nothing was written');
  if (!('syscall' in error) || !('code' in error)) return error;
  const reason = error.code === 'ENOSPC' ? 'the disk is full' : error.message;
  return configInvalid(`${path} cannot be ${done}: ${reason}`, REMEDIES[String(error.code)] ?? 'name another file');
}
