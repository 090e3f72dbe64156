import { spawn } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { table } from '../../src/terminal/output.ts';
import { openTree } from '../kit/other-tree.ts';
import { median } from './bench.ts';
import type { Measure } from './bench.ts';
import { format } from './table.ts';
import type { BenchResult } from './table.ts';

const here = join(import.meta.dirname, '..', '..');

/**
 * Measures this tree and another commit in turns, and compares the medians. Both run the bench of this tree, so that only the code of
 * the bridge differs. `args`: those of the bench. Throws where a bench fails.
 */
export async function against(
  commit: string,
  {
    args,
    rounds,
    say,
  }: { readonly args: readonly string[]; readonly rounds: number; readonly say: (line: string) => void },
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const other = await openTree(commit);
  stack.defer(() => other.remove());
  const there = other.directory;
  for (const part of ['bench', 'kit']) {
    await rm(join(there, 'test', part), { recursive: true });
    await cp(join(here, 'test', part), join(there, 'test', part), { recursive: true });
  }
  const trees = [
    { name: 'there', directory: there, values: new Map<string, number[]>() },
    { name: 'here', directory: here, values: new Map<string, number[]>() },
  ] as const;
  const units = new Map<string, string>();
  for (let round = 0; round < rounds; round += 1) {
    // Who begins changes, because a machine gets slower or faster with time.
    for (const { name, directory, values } of round % 2 === 0 ? trees : trees.toReversed()) {
      say(`round ${round + 1} of ${rounds}: ${name === 'here' ? 'this tree' : commit}`);
      for (const { bench, measures } of await measured(directory, args)) {
        for (const measure of measures) {
          const what = [bench, measure.of, measure.what].filter((part) => part !== undefined).join(': ');
          units.set(what, measure.unit);
          values.set(what, [...(values.get(what) ?? []), measure.value]);
        }
      }
    }
  }
  const rows = [...units].flatMap(([what, unit]) => {
    const [before, after] = trees.map(({ values }) => median(values.get(what) ?? []));
    if (before === undefined || after === undefined || Number.isNaN(before) || Number.isNaN(after)) return [];
    return [[what, unit, format(before), format(after), before === 0 ? '' : `${format(after / before)} ×`]];
  });
  return table(['what', 'unit', commit, 'this tree', 'ratio'], rows);
}

async function measured(directory: string, args: readonly string[]): Promise<BenchResult[]> {
  const bench = spawn(process.execPath, [join('test', 'bench', 'main.ts'), ...args, '--json'], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  bench.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  bench.once('error', reject).once('close', resolve);
  const code = await promise;
  if (code !== 0) throw new Error(`the bench in ${directory} ended with exit code ${code}`);
  return (JSON.parse(text) as { bench: string; measures: Measure[] }[]).map(({ bench: name, measures }) => ({
    bench: name,
    measures,
  }));
}
