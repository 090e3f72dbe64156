import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sweeper = fileURLToPath(new URL('run-sweeper.ts', import.meta.url));

/** Says, in the environment of this process, that the run has its directory. */
const MARK = 'DATABRIDGE_TEST_RUN_DIRECTORY';

/**
 * Global set-up of every project: one directory of the run takes all temporary files, because TMPDIR points there for the
 * tests and for all processes they start. The sweeper ends and removes the rest when this process ends, also when it is killed.
 * The first project makes the directory, and the others find it.
 */
export async function setup(): Promise<() => Promise<void>> {
  if (process.env[MARK] !== undefined) return () => Promise.resolve();
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'databridge-tests-')));
  // Under root PostgreSQL runs as another user, which has to pass.
  await chmod(directory, 0o755);
  const child = spawn(process.execPath, [sweeper, directory], { stdio: ['pipe', 'ignore', 'inherit'], detached: true });
  const { TMPDIR: before } = process.env;
  Object.assign(process.env, { TMPDIR: directory, [MARK]: directory });
  return async () => {
    delete process.env[MARK];
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    const exited = once(child, 'exit') as Promise<[number | null]>;
    child.stdin.end('in order\n');
    const [code] = await exited;
    if (code !== 0) throw new Error('the tests left processes or files behind; the lines above name them');
  };
}
