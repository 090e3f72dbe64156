import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = new URL('../..', import.meta.url).href;
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** Runs before `src/main.ts` in its process, and prints the URL of every module on file descriptor 3 as it is loaded. */
const WATCH = `
import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    if (!url.startsWith('node:')) writeSync(3, url + '\\n');
    return next(url, context);
  },
});`;

/** The modules that a process of databridge loaded. */
export interface LoadedModules {
  /** Files of this repository: `src/main.ts`. */
  readonly own: readonly string[];
  /** Packages: `commander`. */
  readonly packages: readonly string[];
  readonly stdout: string;
}

/** Runs a command of databridge to its end, and says which modules it loaded. */
export function modulesLoadedBy(args: readonly string[], environment: NodeJS.ProcessEnv = {}): LoadedModules {
  const watch = `data:text/javascript,${encodeURIComponent(WATCH)}`;
  const { output } = spawnSync(process.execPath, ['--import', watch, main, ...args], {
    env: { ...process.env, ...environment },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const urls = (output[3] ?? '').split('\n').filter((url) => url.startsWith('file:'));
  const packages = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  return {
    own: urls.filter((url) => !url.includes('/node_modules/')).map((url) => url.slice(root.length)),
    packages: [...new Set(packages)].toSorted(),
    stdout: output[1] ?? '',
  };
}
