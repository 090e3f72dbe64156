import { Option } from 'commander';
import type { Command } from 'commander';
import { REFUSALS } from '../core/reading.ts';
import { startedThen } from './backfill.ts';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION, wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

/** `refusals`: refused points over all sources, and their repair. */
export function addRefusals(program: Command): void {
  const refusals = program
    .command('refusals')
    .enablePositionalOptions()
    .description('list the points of all sources that are refused: by source, sensor and reason')
    .option('--source <name>', 'only this source')
    .option('--project <code>', 'only sources of this project')
    .addOption(new Option('--reason <reason>', 'only refusals of this reason').choices(Object.keys(REFUSALS)))
    .option('--sensor <id>', 'only this sensor, as the platform calls it')
    .option('--organisation <id>', 'only sources of this organisation')
    .option('--limit <number>', 'variables shown', wholeNumber, 50)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge refusals', 'databridge refusals --reason text-number --project pump-hall'],
        notes: ['databridge source refusals NAME shows the values of one source.'],
      }),
    )
    .action(whenRun(async () => (await import('./actions/refusals.ts')).refusals));
  addReplay(refusals);
}

function addReplay(refusals: Command): void {
  refusals
    .command('replay <source>')
    .description('ask again for the hours with refused points of a source, after its mapping was corrected')
    .option(...SOURCE_ORGANISATION)
    .option(
      '--sensor <id...>',
      'only streams with these sensors; sensors that are fetched with them are asked for, too',
    )
    .option('--requests-per-day <number>', 'at most so many requests on a day of UTC, inside the pace', wholeNumber)
    .option('--detach', 'start it and return at once')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge refusals replay hall-3', 'databridge refusals replay hall-3 --sensor pump-7 --detach'],
        notes: [
          'It is a backfill with --what refused that begins with the first of these hours: databridge backfill list, show, pause and cancel have it. Points that are readings now are refused no more; those that are refused again stay.',
        ],
        exitCodes: startedThen('--detach'),
      }),
    )
    .action(
      whenRun(
        async () => (await import('./actions/backfill.ts')).refusalsReplay,
        async (url) => (await import('./actions/elsewhere-backfills.ts')).replayRefusalsElsewhere(url),
      ),
    );
}
