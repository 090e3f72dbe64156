/**
 * Compiles into `dist` what an installed package runs, since Node.js strips no types below `node_modules`: `npm pack`
 * begins with this. Only what the command line and the push client reach by imports is there, so no test is. The push
 * client brings its types along. `npm pack` ends with `--clean`, which removes `dist` again.
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

/** Migrations and whatever else the program reads: every file that is not code, save the recorded cases of the tests. */
function copyAssets(part: string): void {
  for (const file of files(join(root, part))) {
    const path = relative(root, file);
    if (/\.[cm]?[jt]sx?$/.test(path) || path.split(sep).includes('cases')) continue;
    cpSync(file, join(dist, path));
  }
}

/** Types of what is not exported help nobody. Compilers older than ours do not look for `.d.ts` where `.ts` is written. */
function keepTypesOfClient(file: string): void {
  if (!file.startsWith(join(dist, 'src/client') + sep)) {
    rmSync(file);
    return;
  }
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}

/** A module started by its URL is neither found by the compiler nor given its new name: better no package than a broken one. */
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
