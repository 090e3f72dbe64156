/**
 * Compiles the program of the installed package into `dist`, and builds the console into `dist/console`, because Node.js strips no types below `node_modules`. `dist`
 * holds only files that the command line, the push client and adapters import, so no tests; the last two have their types. `npm pack`
 * begins with this script and ends with `--clean`, which removes `dist` again.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

/** The import of a file of this repository in a `.d.ts`. */
const OWN_TYPES = /(?:from |import\()['"](\.[^'"]*)\.ts['"]/g;

rmSync(dist, { recursive: true, force: true });
if (!process.argv.includes('--clean')) build();

function build(): void {
  run([join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.build.json')]);
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  run([
    vite,
    'build',
    '--config',
    join(root, 'console/vite.config.ts'),
    '--outDir',
    join(dist, 'console'),
    '--logLevel',
    'warn',
  ]);
  keepTypesOf('src/client/index.d.ts', 'src/platform/index.d.ts');
  for (const part of ['src', 'adapters']) copyAssets(part);
  for (const file of files(dist).filter((path) => path.endsWith('.js'))) refuseSourceUrls(file);
}

function run(args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', cwd: root });
  if (status !== 0) throw new Error(`${args[0]}: exit ${status}`);
}

/** Copies migrations and other files that the program reads: every file but code and the recorded cases of the tests. */
function copyAssets(part: string): void {
  for (const file of files(join(root, part))) {
    const path = relative(root, file);
    if (/\.[cm]?[jt]sx?$/.test(path) || path.split(sep).includes('cases')) continue;
    cpSync(file, join(dist, path));
  }
}

/** Removes types that no program can import. Writes `.js` in imports, because older compilers need that for `.d.ts`. */
function keepTypesOf(...entries: readonly string[]): void {
  const kept = new Set<string>();
  const keep = (file: string): void => {
    if (kept.has(file)) return;
    kept.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, path = ''] of text.matchAll(OWN_TYPES)) keep(join(dirname(file), `${path}.d.ts`));
    writeFileSync(
      file,
      text.replaceAll(OWN_TYPES, (found) => found.replace(/\.ts(?=['"]$)/, '.js')),
    );
  };
  for (const entry of entries) keep(join(dist, entry));
  for (const file of files(dist).filter((path) => path.endsWith('.d.ts') && !kept.has(path))) rmSync(file);
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
