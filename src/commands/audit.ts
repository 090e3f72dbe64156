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
    .option('--source <name>', 'only changes of this source, and of sources whose series it took over')
    .option('--organisation <id>', 'organisation of the source; default: any')
    .option('--actor <text>', 'only changes by actors with this in their name')
    .option('--from <time>', 'only from then on: 2026-11-01T00:00:00Z, 2026-11-01, or 7d for 7 days ago')
    .option('--to <time>', 'only before then')
    .option('--json', 'print JSON, with all details')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge audit list',
          'databridge audit list --source hall-3',
          'databridge audit list --actor anna --from 7d',
          'databridge audit list --limit 1000 --before 4711 --json',
        ],
        notes: [
          'A removed source and a later one of its name are shown together. databridge source restore goes back to the configuration before the last change.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/audit.ts')).auditList));
}
