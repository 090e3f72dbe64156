import { Option } from 'commander';
import type { Command } from 'commander';
import { REFUSALS } from '../core/reading.ts';
import { findSource } from '../source/find-source.ts';
import { refusalsOf } from '../source/refusals.ts';
import { withContext } from '../context.ts';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION, wholeNumber } from './options.ts';
import { printRefusals } from './refusals.ts';

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
    .action(
      async (name: string, options: { organisation?: string; reason?: string; limit: number; json?: boolean }) => {
        const refusals = await withContext({ patient: false }, async ({ database }) => {
          const { id } = await findSource(database, { name, organisation: options.organisation });
          return await refusalsOf(database, { sourceId: id, reason: options.reason, limit: options.limit });
        });
        printRefusals(refusals, options.json ?? false);
      },
    );
}
