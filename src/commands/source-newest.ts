import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION, wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourceNewest(source: Command): void {
  source
    .command('newest [name]')
    .description(
      'show the newest reading of each sensor of a source, the longest silent first; without a name the silent sensors of all sources',
    )
    .option('--silent <duration>', 'only sensors without a reading for so long, such as 1d')
    .option('--limit <number>', 'sensors shown', wholeNumber, 50)
    .option(...SOURCE_ORGANISATION)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge source newest hall-3',
          'databridge source newest hall-3 --silent 1d',
          'databridge source newest --silent 1h',
        ],
        notes: [
          'A sensor is silent where the platform was asked and has nothing. Time that was not asked for shows in databridge source coverage. A sensor that never gave a reading comes first.',
          'The column "longest gap" is the rhythm of a sensor: its longest time without a reading in the last 8 to 16 days. It is silent by its own rhythm after three times that, and after 15 minutes and three intervals of its source at least.',
          'Without a name the answer is that of the last look of databridge up, some minutes old at most.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-newest.ts')).sourceNewest));
}
