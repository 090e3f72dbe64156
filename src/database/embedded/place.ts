import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { accountFor, canEnter, weAreRoot } from './account.ts';
import type { SystemAccount } from './account.ts';
import { EmbeddedDatabaseError, OWN_SERVER } from './embedded-database-error.ts';

/** Root keeps the data here where the server's user cannot enter the settings directory. */
const REACHABLE_ROOT = '/var/lib/databridge';

/** Every path of one embedded server. All of them lie below `root`. */
export interface EmbeddedPlace {
  readonly root: string;
  /** The cluster; the directory exists only when it is complete. */
  readonly data: string;
  readonly users: string;
  readonly lock: string;
  readonly log: string;
  readonly password: string;
  readonly port: string;
  /** Copies of the server's programs, where the installed ones cannot be used. */
  readonly programs: string;
  /** The user the server runs as; undefined: the user of this process. */
  readonly account: SystemAccount | undefined;
  /** The file that tells root that `root` is outside the settings directory; undefined: there is no such file. */
  readonly record: string | undefined;
}

interface Recorded {
  readonly root: string;
  readonly initialised: boolean;
}

/**
 * Decides where the server of a settings directory lives: in its `postgres` directory, or, where this process is root and the
 * server's user cannot enter that (for example below /root), in /var/lib/databridge/<random>. `postgres/place.json` records
 * that place before data is stored, so every later start finds the same data. Makes the directories; safe to run concurrently.
 */
export function placeOf(settingsDirectory: string): EmbeddedPlace {
  const directory = resolve(settingsDirectory);
  makeReachable(directory);
  const usual = join(realpathSync(directory), 'postgres');
  makeReachable(usual);
  const record = join(usual, 'place.json');
  if (!weAreRoot()) return placeAt(existsSync(record) ? readRecord(record).root : usual, undefined, undefined);
  const account = accountOf(usual, directory);
  if (statSync(directory).uid === account.uid) chownSync(usual, account.uid, account.gid);
  if (existsSync(join(usual, 'data'))) {
    if (canEnter(account, usual)) return placeAt(usual, account, undefined);
    throw new EmbeddedDatabaseError(
      `the data in ${usual} belongs to user ${account.uid}, which cannot enter a directory above it`,
      `let that user pass (chmod o+x on the directories above), move the settings directory back, or ${OWN_SERVER}`,
    );
  }
  if (!existsSync(record) && canEnter(account, usual)) return placeAt(usual, account, undefined);
  return placeAt(rootElsewhere(record, usual), account, record);
}

/** To be called when the cluster exists: from then on missing data is a loss and not a first start. */
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

/** The server's user: the owner of existing data, even where a new directory would get another user. */
function accountOf(usual: string, directory: string): SystemAccount {
  const data = statSync(join(usual, 'data'), { throwIfNoEntry: false });
  const account = data !== undefined && data.uid !== 0 ? { uid: data.uid, gid: data.gid } : accountFor(directory);
  if (account !== undefined) return account;
  throw new EmbeddedDatabaseError(
    'PostgreSQL does not run as root, and this system has neither a user postgres nor nobody',
    `run databridge as an ordinary user, add a user nobody to /etc/passwd, or ${OWN_SERVER}`,
  );
}

function rootElsewhere(record: string, usual: string): string {
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
      `the data of ${usual} was kept in ${root} and is not there any more`,
      `restore ${root} from a backup (in a container: put it on a volume), or delete ${record} to begin with nothing`,
    );
  }
  makeReachable(root);
  // Tells an operator who finds the directory years later which settings directory it belongs to.
  writeFileSync(join(root, 'settings-directory'), `${dirname(usual)}\n`);
  return root;
}

function readRecord(record: string): Recorded {
  const { root, initialised } = JSON.parse(readFileSync(record, 'utf8')) as Partial<Recorded>;
  if (typeof root === 'string' && root.startsWith('/')) return { root, initialised: initialised === true };
  throw new EmbeddedDatabaseError(`${record} is damaged`, 'restore it, or delete it to begin with an empty database');
}

/** Makes missing directories; those that root makes are open to the server's user under any umask. Existing ones keep their mode. */
function makeReachable(directory: string): void {
  const first = madeFirst(directory);
  if (first === undefined || !weAreRoot()) return;
  for (let each = directory; each.length >= first.length; each = dirname(each)) chmodSync(each, 0o755);
}

/** Node.js says of a directory that cannot be made on a read-only file system that the one above it does not exist. */
function madeFirst(directory: string): string | undefined {
  try {
    return mkdirSync(directory, { recursive: true });
  } catch (error) {
    let above = dirname(directory);
    while (!existsSync(above) && above !== dirname(above)) above = dirname(above);
    accessSync(above, constants.W_OK);
    throw error;
  }
}
