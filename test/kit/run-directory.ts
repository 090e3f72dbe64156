import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, realpath, statfs } from 'node:fs/promises';
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
  const directory = await realpath(await mkdtemp(join(await placeOfRun(), 'databridge-tests-')));
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

const MEMORY = '/dev/shm';
/** A run keeps less than a quarter of it at a time. */
const ENOUGH_BYTES = 8 * 1024 ** 3;

/**
 * Thousands of databases are made and removed, which costs half as much in memory as on a disk. TMPDIR, or a machine whose memory
 * has little room or runs no programs from there, leaves the tests on the disk.
 */
async function placeOfRun(): Promise<string> {
  if (process.env['TMPDIR'] !== undefined) return tmpdir();
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '');
  const options = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, place]) => place === MEMORY)?.[3];
  if (options === undefined || /\b(?:noexec|ro)\b/.test(options)) return tmpdir();
  const { bavail, bsize } = await statfs(MEMORY);
  return bavail * bsize >= ENOUGH_BYTES ? MEMORY : tmpdir();
}
