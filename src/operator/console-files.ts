import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** A file of the console as it is sent. */
export interface ConsoleFile {
  readonly type: string;
  readonly plain: Buffer;
  /** Compressed by the build; undefined for what is compressed already. */
  readonly br: Buffer | undefined;
}

type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** Where the repository or the installed package begins: sources lie two folders below, compiled files three. */
const root =
  ['../..', '../../..']
    .map((up) => join(import.meta.dirname, up))
    .find((one) => existsSync(join(one, 'package.json'))) ?? '';

const built = join(root, 'dist/console');
const sources = join(root, 'console');
const vite = join(root, 'node_modules/vite/bin/vite.js');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * Finds a file of the console, as it is now, by its path below `/`; `index.html` is the page. A checkout builds them in a process of its own when a source is newer than they are; where
 * that fails, it is tried again when a source has changed, and what was built before is served. Throws an error with the output of the
 * build where nothing was built before, and where nothing can be.
 */
export function consoleFiles(): (path: string) => Promise<ConsoleFile | undefined> {
  let loaded: { readonly at: number; readonly files: ConsoleFiles } | undefined;
  let loading: Promise<ConsoleFiles> | undefined;
  let failed: { readonly sourcesAt: number; readonly error: unknown } | undefined;
  const load = async (): Promise<ConsoleFiles> => {
    const sourcesAt = await sourcesChangedAt();
    const builtAt = await changedAt(join(built, 'index.html'));
    if (sourcesAt > builtAt) {
      if (failed === undefined || sourcesAt > failed.sourcesAt) {
        failed = await buildOnce().then(
          () => undefined,
          (error: unknown) => ({ sourcesAt, error }),
        );
      }
      if (failed !== undefined && builtAt === 0) throw failed.error;
    }
    const at = await changedAt(join(built, 'index.html'));
    if (loaded === undefined || loaded.at !== at) loaded = { at, files: await read() };
    return loaded.files;
  };
  const files = (): Promise<ConsoleFiles> => (loading ??= load().finally(() => (loading = undefined)));
  return async (path) => {
    // The name of an asset changes with its content, so it is as new as the page that names it.
    const known = path === 'index.html' ? undefined : loaded?.files.get(path);
    return known ?? (await files()).get(path);
  };
}

async function read(): Promise<ConsoleFiles> {
  const files = new Map<string, ConsoleFile>();
  const names = (await readdir(built, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && TYPES[extname(entry.name)] !== undefined)
    .map((entry) => join(entry.parentPath, entry.name));
  for (const name of names) {
    files.set(name.slice(built.length + 1).replaceAll('\\', '/'), {
      type: TYPES[extname(name)] ?? '',
      plain: await readFile(name),
      br: await readFile(`${name}.br`).catch(() => undefined),
    });
  }
  return files;
}

/** When a file was changed, ms since 1970; 0 where there is none. */
const changedAt = async (path: string): Promise<number> =>
  await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

/** When the newest source was changed, ms since 1970; 0 where none is here or they cannot be built. */
async function sourcesChangedAt(): Promise<number> {
  if (!existsSync(sources) || !existsSync(vite)) return 0;
  const entries = await readdir(sources, { recursive: true, withFileTypes: true });
  const times = await Promise.all(entries.map((entry) => changedAt(join(entry.parentPath, entry.name))));
  return Math.max(0, ...times);
}

let building: Promise<void> | undefined;

const buildOnce = (): Promise<void> => (building ??= build().finally(() => (building = undefined)));

/** Builds beside the present files and then takes their place, because other processes may serve or build them meanwhile. */
async function build(): Promise<void> {
  const fresh = `${built}-${process.pid}`;
  const former = `${fresh}-former`;
  try {
    await run([vite, 'build', '--config', join(sources, 'vite.config.ts'), '--outDir', fresh, '--logLevel', 'error']);
    await rename(built, former).catch(() => undefined);
    // Where another process was faster, its files are as good.
    await rename(fresh, built).catch(() => undefined);
  } finally {
    for (const left of [fresh, former]) await rm(left, { recursive: true, force: true });
  }
}

function run(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`the console cannot be built:\n${said}`));
    });
  });
}
