import { closeSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureCluster, readPassword } from './cluster.ts';
import { EmbeddedDatabaseError } from './embedded-database-error.ts';
import { programFailure } from './failure.ts';
import type { EmbeddedPlace } from './place.ts';
import { choosePort } from './port.ts';
import {
  answersElsewhere,
  endOrphans,
  removeStaleFiles,
  runningPostmaster,
  serverProcesses,
  signalTo,
} from './postmaster.ts';
import { programsFor } from './programs.ts';
import type { Programs } from './programs.ts';
import { untilReady, urlOf } from './readiness.ts';
import { startProgram } from './run.ts';
import { boundLog, logSize, openServerLog, tailOfLog } from './server-log.ts';

const ORPHAN_SIGQUIT_MS = 5_000;
const FAST_SHUTDOWN_MS = 120_000;
const IMMEDIATE_SHUTDOWN_MS = 20_000;
const MOST_ATTEMPTS = 5;

/** Attaches to the running server or starts a server; resolves to its URL once it accepts connections. To be called under the lock. */
export async function ensureServer(place: EmbeddedPlace, log: (message: string) => void): Promise<string> {
  const running = existsSync(place.data) ? runningPostmaster(place.data) : undefined;
  if (running !== undefined && (await attach(place, log))) return urlOf(runningPort(place), readPassword(place));
  if (existsSync(place.data)) await clearUp(place, log);
  const programs = await programsFor(place, log);
  await ensureCluster(place, programs, log);
  const password = readPassword(place);
  boundLog(place);
  const refused = new Set<number>();
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(place, refused);
    const outcome = await start(place, programs, { port, password }, log);
    if (outcome === 'ready') return urlOf(port, password);
    if (attempt === MOST_ATTEMPTS || !/Address already in use|pre-existing shared memory/.test(outcome)) {
      throw programFailure('the embedded PostgreSQL does not start', outcome);
    }
    // Another program took the port after the check, or a process of the last server is still ending.
    if (outcome.includes('Address already in use')) refused.add(port);
    await endOrphans(place.data, ORPHAN_SIGQUIT_MS);
  }
}

/**
 * Stops the server, if it runs, and resolves when none of its processes is left. Fast shutdown; after two minutes immediate
 * shutdown and then SIGKILL, which both lose nothing that was committed. To be called under the lock.
 */
export async function stopServer(place: EmbeddedPlace, log: (message: string) => void): Promise<void> {
  const running = existsSync(place.data) ? runningPostmaster(place.data) : undefined;
  if (running === undefined) return;
  signalTo(running.pid, 'SIGINT');
  if (await endedWithin(place.data, FAST_SHUTDOWN_MS)) return;
  log('the embedded PostgreSQL takes too long to stop and is stopped at once; it will recover at its next start');
  signalTo(running.pid, 'SIGQUIT');
  if (await endedWithin(place.data, IMMEDIATE_SHUTDOWN_MS)) return;
  signalTo(running.pid, 'SIGKILL');
  await endOrphans(place.data, 0);
}

async function endedWithin(data: string, withinMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + withinMs;
  while (serverProcesses(data).length > 0) {
    if (performance.now() > giveUpAt) return false;
    await sleep(25);
  }
  return true;
}

/** False: the server has ended. Its port is read repeatedly, because a server that has just begun has not noted it yet. */
async function attach(place: EmbeddedPlace, log: (message: string) => void): Promise<boolean> {
  const alive = (): boolean => runningPostmaster(place.data) !== undefined;
  while (alive() && runningPort(place) === 0) await sleep(25);
  if (!alive()) return false;
  return await untilReady(place, { port: runningPort(place), password: readPassword(place), alive }, log);
}

function runningPort({ data }: EmbeddedPlace): number {
  return runningPostmaster(data)?.port ?? 0;
}

/** Makes sure that no server has the data open, and removes processes and files of a killed server. */
async function clearUp({ data }: EmbeddedPlace, log: (message: string) => void): Promise<void> {
  if (await answersElsewhere(data)) {
    throw new EmbeddedDatabaseError(
      `the embedded PostgreSQL in ${data} already runs in another container, where it cannot be reached from here`,
      'run the command in that container ("docker compose exec", not "run"), or give both DATABASE_URL',
    );
  }
  if (serverProcesses(data).length > 0) log('ending processes that an earlier PostgreSQL left running');
  await endOrphans(data, ORPHAN_SIGQUIT_MS);
  removeStaleFiles(data);
}

/** Starts the server; `ready`, or the output of a server that ended. */
async function start(
  place: EmbeddedPlace,
  programs: Programs,
  { port, password }: { port: number; password: string },
  log: (message: string) => void,
): Promise<string> {
  const logged = logSize(place);
  const output = openServerLog(place);
  // These settings override postgresql.conf. The socket exists only for answersElsewhere().
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '.',
    unix_socket_permissions: '0700',
    log_destination: 'stderr',
    logging_collector: 'off',
    fsync: 'on',
    full_page_writes: 'on',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let alive = true;
  let failure = '';
  try {
    const child = startProgram(programs.postgres, ['-D', place.data, ...options], place.account, output);
    child.once('exit', () => (alive = false));
    child.once('error', (error) => {
      alive = false;
      failure = error.message;
    });
    child.unref();
  } finally {
    closeSync(output);
  }
  if (await untilReady(place, { port, password, alive: () => alive }, log)) return 'ready';
  return `${failure}\n${tailOfLog(place, logged)}`.trim();
}
