import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { whenRun } from './when-run.ts';

export function addRestore(program: Command): void {
  program
    .command('restore <file>')
    .description('make a bridge from a backup, in an empty place')
    .option('--without-key', 'restore without the key of the sealed secrets; they have to be given anew')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'DATABRIDGE_HOME=/new databridge restore /backups/pump-hall.backup',
          'DATABASE_URL=postgres://bridge@db/new databridge restore x.backup',
        ],
        notes: [
          'The place is DATABRIDGE_HOME, where a new embedded database is made, or the empty database of DATABASE_URL. The whole file is checked before anything is written, and all of it is restored or nothing.',
          'A backup of an earlier databridge is brought forward. One of a newer databridge is refused.',
          'Stop the old bridge before you start the restored one: both would ask the same platforms.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/restore.ts')).restoreBackup));
}
