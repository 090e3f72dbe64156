import type { Command } from 'commander';
import { addSourceShow } from './source-show.ts';
import { helpBelow } from './help.ts';
import { whenRun } from './when-run.ts';

/** Adds `list` and `show`. */
export function addSourceList(source: Command): void {
  source
    .command('list')
    .description('list sources with lag, gaps, new readings, requests and last fault')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge source list', 'databridge source list --json'],
        notes: [
          'platform: "unproven" marks a source whose operator accepted that nothing proves its answers complete. lag: from the end of the coverage to now, of the stream that is furthest behind. gaps: whether time before that end is missing. 24h: new readings of the last 24 hours. req/h: requests for readings in the last hour.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-list.ts')).sourceList));
  addSourceShow(source);
}
