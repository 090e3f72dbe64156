import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { workDirectory } from './duck.ts';
import type { KnownFile, OpenFile } from './files.ts';
import { durable, sha256Of } from './local-file.ts';

/** Copies of files of a bucket on the local disk. Their names hold their checksums, so a copy is never old. */
export interface FileCache {
  /** Undefined where there is no copy. `whole`: one whose checksum is another one is removed. */
  open(file: KnownFile, options: { readonly whole: boolean }): Promise<OpenFile | undefined>;
  /** Makes a local file the copy. Its content was compared. The local file is gone then. */
  keep(local: string, path: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Removes copies until the others are few enough. */
  makeRoom(): Promise<void>;
}

/**
 * Copies in a directory, of at most so many bytes: those that were opened last stay. Who opens a file gets a name of its own for it, so
 * that it stays while it is read, also where another process of the host removes the copy.
 */
export function fileCache(directory: string, mostBytes: number): FileCache {
  const at = (path: string): string => join(directory, path);
  let making = Promise.resolve();

  async function evict(): Promise<void> {
    const copies: { readonly path: string; readonly bytes: number; readonly usedAt: number }[] = [];
    for (const name of await readdir(directory, { recursive: true })) {
      if (!/^project=\d+\/day=[\d-]+\/[\da-f]{32}\.parquet$/.test(name)) continue;
      const found = await stat(at(name)).catch(() => undefined);
      if (found !== undefined) copies.push({ path: at(name), bytes: found.size, usedAt: found.mtimeMs });
    }
    let bytes = copies.reduce((sum, copy) => sum + copy.bytes, 0);
    for (const copy of copies.toSorted((one, other) => one.usedAt - other.usedAt)) {
      if (bytes <= mostBytes) return;
      await rm(copy.path, { force: true });
      bytes -= copy.bytes;
    }
  }

  return {
    async open(file, { whole }) {
      const path = join(workDirectory(directory), `${randomUUID()}.used`);
      await mkdir(dirname(path), { recursive: true });
      try {
        await link(at(file.path), path);
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
      const now = new Date();
      // The time of both names: of the copy, for its turn to go; of the other, so that it is none of a process that ended.
      await utimes(path, now, now);
      const release = async (): Promise<void> => await rm(path, { force: true });
      const { size } = await stat(path);
      if (size === file.bytes && (!whole || (await sha256Of(path)) === file.sha256)) return { path, release };
      await release();
      await rm(at(file.path), { force: true });
      return undefined;
    },
    async keep(local, path) {
      // A copy that lost its content with the power would be taken for the file.
      await durable(local);
      await mkdir(dirname(at(path)), { recursive: true });
      await rename(local, at(path));
    },
    async makeRoom() {
      making = making.then(evict).catch(() => undefined);
      await making;
    },
    remove: async (path) => await rm(at(path), { force: true }),
  };
}
