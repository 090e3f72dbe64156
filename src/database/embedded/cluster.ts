import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { weAreRoot } from './account.ts';
import { EmbeddedDatabaseError, OWN_SERVER } from './embedded-database-error.ts';
import { markInitialised } from './place.ts';
import type { EmbeddedPlace } from './place.ts';
import { serverProcesses } from './postmaster.ts';
import type { Programs } from './programs.ts';
import { runProgram } from './run.ts';

/**
 * Written into postgresql.conf once, so an operator may change them there. What must hold is on the server's command line.
 * Dynamic shared memory is files of the data directory: /dev/shm is 64 MB in a container, and logind empties it at logout.
 * Statements are kept out of the log, because they may carry secrets; the program that sent them knows the error anyway.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  max_connections: '200',
  shared_buffers: '256MB',
  maintenance_work_mem: '128MB',
  effective_cache_size: '1GB',
  dynamic_shared_memory_type: 'mmap',
  min_dynamic_shared_memory: '64MB',
  max_locks_per_transaction: '256',
  random_page_cost: '1.1',
  jit: 'off',
  synchronous_commit: 'on',
  wal_compression: 'on',
  min_wal_size: '256MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  log_checkpoints: 'off',
  log_min_error_statement: 'panic',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

const INCOMPLETE = 'data.incomplete-';

/**
 * Makes the cluster where there is none: UTF-8, sorted by code point (PostgreSQL's own C.UTF-8, the same on every system),
 * page checksums, password (scram-sha-256) over TCP, nothing over the socket. It gets its name only when it is complete.
 */
export async function ensureCluster(
  place: EmbeddedPlace,
  programs: Programs,
  log: (message: string) => void,
): Promise<void> {
  removeIncomplete(place);
  if (existsSync(place.data)) return assertVersion(place, programs);
  log(`making a new PostgreSQL ${programs.majorVersion} database in ${place.data}`);
  // A name of its own: the initdb of a killed process may still be writing to the last one.
  const draft = join(place.root, `${INCOMPLETE}${randomBytes(6).toString('hex')}`);
  mkdirSync(draft, { mode: 0o700 });
  give(draft, place);
  writePassword(place);
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  const kind = ['--encoding=UTF8', '--no-locale', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = [
    '--username=postgres',
    `--pwfile=${place.password}`,
    '--auth-host=scram-sha-256',
    '--auth-local=reject',
  ];
  await runProgram(programs.initdb, [`--pgdata=${draft}`, ...kind, ...access, ...settings], place.account, draft);
  renameSync(draft, place.data);
  markInitialised(place);
}

/** Leaves alone what is still written to: its processes would die without giving back their shared memory. */
function removeIncomplete({ root }: EmbeddedPlace): void {
  for (const name of readdirSync(root)) {
    const left = join(root, name);
    if (name.startsWith(INCOMPLETE) && serverProcesses(left).length === 0)
      rmSync(left, { recursive: true, force: true });
  }
}

/** The generated password of both roles; 43 characters that need no escaping. */
export function readPassword({ password, root }: EmbeddedPlace): string {
  if (existsSync(password)) return readFileSync(password, 'utf8').trim();
  throw new EmbeddedDatabaseError(`${password} is missing`, `restore it from the backup ${root} came from`);
}

function assertVersion({ data }: EmbeddedPlace, { majorVersion }: Programs): void {
  const path = join(data, 'PG_VERSION');
  const found = existsSync(path) ? readFileSync(path, 'utf8').trim() : 'unknown';
  if (found === String(majorVersion)) return;
  throw new EmbeddedDatabaseError(
    `${data} was written by PostgreSQL ${found}, and this databridge brings PostgreSQL ${majorVersion}`,
    `use the release of databridge that brought PostgreSQL ${found} and dump the data there, or ${OWN_SERVER}`,
  );
}

function writePassword(place: EmbeddedPlace): void {
  const draft = join(place.root, `password.${randomBytes(6).toString('hex')}`);
  writeFileSync(draft, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 });
  give(draft, place);
  renameSync(draft, place.password);
}

function give(path: string, { account }: EmbeddedPlace): void {
  if (weAreRoot() && account !== undefined) chownSync(path, account.uid, account.gid);
}
