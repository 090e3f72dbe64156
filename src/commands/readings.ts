import { Option } from 'commander';
import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { TABLE_LIMIT, wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

export function addReadings(program: Command): void {
  program
    .command('readings <project>')
    .description('print stored readings of a project, ordered by sensorId, valueName and date')
    .requiredOption('--from <time>', 'begin: 2026-11-01T00:00:00Z, 2026-11-01, or 1h for an hour ago')
    .option('--to <time>', 'end, not included; default: now')
    .option('--sensor <pattern>', 'only sensors whose sensorId matches: * stands for any text, ? for any character')
    .option(
      '--limit <number>',
      `at most this many readings; default: ${TABLE_LIMIT} in a table, otherwise all`,
      wholeNumber,
    )
    .option('--organisation <id>', 'organisation that owns the project', 'default')
    .addOption(
      new Option('--format <format>', 'output format').choices(['table', 'ndjson', 'csv', 'parquet']).default('table'),
    )
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge readings pump-hall --from 1h',
          'databridge readings pump-hall --from 2026-11-01 --to 2026-12-01 \\\n--format csv > november.csv',
          'databridge readings pump-hall --from 1d --sensor "pump-*" \\\n--format ndjson | head',
          'databridge readings pump-hall --from 2026-11-01 --to 2026-12-01 \\\n--format parquet > november.parquet',
        ],
        notes: [
          'Formats ndjson and csv print any number of readings as a stream.',
          'Parquet has the columns of archived days. It is made in the temporary directory first (TMPDIR), with 50 bytes of disk a reading.',
          'Readings belong to a project, not to the source that fetched them; databridge source list shows the project of each source.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/readings.ts')).readings));
}
