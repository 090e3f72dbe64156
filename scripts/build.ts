/**
 * Compiles the program of the installed package into `dist`, because Node.js strips no types below `node_modules`. `dist`
 * holds only files that the command line and the push client import, so no tests; the push client has its types. `npm pack`
 * begins with this script and ends with `--clean`, which removes `dist` again.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
if (!process.argv.includes('--clean')) build();

function build(): void {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`tsc: exit ${status}`);
  for (const file of files(dist).filter((path) => path.endsWith('.d.ts'))) keepTypesOfClient(file);
  for (const part of ['src', 'adapters']) copyAssets(part);
  for (const file of files(dist).filter((path) => path.endsWith('.js'))) refuseSourceUrls(file);
}

/** Copies migrations and other files that the program reads: every file but code and the recorded cases of the tests. */
function copyAssets(part: string): void {
  for (const file of files(join(root, part))) {
    const path = relative(root, file);
    if (/\.[cm]?[jt]sx?$/.test(path) || path.split(sep).includes('cases')) continue;
    cpSync(file, join(dist, path));
  }
}

/** Removes types of files that are not exported. Writes `.js` in imports, because older compilers need that for `.d.ts`. */
function keepTypesOfClient(file: string): void {
  if (!file.startsWith(join(dist, 'src/client') + sep)) {
    rmSync(file);
    return;
  }
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}

/** Throws for a module that is started by its URL, because the compiler neither finds nor renames it. */
function refuseSourceUrls(file: string): void {
  const [url] = /new URL\(\s*(['"`])[^'"`]*\.ts\1/.exec(readFileSync(file, 'utf8')) ?? [];
  if (url !== undefined)
    throw new Error(`${relative(root, file)}: ${url} …) does not exist once compiled; use an import`);
}

function files(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
