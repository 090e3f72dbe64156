import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyProcess } from './process-identity.ts';

/** A living server process of a data directory. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

const onLinux = process.platform === 'linux';

/**
 * The server that runs on this data directory. postmaster.pid alone proves nothing, because after a kill -9 its number may
 * belong to any process. On Linux the process must therefore also work in the data directory, as PostgreSQL's processes do.
 */
export function runningPostmaster(data: string): Postmaster | undefined {
  const noted = notedPostmaster(data);
  return noted !== undefined && isServerProcess(noted.pid, data) ? noted : undefined;
}

/** All processes of the server on the data directory, also children and initdb; without /proc at most the postmaster. */
export function serverProcesses(data: string): number[] {
  const candidates = onLinux
    ? readdirSync('/proc').map(Number).filter(Number.isInteger)
    : [notedPostmaster(data)?.pid ?? 0].filter((pid) => pid > 0);
  return candidates.filter((pid) => isServerProcess(pid, data));
}

/**
 * Whether a server whose processes are invisible here, for example in another container with the same volume, has this data
 * open. Its socket in the data directory answers across containers. A second server on the data would destroy them.
 */
export async function answersElsewhere(data: string): Promise<boolean> {
  if (!onLinux) return false;
  const sockets = readdirSync(data).filter((name) => /^\.s\.PGSQL\.\d+$/.test(name));
  // Through the open directory, because the path of a socket may have at most 107 bytes.
  const directory = openSync(data, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    for (const name of sockets) if (await answers(`/proc/self/fd/${directory}/${name}`)) return true;
    return false;
  } finally {
    closeSync(directory);
  }
}

/** Ends the children of a killed postmaster, because they hold its shared memory and a new server could not start. */
export async function endOrphans(data: string, patienceMs: number): Promise<void> {
  const killAt = performance.now() + patienceMs;
  for (let orphans = serverProcesses(data); orphans.length > 0; orphans = serverProcesses(data)) {
    const signal = performance.now() < killAt ? 'SIGQUIT' : 'SIGKILL';
    for (const pid of orphans) signalTo(pid, signal);
    await sleep(100);
  }
}

/**
 * Removes the files of a dead server, because PostgreSQL takes it for a living server where another process has its number.
 * To be called only when neither a process nor an answering socket of the directory exists.
 */
export function removeStaleFiles(data: string): void {
  for (const name of readdirSync(data)) {
    if (name === 'postmaster.pid' || name.startsWith('.s.PGSQL.')) rmSync(join(data, name), { force: true });
  }
}

/** False where the process is gone already. */
export function signalTo(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** Lines of postmaster.pid: number, data directory, start, port, …; the first of a single-user server is negative. */
function notedPostmaster(data: string): Postmaster | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(data, 'postmaster.pid'), 'latin1').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  return Number.isInteger(pid) && pid > 1 ? { pid, port: Number.isInteger(port) ? port : 0 } : undefined;
}

/**
 * Root may send signals to a process that passes, so three facts must agree: it runs as the owner of the data, works in
 * the data directory, and is a program of PostgreSQL.
 */
function isServerProcess(pid: number, data: string): boolean {
  if (identifyProcess(pid) === undefined) return false;
  try {
    if (!onLinux)
      return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).includes(`-D ${data} `);
    const [working, directory] = [statSync(`/proc/${pid}/cwd`), statSync(data)];
    if (pid === process.pid || statSync(`/proc/${pid}`).uid !== directory.uid) return false;
    if (working.ino !== directory.ino || working.dev !== directory.dev) return false;
    return ['postgres', 'initdb'].includes(readFileSync(`/proc/${pid}/comm`, 'latin1').trim());
  } catch {
    return false;
  }
}

async function answers(path: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ path });
    const finish = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(5_000, () => finish(true));
    socket.once('connect', () => finish(true));
    socket.once('error', (error: NodeJS.ErrnoException) => finish(error.code === 'EAGAIN'));
  });
}
