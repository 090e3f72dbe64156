import { Option } from 'commander';
import type { Command } from 'commander';
import { REFUSALS } from '../core/reading.ts';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION, wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourceRefusals(source: Command): void {
  source
    .command('refusals <name>')
    .description('list the points that are refused: by reason and sensor, with the first and last instant')
    .addOption(new Option('--reason <reason>', 'only refusals of this reason').choices(Object.keys(REFUSALS)))
    .option('--sensor <id>', 'only this sensor, as the platform calls it')
    .option('--from <time>', 'only points from here on: an instant, a day, or a duration before now')
    .option('--to <time>', 'only points before this, as --from')
    .option('--limit <number>', 'variables shown, those with most refused points first', wholeNumber, 50)
    .option(...SOURCE_ORGANISATION)
    .option('--json', 'print JSON, with up to three values of each variable')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge source refusals hall-3', 'databridge source refusals hall-3 --sensor pump-7 --from 7d'],
        notes: [
          'A list holds what was refused when its time was asked for last. A point that is asked for again and is not refused any more, or that the platform does not give any more, is gone from it. So after the mapping was mended, the backfill that source apply prints empties it of all that the change repairs.',
          'All times are UTC. A point whose date cannot be read stands at the start of its window. A few values are kept for each variable, reason and hour.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-refusals.ts')).sourceRefusals));
}
