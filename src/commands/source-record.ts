import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { IN_QUIET_HOURS, SOURCE_PATH, TRY_AGAIN } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourceRecord(source: Command): void {
  source
    .command('record')
    .argument(...SOURCE_PATH)
    .description('record the answers of a platform as cases, to hand them to an author of its adapter')
    .option('--into <directory>', 'directory to make; it must not exist. Default: recorded-NAME')
    .option(...IN_QUIET_HOURS)
    .option(...TRY_AGAIN)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge source record hall-3.yaml', 'databridge source record hall-3.yaml --into odd-answer'],
        notes: [
          'It runs the look for sensors and one short window of a check, and makes a folder for each: case.json, the answers and expected.json. In adapters/platforms/NAME/cases the tests of the platform play it.',
          'Secrets, tokens, users and hosts of the source are replaced. Names of sensors, databases and everything else that the platform says stay: look through the files before you hand them on.',
        ],
        exitCodes:
          '0 recorded, also where the window failed, 1 the platform did not get that far, 2 wrong usage or a wrong file, 130 Ctrl-C',
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-record.ts')).sourceRecord));
}
