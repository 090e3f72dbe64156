import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sweeper = fileURLToPath(new URL('run-sweeper.ts', import.meta.url));

/**
 * Global set-up of a run: one directory takes every temporary file of it, because TMPDIR points there for the tests and for
 * all processes they start. The sweeper ends and removes the rest when this process ends, also when it is killed.
 */
export async function setup(): Promise<() => Promise<void>> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'databridge-tests-')));
  // Under root PostgreSQL runs as another user, which has to pass.
  await chmod(directory, 0o755);
  const child = spawn(process.execPath, [sweeper, directory], { stdio: ['pipe', 'ignore', 'inherit'], detached: true });
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = directory;
  return async () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    const exited = once(child, 'exit') as Promise<[number | null]>;
    child.stdin.end('in order\n');
    const [code] = await exited;
    if (code !== 0) throw new Error('the tests left processes or files behind; the lines above name them');
  };
}
