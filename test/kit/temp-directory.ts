import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchForLeaks } from './leaks.ts';

/** A directory of one test's own; `remove()` removes it with all it holds. */
export interface TempDirectory {
  readonly path: string;
  remove(): Promise<void>;
}

/** Makes an empty directory under the temporary one of the run, watched for leaks. */
export async function makeTempDirectory(name: string): Promise<TempDirectory> {
  const path = await mkdtemp(join(tmpdir(), `databridge-test-${name}-`));
  const forget = watchForLeaks(
    `directory ${path}`,
    () => existsSync(path),
    () => rmSync(path, { recursive: true, force: true }),
  );
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
      forget();
    },
  };
}
