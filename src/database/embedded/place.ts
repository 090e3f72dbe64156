import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, linkSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { accountFor, canEnter, weAreRoot } from './account.ts';
import type { SystemAccount } from './account.ts';
import { EmbeddedDatabaseError, OWN_SERVER } from './embedded-database-error.ts';

/** Where root keeps the data of settings directories which the server's user cannot enter. */
const REACHABLE_ROOT = '/var/lib/databridge';

/** Every path of one embedded server. All of them lie below `root`. */
export interface EmbeddedPlace {
  readonly root: string;
  /** The cluster; exists only complete. */
  readonly data: string;
  readonly users: string;
  readonly lock: string;
  readonly log: string;
  readonly password: string;
  readonly port: string;
  /** Copies of the server's programs, where the installed ones cannot be used. */
  readonly programs: string;
  /** Whom the server runs as; undefined: as ourselves. */
  readonly account: SystemAccount | undefined;
  /** The settings directory's note that `root` is elsewhere; undefined: it is not. */
  readonly record: string | undefined;
}

interface Recorded {
  readonly root: string;
  readonly initialised: boolean;
}

/**
 * Decides where the server of a settings directory lives: in its `postgres` directory, or, where we are root and the server's
 * user cannot get there (say below /root), in /var/lib/databridge/<random>. The latter is noted in `postgres/place.json`
 * before anything is stored, so every later start finds the same data. Makes the directories; safe to run concurrently.
 */
export function placeOf(settingsDirectory: string): EmbeddedPlace {
  const directory = resolve(settingsDirectory);
  makeReachable(directory);
  const near = join(realpathSync(directory), 'postgres');
  makeReachable(near);
  const record = join(near, 'place.json');
  if (!weAreRoot()) return placeAt(existsSync(record) ? readRecord(record).root : near, undefined, undefined);
  const account = accountOf(near, directory);
  if (statSync(directory).uid === account.uid) chownSync(near, account.uid, account.gid);
  if (existsSync(join(near, 'data'))) {
    if (canEnter(account, near)) return placeAt(near, account, undefined);
    throw new EmbeddedDatabaseError(
      `the data in ${near} belongs to user ${account.uid}, which cannot enter a directory above it`,
      `allow it to pass (chmod o+x on the directories above), move the settings directory back, or ${OWN_SERVER}`,
    );
  }
  if (!existsSync(record) && canEnter(account, near)) return placeAt(near, account, undefined);
  return placeAt(farRoot(record, near), account, record);
}

/** To be called when the cluster exists: from now on its absence is a loss and no longer a first start. */
export function markInitialised({ record, root }: EmbeddedPlace): void {
  if (record === undefined) return;
  const draft = `${record}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, JSON.stringify({ root, initialised: true } satisfies Recorded), { flag: 'wx' });
  renameSync(draft, record);
}

function placeAt(root: string, account: SystemAccount | undefined, record: string | undefined): EmbeddedPlace {
  const place: EmbeddedPlace = {
    root,
    data: join(root, 'data'),
    users: join(root, 'users'),
    lock: join(root, 'lock'),
    log: join(root, 'server.log'),
    password: join(root, 'password'),
    port: join(root, 'port'),
    programs: join(root, 'programs'),
    account,
    record,
  };
  makeReachable(place.users);
  const owner = statSync(root);
  if (weAreRoot()) chownSync(place.users, owner.uid, owner.gid);
  return place;
}

/** The owner of existing data stays the server's user, whoever would be chosen today. */
function accountOf(near: string, directory: string): SystemAccount {
  const data = statSync(join(near, 'data'), { throwIfNoEntry: false });
  const account = data !== undefined && data.uid !== 0 ? { uid: data.uid, gid: data.gid } : accountFor(directory);
  if (account !== undefined) return account;
  throw new EmbeddedDatabaseError(
    'PostgreSQL does not run as root, and this system has neither a user postgres nor nobody',
    `run databridge as an ordinary user, add a user nobody to /etc/passwd, or ${OWN_SERVER}`,
  );
}

function farRoot(record: string, near: string): string {
  if (!existsSync(record)) {
    const draft = `${record}.${randomBytes(6).toString('hex')}`;
    const root = join(REACHABLE_ROOT, randomBytes(8).toString('hex'));
    writeFileSync(draft, JSON.stringify({ root, initialised: false } satisfies Recorded), { flag: 'wx' });
    try {
      linkSync(draft, record);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(draft);
    }
  }
  const { root, initialised } = readRecord(record);
  if (initialised && !existsSync(join(root, 'data'))) {
    throw new EmbeddedDatabaseError(
      `the data of ${near} was kept in ${root} and is not there any more`,
      `restore ${root} from a backup (in a container: put it on a volume), or delete ${record} to begin with nothing`,
    );
  }
  makeReachable(root);
  // For whoever finds the directory years later.
  writeFileSync(join(root, 'settings-directory'), `${dirname(near)}\n`);
  return root;
}

function readRecord(record: string): Recorded {
  const { root, initialised } = JSON.parse(readFileSync(record, 'utf8')) as Partial<Recorded>;
  if (typeof root === 'string' && root.startsWith('/')) return { root, initialised: initialised === true };
  throw new EmbeddedDatabaseError(`${record} is damaged`, 'restore it, or delete it to begin with an empty database');
}

/** Makes what is missing of a path; where we are root it is open to the server's user, whatever the umask. What exists keeps its mode. */
function makeReachable(directory: string): void {
  const first = mkdirSync(directory, { recursive: true });
  if (first === undefined || !weAreRoot()) return;
  for (let each = directory; each.length >= first.length; each = dirname(each)) chmodSync(each, 0o755);
}
