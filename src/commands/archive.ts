import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { whenRun } from './when-run.ts';

export function addArchive(program: Command): void {
  const archive = program
    .command('archive')
    .description('days of readings that lie as Parquet files in DATABRIDGE_ARCHIVE instead of the database')
    .addHelpText('after', helpBelow({ examples: ['databridge archive list', 'databridge archive check'] }));
  archive
    .command('run')
    .description('move the days that are due now; databridge up does it by itself')
    .option('--project <code>', 'only this project')
    .option('--organisation <id>', 'organisation that owns the project', 'default')
    .option('--until <day>', 'days before this one; default: those older than DATABRIDGE_ARCHIVE_AFTER')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge archive run', 'databridge archive run --project pump-hall \\\n--until 2026-01-01'],
        notes: [
          'Each day is moved in one transaction: its readings are rows or in the file, also after a crash. The newest reading of each series stays a row.',
          'Readings that came late are merged into a new file of their day.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/archive.ts')).archiveRun));
  archive
    .command('list')
    .description('list archived days with their files')
    .option('--project <code>', 'only this project')
    .option('--organisation <id>', 'organisation that owns the project', 'default')
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge archive list', 'databridge archive list --json'] }))
    .action(whenRun(async () => (await import('./actions/archive.ts')).archiveList));
  archive
    .command('check')
    .description('compare every file with its checksum')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge archive check'],
        notes: ['It reads all files. It exits with 1 where one of them is missing, cut or changed.'],
      }),
    )
    .action(whenRun(async () => (await import('./actions/archive.ts')).archiveCheck));
}
