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
    .action(
      whenRun(
        async () => (await import('./actions/source-contract.ts')).sourceContract,
        async (url) => (await import('./actions/elsewhere-looks.ts')).contractElsewhere(url),
      ),
    );
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
          'Each request counts in the hour of its slot, those of looks, checks and logins too. Hours of before the bridge counted them have those of stored windows alone. They are held against the pace of today, whichever it was then; quiet hours where they fill a whole hour.',
        ],
      }),
    )
    .action(
      whenRun(
        async () => (await import('./actions/source-contract.ts')).sourceReceipt,
        async (url) => (await import('./actions/elsewhere-looks.ts')).receiptElsewhere(url),
      ),
    );
}
