import { readFileSync } from 'node:fs';
import { Command } from 'commander';

const main = new URL('../../src/main-program.ts', import.meta.url);

/** The program with all its commands, as `src/main-program.ts` lists them. */
export async function programOf(): Promise<Command> {
  const program = new Command('databridge');
  const listed = readFileSync(main, 'utf8').matchAll(/import\('(\.\/commands\/[\w-]+\.ts)'\)\)\.(add\w+)/g);
  for (const [, path = '', name = ''] of listed) {
    const module = (await import(new URL(path, main).href)) as Record<string, (parent: Command) => void>;
    module[name]?.(program);
  }
  return program;
}
