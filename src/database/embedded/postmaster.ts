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
 * The server that runs on this data directory, if one does. postmaster.pid alone proves nothing: after a kill -9 its number may
 * belong to any process, so on Linux the process must also stand in the data directory, as PostgreSQL's always do.
 */
export function runningPostmaster(data: string): Postmaster | undefined {
  const noted = notedPostmaster(data);
  return noted !== undefined && isServerProcess(noted.pid, data) ? noted : undefined;
}

/** All server processes of the data directory, children and initdb too; without /proc at most the postmaster. */
export function serverProcesses(data: string): number[] {
  const candidates = onLinux
    ? readdirSync('/proc').map(Number).filter(Number.isInteger)
    : [notedPostmaster(data)?.pid ?? 0].filter((pid) => pid > 0);
  return candidates.filter((pid) => isServerProcess(pid, data));
}

/**
 * Whether a server that cannot be seen from here, say one in another container with the same volume, has this data open. The
 * socket in the data directory answers across containers; starting a second server beside it would destroy the data.
 */
export async function answersElsewhere(data: string): Promise<boolean> {
  if (!onLinux) return false;
  const sockets = readdirSync(data).filter((name) => /^\.s\.PGSQL\.\d+$/.test(name));
  // Through the open directory, because the path of a socket may have 107 bytes only.
  const directory = openSync(data, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    for (const name of sockets) if (await answers(`/proc/self/fd/${directory}/${name}`)) return true;
    return false;
  } finally {
    closeSync(directory);
  }
}

/** Ends what a killed postmaster left running: orphans hold its memory and would keep a new server from starting. */
export async function endOrphans(data: string, patienceMs: number): Promise<void> {
  const killAt = performance.now() + patienceMs;
  for (let orphans = serverProcesses(data); orphans.length > 0; orphans = serverProcesses(data)) {
    const signal = performance.now() < killAt ? 'SIGQUIT' : 'SIGKILL';
    for (const pid of orphans) signalTo(pid, signal);
    await sleep(100);
  }
}

/**
 * Removes files of a dead server whose number is taken again, which PostgreSQL would mistake for a living one. To be called
 * only when neither a process nor an answering socket of the directory exists.
 */
export function forgetDead(data: string): void {
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
 * What this says yes to may be sent signals by root, so three things must agree: the process runs as the owner of the data,
 * stands in its directory, and is a program of PostgreSQL.
 */
function isServerProcess(pid: number, data: string): boolean {
  if (identifyProcess(pid) === undefined) return false;
  try {
    if (!onLinux)
      return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).includes(`-D ${data} `);
    const [stands, directory] = [statSync(`/proc/${pid}/cwd`), statSync(data)];
    if (pid === process.pid || statSync(`/proc/${pid}`).uid !== directory.uid) return false;
    if (stands.ino !== directory.ino || stands.dev !== directory.dev) return false;
    return ['postgres', 'initdb'].includes(readFileSync(`/proc/${pid}/comm`, 'latin1').trim());
  } catch {
    return false;
  }
}

async function answers(path: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ path });
    const tell = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(5_000, () => tell(true));
    socket.once('connect', () => tell(true));
    socket.once('error', (error: NodeJS.ErrnoException) => tell(error.code === 'EAGAIN'));
  });
}
