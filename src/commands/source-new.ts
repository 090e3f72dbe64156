import { Argument } from 'commander';
import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { whenRun } from './when-run.ts';

export function addSourceNew(source: Command): void {
  source
    .command('new')
    .addArgument(new Argument('[file]', 'YAML file to write; it must not exist. Default: NAME.yaml'))
    .description('make the file of a source by questions: connection, sensors, a look at its readings')
    .option('--platform <name>', 'the platform, where it is known')
    .option('--print', 'print the sample file of the platform instead of asking')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge source new hall-3.yaml',
          'databridge source new --platform influxdb --print > hall-3.yaml',
        ],
        notes: [
          'It asks at a terminal only, and writes the file after the last question. Secrets become references, such as ${env:HALL_3_PASSWORD}, unless you choose to have them in the file. Ctrl-C ends it, and leaves no file.',
          'It asks the platform for its sensors and ten minutes of readings, never faster than the pace of a source. It registers nothing: that is "source apply".',
        ],
        exitCodes:
          '0 the file was written, 1 the platform could not be read, 2 wrong usage or no terminal, 130 Ctrl-C, and no file was written',
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-new.ts')).sourceNew));
}
