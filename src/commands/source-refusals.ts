import { Option } from 'commander';
import type { Command } from 'commander';
import { formatInstant } from '../core/instant.ts';
import { REFUSALS } from '../core/reading.ts';
import { refusalsOf } from '../source/refusals.ts';
import { withContext } from '../context.ts';
import { printJson, printLine, table } from '../terminal/output.ts';
import { helpBelow } from './help.ts';
import { wholeNumber } from './options.ts';
import { instantOrNull } from '../terminal/words.ts';

export function addSourceRefusals(source: Command): void {
  source
    .command('refusals <name>')
    .description('list points that did not become readings: counts by the hour, and kept points, newest first')
    .addOption(new Option('--reason <reason>', 'only refusals of this reason').choices(Object.keys(REFUSALS)))
    .option('--limit <number>', 'hours and points shown', wholeNumber, 50)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge source refusals hall-3', 'databridge source refusals hall-3 --reason text-number'],
        notes: [
          'Every refusal is counted. For each stream, reason and hour about 1,000 points are kept with their value.',
        ],
      }),
    )
    .action(async (name: string, options: { reason?: string; limit: number; json?: boolean }) => {
      const wanted = { source: name, reason: options.reason, limit: options.limit };
      const { kept, hours } = await withContext({ patient: false }, ({ database }) => refusalsOf(database, wanted));
      if (options.json) {
        printJson({
          hours: hours.map((one) => ({ ...one, hour: formatInstant(one.hour) })),
          kept: kept.map((one) => ({ ...one, at: instantOrNull(one.at), notedAt: formatInstant(one.notedAt) })),
        });
        return;
      }
      if (hours.length === 0) {
        printLine('nothing was refused');
        return;
      }
      printLine(
        table(
          ['hour', 'reason', 'refused', 'kept'],
          hours.map((one) => [formatInstant(one.hour), one.reason, one.refused, one.kept]),
        ),
      );
      for (const reason of new Set(hours.map((one) => one.reason))) printLine(`${reason}: ${REFUSALS[reason]}`);
      if (kept.length === 0) return;
      const rows = kept.map(({ reason, sensor, variable, at, raw, notedAt }) => [
        reason,
        sensor,
        variable,
        instantOrNull(at),
        raw,
        formatInstant(notedAt),
      ]);
      printLine(`\n${table(['reason', 'sensor', 'variable', 'date', 'value', 'noted'], rows)}`);
    });
}
