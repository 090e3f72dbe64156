import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourceContract(source: Command): void {
  source
    .command('contract <name>')
    .description('print what the bridge promises to those who run the platform of a source, as Markdown')
    .option(...SOURCE_ORGANISATION)
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge source contract hall-3 > hall-3.md'] }))
    .action(whenRun(async () => (await import('./actions/source-contract.ts')).sourceContract));
  source
    .command('receipt <name>')
    .description('print what the bridge asked in a month, and where that was more than it promises')
    .requiredOption('--month <month>', 'month of UTC, such as 2026-11')
    .option(...SOURCE_ORGANISATION)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge source receipt hall-3 --month 2026-11'],
        notes: [
          'Requests and bytes are kept by the hour, those of windows alone: looks for sensors and checks are not among them. They are held against the pace of today, whichever it was then.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-contract.ts')).sourceReceipt));
}
