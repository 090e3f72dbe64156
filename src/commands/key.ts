import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { whenRun } from './when-run.ts';

export function addKey(program: Command): void {
  const key = program
    .command('key')
    .description('the key that seals stored passwords, secrets and tokens')
    .addHelpText('after', helpBelow({ examples: ['databridge key show', 'databridge key rotate'] }));
  key
    .command('show')
    .description('list the ids of the sealing keys, and how many values each sealed')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge key show'],
        notes: [
          'Shows no key. The id of a key stands in every value that it sealed, and tells nothing of the key.',
          'State: the key that "seals" seals new values, one that "opens" sealed values of before, the "next" one waits for key rotate, one that is "missing" is not here.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/key.ts')).keyShow));
  key
    .command('rotate')
    .description('seal everything with a new key while the bridge works')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge key rotate'],
        notes: [
          'Where the key is a file of DATABRIDGE_HOME, this makes a new one and keeps the old one beside it. Processes that run notice it.',
          'With DATABRIDGE_KEY, first set on all hosts DATABRIDGE_PREVIOUS_KEYS to the old key and DATABRIDGE_KEY to a new one, and start the processes again. They go on with the old key until this command.',
          'It may be interrupted: run it again, and it goes on. In the end it says which keys are not needed any more.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/key.ts')).keyRotate));
  key
    .command('lost')
    .description('begin with a new key because the old one is lost')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge key lost'],
        notes: [
          'Nothing opens the stored secrets without their key. This command lists the sources and projects whose secrets have to be given again, removes stored tokens of platforms, and makes a new key for access tokens, so that clients renew theirs. Stop all processes of the bridge before.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/key.ts')).keyLost));
}
