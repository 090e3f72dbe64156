import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { IN_QUIET_HOURS, SOURCE_ORGANISATION, SOURCE_PATH_OR_NAME, TRY_AGAIN, wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourceSensors(source: Command): void {
  source
    .command('sensors')
    .argument(...SOURCE_PATH_OR_NAME)
    .description('find sensors on the platform, to choose them; saves nothing and needs no database')
    .option('--search <text>', 'only sensors with this in their id or name; capitals do not matter')
    .option('--limit <number>', 'sensors shown', wholeNumber, 50)
    .option(...SOURCE_ORGANISATION)
    .option(...IN_QUIET_HOURS)
    .option(...TRY_AGAIN)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge source sensors hall-3.yaml',
          'databridge source sensors hall-3.yaml --search pump --limit 200',
        ],
        notes: [
          'It shows every sensor that the credentials may read and the options choose, whatever "sensors" in the file says, and ends with YAML that chooses those shown.',
          'It asks the platform never faster than the pace of the source.',
        ],
        exitCodes:
          '0 done, also where none matches, 1 the platform could not be read, 2 wrong usage or a wrong file, 130 Ctrl-C',
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-sensors.ts')).sourceSensors));
}
