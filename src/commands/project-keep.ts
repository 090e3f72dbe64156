import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { whenRun } from './when-run.ts';

const OF_ORGANISATION = ['--organisation <id>', 'organisation that owns the project', 'default'] as const;
const JSON_OPTION = ['--json', 'print JSON'] as const;

/** The commands that decide how long the readings of a project are kept. */
export function addProjectKeep(project: Command): void {
  project
    .command('keep <code> <length>')
    .description('set how long the readings of the project are kept, such as 3y, or forever')
    .option('--dry-run', 'set nothing; count the readings that would go')
    .option(...OF_ORGANISATION)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge project keep pump-hall 3y --dry-run', 'databridge project keep pump-hall forever'],
        notes: [
          'LENGTH is a number of days (d), weeks (w), months (mo) or years (y) of the calendar, or forever. Within ten minutes older readings are out of sight by whole days of UTC, and their rows are removed afterwards; a longer length brings none of them back.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/project-keep.ts')).projectKeeps));
  project
    .command('trim [code]')
    .description('remove readings that are older than their project keeps them; databridge up does it by itself')
    .option('--dry-run', 'remove nothing; count the readings that would go')
    .option(...OF_ORGANISATION)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge project trim', 'databridge project trim pump-hall --dry-run'],
        notes: ['Files of the archive stay for 30 days, out of sight of programs that open the directory.'],
      }),
    )
    .action(whenRun(async () => (await import('./actions/project-keep.ts')).projectTrim));
  project
    .command('hold <code>')
    .description('remove no reading of the project, however old it is, until the hold ends')
    .requiredOption('--reason <text>', 'why, for those who come later')
    .option(...OF_ORGANISATION)
    .option(...JSON_OPTION)
    .addHelpText('after', helpBelow({ examples: ['databridge project hold pump-hall --reason "inquiry 2026-114"'] }))
    .action(whenRun(async () => (await import('./actions/project-keep.ts')).projectHold));
  project
    .command('unhold <code>')
    .description('end the hold: readings that are too old are removed again')
    .option(...OF_ORGANISATION)
    .option(...JSON_OPTION)
    .addHelpText('after', helpBelow({ examples: ['databridge project unhold pump-hall'] }))
    .action(whenRun(async () => (await import('./actions/project-keep.ts')).projectUnhold));
}
