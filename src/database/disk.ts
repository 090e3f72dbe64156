import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The room on the disk of a directory, or of its nearest parent that exists. Bytes. */
export async function diskRoom(path: string): Promise<{ readonly free: number; readonly size: number }> {
  const { bavail, blocks, bsize } = await nearestStatfs(path);
  return { free: bavail * bsize, size: blocks * bsize };
}

async function nearestStatfs(path: string): Promise<StatsFs> {
  try {
    return await statfs(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    return nearestStatfs(dirname(path));
  }
}
