import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourceTakeOver(source: Command): void {
  source
    .command('take-over <name>')
    .description('hand series over to a source, such as one that replaces another platform')
    .option('--from <source>', 'the source that has the series, also if it was removed')
    .option('--from-pushed', 'series that applications pushed so far')
    .option('--sensor <id...>', 'only the series of these sensorIds; default: all series of that owner in the project')
    .option(...SOURCE_ORGANISATION)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge source take-over hall-3 --from old-historian',
          'databridge source take-over hall-3 --from-pushed --sensor pump-1 pump-2',
        ],
        notes: [
          'A series belongs to the source that wrote it first, or to pushing applications. Points of any other source for it are refused, and pushed ones within a second after the hand-over. A removed source keeps its series until a source of its name stands again or another source takes them over.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-take-over.ts')).sourceTakeOver));
}
