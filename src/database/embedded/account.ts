import { readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';

/** The unprivileged user the server runs as when databridge itself runs as root (PostgreSQL refuses to). */
export interface SystemAccount {
  readonly uid: number;
  readonly gid: number;
}

const PREFERRED = ['postgres', '_postgres', 'nobody'];

/**
 * Chooses the server's user for an existing directory: its owner if that has a name and is not root, because `sudo` in a
 * checkout must leave no files that its owner cannot use; otherwise `postgres`, otherwise `nobody`. A number without a name
 * is not possible, because initdb looks its user up (`could not look up effective user ID`). Undefined: no such user.
 */
export function accountFor(directory: string, passwd: string = passwdFile()): SystemAccount | undefined {
  const accounts = passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && Number(uid) > 0 ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
  const owner = statSync(directory).uid;
  const found =
    accounts.find(({ uid }) => uid === owner) ??
    PREFERRED.map((name) => accounts.find((each) => each.name === name)).find((each) => each !== undefined);
  return found === undefined ? undefined : { uid: found.uid, gid: found.gid };
}

export function weAreRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Whether the user may pass through every directory down to this existing one, judged by permission bits. */
export function canEnter(account: SystemAccount, directory: string): boolean {
  for (let each = realpathSync(directory); ; each = dirname(each)) {
    if (!allows(account, statSync(each), 0o1)) return false;
    if (each === dirname(each)) return true;
  }
}

/** Whether the user may read a whole tree. Only its owner may read a package that was unpacked under umask 077. */
export function canRead(account: SystemAccount, directory: string): boolean {
  if (!canEnter(account, directory)) return false;
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).every((name) => {
    const found = statSync(join(directory, name), { throwIfNoEntry: false });
    return found === undefined || allows(account, found, found.isDirectory() ? 0o5 : 0o4);
  });
}

function allows(account: SystemAccount, found: Stats, bits: number): boolean {
  const shift = found.uid === account.uid ? 6 : found.gid === account.gid ? 3 : 0;
  return ((found.mode >> shift) & bits) === bits;
}

function passwdFile(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return '';
  }
}
