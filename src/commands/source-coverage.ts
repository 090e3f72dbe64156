import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION, wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourceCoverage(source: Command): void {
  source
    .command('coverage <name>')
    .description('show the time of a source, stream by stream: data, asked but empty, missing, failed')
    .option('--from <time>', 'an instant, a day, or a duration before now; default: 7 days ago')
    .option('--to <time>', 'as --from; default: now')
    .option('--sensor <id>', 'only this sensor, with its readings and refusals; as the platform or as readings call it')
    .option('--limit <number>', 'streams shown, those that lack most first', wholeNumber)
    .option(...SOURCE_ORGANISATION)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge source coverage hall-3',
          'databridge source coverage hall-3 --from 2026-11-17 --to 2026-11-18 \\\n--sensor pump-7',
        ],
        notes: [
          'A terminal shows one row a stream and one character for each bucket of time; a pipe gets a table of stretches. All times are UTC.',
          'A bucket has the first of these that holds for a part of it: it cannot be read, it is missing, it is being asked, it has refused points. Otherwise it has data, or it was asked and has no reading. Time before schedule.start is not asked for, and the last interval and schedule.settle are not due yet.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-coverage.ts')).sourceCoverage));
}
