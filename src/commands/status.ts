import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { whenRun } from './when-run.ts';

export function addStatus(program: Command): void {
  program
    .command('status')
    .description('the whole bridge on one screen: a verdict, and each trouble by its cause with its next command')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge status', 'databridge status --json'],
        notes: [
          'It judges as doctor and the alerts do. Sources with one cause, such as credentials that one host refuses, are one trouble; the worst comes first.',
        ],
        exitCodes: '0 no trouble needs an operator now, 1 one does, 2 invalid configuration',
      }),
    )
    .action(whenRun(async () => (await import('./actions/status.ts')).status));
}
