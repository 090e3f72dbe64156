import type { Command } from 'commander';
import { formatInstant } from '../core/instant.ts';
import { remoteRefusals } from '../delivery/refusals.ts';
import { withContext } from '../context.ts';
import { printJson, printLine, table } from '../terminal/output.ts';
import { wholeNumber } from './options.ts';

export function addIngestionRefusals(ingestion: Command): void {
  ingestion
    .command('refusals <project>')
    .description('list readings the service refused, the latest first; they are stored here all the same')
    .option('--organisation <id>', 'organisation that owns the project', 'default')
    .option('--limit <number>', 'readings shown', wholeNumber, 50)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nEvery refusal is counted; of many in an hour only some are kept.')
    .action(async (code: string, options: { organisation: string; limit: number; json?: boolean }) => {
      const project = { organisation: options.organisation, code };
      const rows = await withContext({ patient: false }, ({ database }) =>
        remoteRefusals(database, project, options.limit),
      );
      const shown = rows.map((row) => ({ ...row, at: formatInstant(row.at), notedAt: formatInstant(row.notedAt) }));
      if (options.json) printJson(shown);
      else if (shown.length === 0) printLine('nothing was refused there');
      else {
        const cells = shown.map((row) => [row.notedAt, row.source, row.sensor, row.variable, row.at, row.raw]);
        printLine(table(['refused', 'source', 'sensorId', 'valueName', 'date', 'value: reason: message'], cells));
      }
    });
}
