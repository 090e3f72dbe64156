import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourceShow(source: Command): void {
  source
    .command('show <name>')
    .description('show a source: configuration, state, streams with coverage, last windows, refusals')
    .option(...SOURCE_ORGANISATION)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({ examples: ['databridge source show hall-3', 'databridge source show hall-3 --json'] }),
    )
    .action(
      whenRun(
        async () => (await import('./actions/source-show.ts')).sourceShow,
        async (url) => (await import('./actions/elsewhere-sources.ts')).showElsewhere(url),
      ),
    );
}
