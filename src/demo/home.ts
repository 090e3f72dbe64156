import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { configInvalid } from '../core/errors.ts';
import { removeEmbeddedDatabase } from '../database/embedded/remove.ts';

/** Where a demo keeps everything: database, sealing key, sources, log. */
export interface Home {
  readonly path: string;
  readonly kept: boolean;
  /** Ends the database server, even if somebody still looks at it, and deletes all; nothing where it is kept. */
  remove(): Promise<void>;
}

/** A temporary directory, or a new one at `keep`. Throws `config-invalid` where something is there already. */
export async function openHome(keep: string | undefined): Promise<Home> {
  const path = keep === undefined ? await mkdtemp(join(tmpdir(), 'databridge-demo-')) : resolve(keep);
  if (keep !== undefined) await makeEmpty(path);
  // Where we are root, the database server runs as another user, who has to get here.
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
