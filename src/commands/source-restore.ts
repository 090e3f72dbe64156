import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourceRestore(source: Command): void {
  source
    .command('restore <name>')
    .description('go back to the configuration before the last change or removal')
    .option(...SOURCE_ORGANISATION)
    .option('--dry-run', 'show the differences, change nothing')
    .option('--same-data', 'keep the coverage, because a changed address or database holds the same data as before')
    .option('--rename', 'let series that have readings get other names; the readings so far stay under the old names')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge source restore hall-3 --dry-run', 'databridge source restore hall-3'],
        notes: [
          'The bridge keeps the last 20 configurations of a source, secrets sealed. A removed source comes back without its coverage: all time since its start is read again. Going back is a change itself, so restoring twice returns to where you were.',
        ],
        exitCodes:
          '0 done, or a dry run that would change nothing, 1 failed, 2 wrong usage or nothing to go back to, 3 a dry run that would change something',
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-restore.ts')).sourceRestore));
}
