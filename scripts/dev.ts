/**
 * `npm run dev`: the bridge, started again after each change below src and adapters, and the console by Vite, which shows a change at
 * once. Both end with this process, and this process with either of them.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const watch = ['--watch-preserve-output', '--watch-path=src', '--watch-path=adapters'];
const children = [
  [...watch, 'src/main.ts', 'up'],
  ['node_modules/vite/bin/vite.js', '--config', 'console/vite.config.ts', '--clearScreen', 'false'],
].map((args) => spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }));

const end = (signal: NodeJS.Signals): void => {
  for (const child of children) child.kill(signal);
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end(signal));
for (const child of children) {
  child.once('exit', (code) => {
    end('SIGTERM');
    process.exitCode ??= code ?? 1;
  });
}
