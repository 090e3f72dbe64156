import type { Command } from 'commander';
import { applySource } from '../source/registration.ts';
import type { Applied } from '../source/registration.ts';
import { readConfigs } from '../source/configs.ts';
import type { FileProblem } from '../source/configs.ts';
import { registry, withContext } from '../context.ts';
import { EXIT, actor, printJson, printLine } from '../terminal/output.ts';

export function addSourceApply(source: Command): void {
  source
    .command('apply <path>')
    .description('create or change sources from a YAML file or a directory of them; - reads stdin')
    .option('--dry-run', 'show the difference, change nothing')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ databridge source apply hall-3.yaml\n  $ databridge source apply --dry-run sources/',
    )
    .action(async (path: string, options: { dryRun?: boolean; json?: boolean }) => {
      const { sources, problems } = await readConfigs(path, registry, Date.now() * 1000);
      if (problems.length > 0) {
        reportProblems(problems, options.json ?? false);
        return;
      }
      const applied = await withContext({ patient: false }, async ({ database, sealing, clock }) => {
        const given = { now: clock.now(), actor: actor(), dryRun: options.dryRun ?? false };
        // A directory is applied as a whole or not at all as far as that can be known before.
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

/** Says what is wrong where, and what would be right; the exit code is 2. */
export function reportProblems(problems: readonly FileProblem[], json: boolean): void {
  process.exitCode = EXIT.usage;
  if (json) {
    printJson({ problems });
    return;
  }
  for (const problem of problems) {
    const path = problem.path === '' ? '' : `${problem.path} `;
    process.stderr.write(
      `${problem.file}:${problem.line}:${problem.column}: ${path}${problem.message}\n  try: ${problem.remedy}\n`,
    );
  }
}
