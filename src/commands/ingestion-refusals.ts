import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

export function addIngestionRefusals(ingestion: Command): void {
  ingestion
    .command('refusals <project>')
    .description('list readings that the other service refused, newest first; they stay stored here')
    .option('--organisation <id>', 'organisation that owns the project', 'default')
    .option('--limit <number>', 'readings shown', wholeNumber, 50)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge ingestion refusals pump-hall', 'databridge ingestion refusals pump-hall --limit 1000'],
        notes: ['Every refusal is counted; of each hour only a limited number is kept.'],
      }),
    )
    .action(whenRun(async () => (await import('./actions/ingestion-refusals.ts')).ingestionRefusals));
}
