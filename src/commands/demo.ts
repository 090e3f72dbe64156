import { Option } from 'commander';
import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { whenRun } from './when-run.ts';

export function addDemo(program: Command): void {
  program
    .command('demo')
    .description('show databridge at work: it polls a simulated plant of each platform and leaves nothing behind')
    .option('--for <duration>', 'end after this time, 1s to 1d; without it Ctrl-C ends the demo')
    .option('--keep <directory>', 'keep database, sources and log in this new directory')
    .option('--json', 'print only the summary, as JSON')
    // For the test of the demo: one plant sends readings that differ from its records, and the summary has to say so.
    .addOption(new Option('--lie').hideHelp())
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge demo', 'databridge demo --for 30s', 'databridge demo --for 1m --json'],
        notes: [
          'At the end the demo compares every stored reading with the records of the plants, and every request with the agreed pace. On a busy machine --for lasts until each source has a reading, at most a minute more.',
        ],
        exitCodes:
          '0 readings arrived, none is lost, doubled or wrong, and no request was too early; 1 otherwise; 2 wrong usage; 130 Ctrl-C before the first poll, or before the time of --for',
      }),
    )
    .action(whenRun(async () => (await import('./actions/demo.ts')).demo));
}
