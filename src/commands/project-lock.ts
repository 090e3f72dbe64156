import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

const OF_ORGANISATION = ['--organisation <id>', 'organisation that owns the project', 'default'] as const;
const JSON_OPTION = ['--json', 'print JSON'] as const;

/** The commands that decide which series a project may have. */
export function addProjectLock(project: Command): void {
  project
    .command('lock <code>')
    .description('hold back every name that the project has no series of')
    .option(...OF_ORGANISATION)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge project lock pump-hall'],
        notes: [
          'Points of a held name are refused with the reason name-held-back, and counted. An operator lists the names, and releases those that are meant. At most 10,000 names of a project are listed; points of further names are refused and counted all the same.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/project-lock.ts')).projectLock));
  project
    .command('unlock <code>')
    .description('take new names again')
    .option(...OF_ORGANISATION)
    .option(...JSON_OPTION)
    .addHelpText('after', helpBelow({ examples: ['databridge project unlock pump-hall'] }))
    .action(whenRun(async () => (await import('./actions/project-lock.ts')).projectUnlock));
  project
    .command('names <code>')
    .description('list the names that are held back: where they come from, and how many points they have')
    .option('--renamed', 'the names that are pushed for series of other names')
    .option('--sensor <id>', 'only this sensorId; * stands for any text')
    .option('--limit <number>', 'names shown', wholeNumber, 50)
    .option('--skip <number>', 'names left out before them', wholeNumber)
    .option(...OF_ORGANISATION)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge project names pump-hall', 'databridge project names pump-hall --skip 50'],
      }),
    )
    .action(whenRun(async () => (await import('./actions/project-lock.ts')).projectNames));
  project
    .command('release <code> [name...]')
    .description('let held names in: they become series of the project')
    .option('--all', 'all held names of the project')
    .option('--as <name...>', 'take its readings for this series instead: a sensorId, or also a valueName')
    .option(...OF_ORGANISATION)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge project release pump-hall pump-7',
          'databridge project release pump-hall pump-7 flow',
          "databridge project release pump-hall 'pump-*'",
          'databridge project release pump-hall Pump-7 --as pump-7',
        ],
        notes: [
          'NAME is a sensorId, or a sensorId and a valueName; * stands for any text.',
          'The answer names the backfills that ask the sources for the refused points once more. Readings that were pushed are stored when the application sends them again.',
          'With --as, pushed readings of the name go to a series that the project has. For a source the answer has the lines to add to its file.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/project-lock.ts')).projectRelease));
  project
    .command('unrename <code> <name...>')
    .description('end a rename of pushed names')
    .option(...OF_ORGANISATION)
    .option(...JSON_OPTION)
    .addHelpText('after', helpBelow({ examples: ['databridge project unrename pump-hall Pump-7'] }))
    .action(whenRun(async () => (await import('./actions/project-rename.ts')).projectUnrename));
  project
    .command('show <code>')
    .description('show how many series the project has, and whether it is locked')
    .option(...OF_ORGANISATION)
    .option(...JSON_OPTION)
    .addHelpText('after', helpBelow({ examples: ['databridge project show pump-hall'] }))
    .action(whenRun(async () => (await import('./actions/project-lock.ts')).projectShow));
  project
    .command('quota <code> <series>')
    .description('set how many series the project may have; new names beyond it are refused')
    .option(...OF_ORGANISATION)
    .option(...JSON_OPTION)
    .addHelpText('after', helpBelow({ examples: ['databridge project quota pump-hall 250000'] }))
    .action(whenRun(async () => (await import('./actions/project-lock.ts')).projectQuota));
}
