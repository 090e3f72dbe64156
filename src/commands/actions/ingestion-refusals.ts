import { formatInstant } from '../../core/instant.ts';
import { remoteRefusals } from '../../delivery/refusals.ts';
import { withContext } from '../../context.ts';
import { printJson, printLine, printTable } from '../../terminal/output.ts';

/** `ingestion refusals`. */
export async function ingestionRefusals(
  code: string,
  options: { organisation: string; limit: number; json?: boolean },
): Promise<void> {
  const project = { organisation: options.organisation, code };
  const rows = await withContext(({ database }) => remoteRefusals(database, project, options.limit));
  const shown = rows.map((row) => ({ ...row, at: formatInstant(row.at), notedAt: formatInstant(row.notedAt) }));
  if (options.json) printJson(shown);
  else if (shown.length === 0) printLine('the other service refused nothing');
  else {
    const cells = shown.map((row) => [row.notedAt, row.source, row.sensor, row.variable, row.at, row.raw]);
    printTable(['refused', 'source', 'sensorId', 'valueName', 'date', 'value: reason: message'], cells);
  }
}
