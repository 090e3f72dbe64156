import type { Command } from 'commander';
import { applySource } from '../source/registration.ts';
import type { Applied } from '../source/registration.ts';
import { withContext } from '../context.ts';
import { actor, printJson, printLine } from '../terminal/output.ts';
import { helpBelow } from './help.ts';
import { SOURCE_PATH, sourcesIn } from './source-files.ts';

export function addSourceApply(source: Command): void {
  source
    .command('apply')
    .argument(...SOURCE_PATH)
    .description('create or change sources')
    .option('--dry-run', 'show the differences, change nothing')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge source apply hall-3.yaml', 'databridge source apply --dry-run sources/'],
        notes: ['A source that exists is changed. Its coverage stays, unless its project or its platform changes.'],
      }),
    )
    .action(async (path: string, options: { dryRun?: boolean; json?: boolean }) => {
      const sources = await sourcesIn(path, options.json ?? false);
      if (sources === undefined) return;
      const applied = await withContext({ patient: false }, async ({ database, sealing, clock }) => {
        const given = { now: clock.now(), actor: actor(), dryRun: options.dryRun ?? false };
        // All sources are tried first, so that an error that can be foreseen leaves all of them unchanged.
        const planned: Applied[] = [];
        for (const one of sources) planned.push(await applySource(database, sealing, one, { ...given, dryRun: true }));
        if (given.dryRun) return planned;
        const done: Applied[] = [];
        for (const one of sources) done.push(await applySource(database, sealing, one, given));
        return done;
      });
      if (options.json) printJson(applied);
      else for (const one of applied) describe(one, options.dryRun ?? false);
    });
}

function describe(applied: Applied, dryRun: boolean): void {
  const would = dryRun && applied.action !== 'unchanged' ? 'would be ' : '';
  printLine(`source ${applied.name} ${would}${applied.action}`);
  for (const { path, before, after } of applied.differences) printLine(`  ${path}: ${show(before)} → ${show(after)}`);
}

const show = (value: unknown): string =>
  value === undefined ? '(not set)' : typeof value === 'string' ? value : JSON.stringify(value);
