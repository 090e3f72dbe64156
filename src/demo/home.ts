import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { configInvalid } from '../core/errors.ts';
import { removeEmbeddedDatabase } from '../database/embedded/remove.ts';

/** The directory of a demo: database, sealing key, sources, log. */
export interface Home {
  readonly path: string;
  readonly kept: boolean;
  /** Ends the database server, even if a client is still connected, and deletes the directory. Does nothing if it is kept. */
  remove(): Promise<void>;
}

/** A temporary directory, or a new directory at `keep`. Throws `config-invalid` if `keep` is not empty. */
export async function openHome(keep: string | undefined): Promise<Home> {
  const path = keep === undefined ? await mkdtemp(join(tmpdir(), 'databridge-demo-')) : resolve(keep);
  if (keep !== undefined) await makeEmpty(path);
  // If this process is root, the database server runs as another user, and that user must reach the directory.
  await chmod(path, 0o755);
  return {
    path,
    kept: keep !== undefined,
    async remove() {
      if (keep !== undefined) return;
      await removeEmbeddedDatabase(path);
      await rm(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function makeEmpty(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
    if ((await readdir(path)).length === 0) return;
  } catch (error) {
    throw configInvalid(`${path} cannot be used: ${(error as Error).message}`, 'give a directory to be made', '--keep');
  }
  throw configInvalid(`${path} is not empty`, 'give a directory that is empty or does not exist yet', '--keep');
}
