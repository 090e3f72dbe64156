import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** `src/main.ts`, for a process that shows how the sources themselves are loaded, or that loads an adapter beside them. */
export const SOURCE_MAIN = join(root, 'src/main.ts');

/** Says, in the environment of this process, where the program of the run is. */
const MARK = 'DATABRIDGE_TEST_PROGRAM';

/**
 * What a test starts as `databridge`: the same modules as from `src/main.ts`, in a hundred files in place of a thousand. A process spends
 * most of its start with finding and reading modules, and a run of the tests starts hundreds of processes.
 */
export const mainOfRun = (): string => process.env[MARK] ?? SOURCE_MAIN;

/** As Node.js itself finds the entry of a package; `import` and `require` count besides. */
const AS_NODE = { conditions: ['node', 'module-sync'], mainFields: ['main'] };

/** Makes the program in the directory, once in a run. */
export async function makeProgram(directory: string): Promise<void> {
  // Workers of the tests, which only ask where it is, load no bundler.
  const { build } = await import('vite');
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [placesOfSources],
    // As Node.js itself finds the entry of a package.
    resolve: AS_NODE,
    ssr: { noExternal: true, target: 'node', resolve: AS_NODE },
    build: {
      ssr: SOURCE_MAIN,
      outDir: directory,
      emptyOutDir: false,
      copyPublicDir: false,
      minify: false,
      target: 'esnext',
      rolldownOptions: { output: { entryFileNames: 'main.js' } },
    },
  });
  process.env[MARK] = join(directory, 'main.js');
}

/** Migrations, samples and programs beside a module are read from where its source is. */
const placesOfSources: Plugin = {
  name: 'places of sources',
  enforce: 'pre',
  transform(code, id) {
    if (id.includes('/node_modules/') || !code.includes('import.meta.')) return null;
    return code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.filename', JSON.stringify(id))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      .replaceAll('import.meta.main', 'false');
  },
};
