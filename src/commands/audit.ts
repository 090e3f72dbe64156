import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { wholeNumberUpTo } from './options.ts';
import { whenRun } from './when-run.ts';

const MOST_ENTRIES = 10_000;

export function addAudit(program: Command): void {
  const audit = program
    .command('audit')
    .description('the record of changes, each with its actor and time')
    .addHelpText('after', helpBelow({ examples: ['databridge audit list'] }));
  audit
    .command('list')
    .description('list changes, newest first')
    .option('--limit <number>', `entries shown, at most ${MOST_ENTRIES}`, wholeNumberUpTo(MOST_ENTRIES), 50)
    .option(
      '--before <id>',
      'only entries before this one, for the next page',
      wholeNumberUpTo(Number.MAX_SAFE_INTEGER),
    )
    .option('--json', 'print JSON, with all details')
    .addHelpText(
      'after',
      helpBelow({ examples: ['databridge audit list', 'databridge audit list --limit 1000 --before 4711 --json'] }),
    )
    .action(whenRun(async () => (await import('./actions/audit.ts')).auditList));
}
