import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { whenRun } from './when-run.ts';

export function addBackup(program: Command): void {
  program
    .command('backup <file>')
    .description('write everything the bridge holds into a file, while it runs')
    .option('--with-key', 'also write the key that opens the sealed secrets, in clear')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge backup /backups/pump-hall.backup', 'databridge backup /backups/pump-hall.backup --json'],
        notes: [
          'The file shows the bridge as it was at one instant. It takes its name when it is complete, and replaces an earlier one then.',
          'Secrets in it are sealed. The key is DATABRIDGE_KEY, or the file sealing.key in DATABRIDGE_HOME. Keep a copy of it in another place. With --with-key the file alone opens every secret.',
          'Jobs of the queue, and claims of processes, are not in it: the bridge makes them anew.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/backup.ts')).backup));
}
