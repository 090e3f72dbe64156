import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { IN_QUIET_HOURS, SOURCE_ORGANISATION, SOURCE_PATH_OR_NAME, TRY_AGAIN } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourceCheck(source: Command): void {
  source
    .command('check')
    .argument(...SOURCE_PATH_OR_NAME)
    .description('try the connection of sources step by step; saves nothing and needs no database')
    .option(...SOURCE_ORGANISATION)
    .option(...IN_QUIET_HOURS)
    .option(...TRY_AGAIN)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge source check hall-3.yaml',
          'databridge source check hall-3',
          'databridge source check sources/ --json',
        ],
        notes: [
          'A check asks the platform never faster than the pace of the source. Where a bridge runs, it takes turns with the workers of a registered source, and a password that the platform refused is not sent again.',
          'It reads the last minute of each stream: of the first 20, and for about a minute.',
          'A file may say "sensors: { table: ./tags.csv }": a table beside it, CSV or YAML, with the columns tag, variable, group, sensorId, valueName, scale, offset, unit, labels (a;b) and states (Off=0;On=1). Only tag is needed. Wrong rows are told with their lines.',
        ],
        exitCodes: '0 no step failed (warnings do not count), 1 a step failed, 2 the file is wrong, 130 Ctrl-C',
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-check.ts')).sourceCheck));
}
