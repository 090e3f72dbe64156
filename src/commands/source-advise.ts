import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourceAdvise(source: Command): void {
  source
    .command('advise <name>')
    .description('propose how long a source waits for late data, from what came late so far')
    .option('--share <percent>', 'the share of points that settle and overlap have to find', percent, 99.99)
    .option('--apply', 'change the source as proposed')
    .option('--dry-run', 'with --apply: say what would change')
    .option(...SOURCE_ORGANISATION)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge source advise hall-3', 'databridge source advise hall-3 --share 99.9 --apply'],
        notes: [
          'It follows from the late points of the last 14 days. A settle that is longer than needed does not show, because nothing tells how early points came; later points than schedule.lookBackAtMost are not known. A settle of at most 1h and an overlap of at most 1d are proposed.',
        ],
      }),
    )
    .action(
      whenRun(
        async () => (await import('./actions/source-advise.ts')).sourceAdvise,
        async (url) => (await import('./actions/elsewhere-looks.ts')).adviseElsewhere(url),
      ),
    );
}

function percent(text: string): number {
  const number = /^\d{1,3}(\.\d{1,6})?$/.test(text) ? Number(text) : NaN;
  if (number >= 50 && number <= 100) return number;
  throw new InvalidArgumentError('Give a percentage from 50 to 100, such as 99.99.');
}
