import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkFile, damagedFile } from './files.ts';
import type { ArchiveFiles, FoundFile } from './files.ts';
import { durable, sha256Of } from './local-file.ts';

/** A replaced file takes this ending in a directory, so that other programs leave it out. */
const REPLACED_ENDING = '.replaced';

/** A file that no row knows takes this ending. A database that was restored from another backup may know it. */
const UNKNOWN_ENDING = '.unknown';

const ENDINGS = ['', REPLACED_ENDING, UNKNOWN_ENDING];

/** Files in a directory that all hosts have. */
export function directoryFiles(directory: string): ArchiveFiles {
  const at = (path: string): string => join(directory, path);
  /** The path of the file, with the ending that a tidy-up may have given it. */
  async function lies(path: string): Promise<(FoundFile & { readonly path: string }) | undefined> {
    for (const ending of ENDINGS) {
      const found = await stat(at(path) + ending).catch(unlessMissing);
      if (found !== undefined)
        return {
          path: at(path) + ending,
          bytes: found.size,
          changedAt: found.mtimeMs,
          mark: `${at(path) + ending} ${found.mtimeMs} ${found.size}`,
        };
    }
    return undefined;
  }
  const files: ArchiveFiles = {
    nameOf: (path = '') => at(path).replace(/\/$/, ''),
    find: lies,
    checksumOf: async (path) => await sha256Of((await lies(path))?.path ?? at(path)),
    async open(file, how) {
      await checkFile(files, file, how);
      const found = await lies(file.path);
      if (found === undefined) throw damagedFile(files, file, 'missing');
      return { path: found.path, release: () => Promise.resolve() };
    },
    async put(local, { path }) {
      const folder = dirname(at(path));
      await mkdir(folder, { recursive: true });
      await rename(local, at(path));
      for (const one of [folder, dirname(folder), dirname(dirname(folder))]) await durable(one);
    },
    async remove(path) {
      for (const ending of ENDINGS.slice(0, 2)) await rm(at(path) + ending, { force: true });
    },
    read: async (path) => await readFile(at(path), 'utf8').catch(unlessMissing),
    async write(path, text) {
      await mkdir(directory, { recursive: true });
      await writeFile(`${at(path)}.${text.trim()}`, text, { flush: true });
      await rename(`${at(path)}.${text.trim()}`, at(path));
      await durable(directory);
    },
    async tidy(folder, known) {
      for (const name of await readdir(at(folder)).catch(() => [])) {
        const [, file, ending = ''] = /^([\da-f]{32}\.parquet)(\.unknown|\.replaced)?$/.exec(name) ?? [];
        if (file === undefined) continue;
        const path = join(folder, file);
        const due = known.get(path) === false ? '' : known.has(path) ? REPLACED_ENDING : UNKNOWN_ENDING;
        if (ending !== due) await rename(at(path) + ending, at(path) + due);
      }
    },
    async *listed() {
      // Those that no row knows got their ending, which says it to everybody.
    },
  };
  return files;
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
