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
import { EmbeddedDatabaseError } from './embedded-database-error.ts';
import { markInitialised } from './place.ts';
import type { EmbeddedPlace } from './place.ts';
import { serverProcesses } from './postmaster.ts';
import type { Programs } from './programs.ts';
import { runProgram } from './run.ts';

/**
 * initdb writes these into postgresql.conf, where an operator may change them. Settings that must hold stand on the
 * server's command line. Dynamic shared memory uses files of the data directory, because /dev/shm has 64 MB in a container
 * and logind empties it at logout. Statements stay out of the log, because they may hold secrets; their sender gets the error.
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

const DRAFT_PREFIX = 'data.incomplete-';

/**
 * Makes the cluster where there is none: UTF-8, sorted by code point (PostgreSQL's own C.UTF-8, the same on every system),
 * page checksums, logins over TCP with a password (scram-sha-256), no logins over the socket. The directory gets its final
 * name only when the cluster is complete.
 */
export async function ensureCluster(
  place: EmbeddedPlace,
  programs: Programs,
  log: (message: string) => void,
): Promise<void> {
  removeIncomplete(place);
  if (existsSync(place.data)) return assertVersion(place, programs);
  log(`making a new PostgreSQL ${programs.majorVersion} database in ${place.data}`);
  // A new name for each draft, because the initdb of a killed process may still be writing to an older draft.
  const draft = join(place.root, `${DRAFT_PREFIX}${randomBytes(6).toString('hex')}`);
  mkdirSync(draft, { mode: 0o700 });
  giveToServer(draft, place);
  writePassword(place);
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  const locale = ['--encoding=UTF8', '--no-locale', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = [
    '--username=postgres',
    `--pwfile=${place.password}`,
    '--auth-host=scram-sha-256',
    '--auth-local=reject',
  ];
  await runProgram(programs.initdb, [`--pgdata=${draft}`, ...locale, ...access, ...settings], place.account, draft);
  renameSync(draft, place.data);
  markInitialised(place);
}

/** Removes old drafts, but none that initdb still writes to, because its processes would die and leave their shared memory. */
function removeIncomplete({ root }: EmbeddedPlace): void {
  for (const name of readdirSync(root)) {
    const draft = join(root, name);
    if (name.startsWith(DRAFT_PREFIX) && serverProcesses(draft).length === 0)
      rmSync(draft, { recursive: true, force: true });
  }
}

/** The generated password of both roles; 43 characters that need no escaping. */
export function readPassword({ password, root }: EmbeddedPlace): string {
  if (existsSync(password)) return readFileSync(password, 'utf8').trim();
  throw new EmbeddedDatabaseError(`${password} is missing`, `restore the file from the backup that ${root} came from`);
}

function assertVersion({ data }: EmbeddedPlace, { majorVersion }: Programs): void {
  const path = join(data, 'PG_VERSION');
  const found = existsSync(path) ? readFileSync(path, 'utf8').trim() : 'unknown';
  if (found === String(majorVersion)) return;
  throw new EmbeddedDatabaseError(
    `${data} was written by PostgreSQL ${found}, and this databridge brings PostgreSQL ${majorVersion}`,
    `with the release of databridge that brought PostgreSQL ${found} run: databridge backup FILE. Then with this one, and a new DATABRIDGE_HOME: databridge restore FILE`,
  );
}

function writePassword(place: EmbeddedPlace): void {
  const draft = join(place.root, `password.${randomBytes(6).toString('hex')}`);
  writeFileSync(draft, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 });
  giveToServer(draft, place);
  renameSync(draft, place.password);
}

function giveToServer(path: string, { account }: EmbeddedPlace): void {
  if (weAreRoot() && account !== undefined) chownSync(path, account.uid, account.gid);
}
