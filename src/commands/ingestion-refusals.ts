import type { Command } from 'commander';
import { formatInstant } from '../core/instant.ts';
import { remoteRefusals } from '../delivery/refusals.ts';
import { withContext } from '../context.ts';
import { printJson, printLine, table } from '../terminal/output.ts';
import { helpBelow } from './help.ts';
import { wholeNumber } from './options.ts';

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
    .action(async (code: string, options: { organisation: string; limit: number; json?: boolean }) => {
      const project = { organisation: options.organisation, code };
      const rows = await withContext({ patient: false }, ({ database }) =>
        remoteRefusals(database, project, options.limit),
      );
      const shown = rows.map((row) => ({ ...row, at: formatInstant(row.at), notedAt: formatInstant(row.notedAt) }));
      if (options.json) printJson(shown);
      else if (shown.length === 0) printLine('the other service refused nothing');
      else {
        const cells = shown.map((row) => [row.notedAt, row.source, row.sensor, row.variable, row.at, row.raw]);
        printLine(table(['refused', 'source', 'sensorId', 'valueName', 'date', 'value: reason: message'], cells));
      }
    });
}
