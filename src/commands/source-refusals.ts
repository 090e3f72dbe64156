import { Option } from 'commander';
import type { Command } from 'commander';
import { REFUSALS } from '../core/reading.ts';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION, wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourceRefusals(source: Command): void {
  source
    .command('refusals <name>')
    .description('list points that did not become readings: counts by the hour, and kept points, newest first')
    .addOption(new Option('--reason <reason>', 'only refusals of this reason').choices(Object.keys(REFUSALS)))
    .option('--limit <number>', 'hours and points shown', wholeNumber, 50)
    .option(...SOURCE_ORGANISATION)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge source refusals hall-3', 'databridge source refusals hall-3 --reason text-number'],
        notes: [
          'Every refusal is counted. For each stream, reason and hour about 1,000 points are kept with their value.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-refusals.ts')).sourceRefusals));
}
