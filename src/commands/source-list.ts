import { Option } from 'commander';
import type { Command } from 'commander';
import { CONDITIONS } from '../core/condition.ts';
import { addSourceShow } from './source-show.ts';
import { helpBelow } from './help.ts';
import { wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

/** Adds `list` and `show`. */
export function addSourceList(source: Command): void {
  source
    .command('list')
    .description('list sources with lag, gaps, new readings, requests and last fault')
    .option('--behind', 'only sources that lack time which their schedule promised, the longest lag first')
    .addOption(new Option('--condition <condition>', 'only sources in this condition').choices(Object.keys(CONDITIONS)))
    .option('--platform <name>', 'only sources of this platform')
    .addOption(
      new Option(
        '--sort <order>',
        'by name, or the longest lag, the most overdue, the worst condition, the most requests first',
      ).choices(['name', 'lag', 'overdue', 'trouble', 'requests']),
    )
    .option('--limit <number>', 'sources shown', wholeNumber)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge source list',
          'databridge source list --behind',
          'databridge source list --condition failing',
        ],
        notes: [
          `condition: ${conditionsInWords()}. A terminal that is too narrow shows fewer columns.`,
          'platform: "unproven" marks a source whose operator accepted that nothing proves its answers complete, "adapter" one whose platform is no part of databridge. lag: from the end of the coverage to now, of the stream that is furthest behind. gaps: whether time before that end is missing. 24h: new readings of the last 24 hours. req/h: requests of the last hour, with failed ones, logins and looks for sensors; databridge source requests sets them against the pace.',
        ],
      }),
    )
    .action(
      whenRun(
        async () => (await import('./actions/source-list.ts')).sourceList,
        async (url) => (await import('./actions/elsewhere-sources.ts')).listElsewhere(url),
      ),
    );
  addSourceShow(source);
}

const conditionsInWords = (): string =>
  Object.entries(CONDITIONS)
    .map(([condition, meaning]) => `${condition}: ${meaning}`)
    .join('; ');
