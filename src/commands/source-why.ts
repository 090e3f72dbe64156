import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourceWhy(source: Command): void {
  source
    .command('why <name>')
    .description('say why the readings of a source are as old as they are, and how to mend it')
    .option(...SOURCE_ORGANISATION)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge source why hall-3', 'databridge source why hall-3 --json'],
        notes: [
          'The lag is split into the schedule, a fault or another reason that keeps the source from being asked, and the time of its polls: waiting for the pace, HTTP, normalising, storing. The longest cause comes first. The newest reading may be older than the lag: the platform publishes late, or its sensors are silent.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-why.ts')).sourceWhy));
}
