import { Option } from 'commander';
import type { Command } from 'commander';
import { REFUSALS } from '../core/reading.ts';
import { helpBelow } from './help.ts';
import { wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

/** `refusals`: refused points over all sources. */
export function addRefusals(program: Command): void {
  program
    .command('refusals')
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
}
