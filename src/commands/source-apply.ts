import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { SOURCE_PATH } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourceApply(source: Command): void {
  source
    .command('apply')
    .argument(...SOURCE_PATH)
    .description('create or change sources')
    .option('--dry-run', 'show the differences, change nothing')
    .option('--same-data', 'keep the coverage, because a changed address or database holds the same data as before')
    .option('--rename', 'let series that have readings get other names; the readings so far stay under the old names')
    .option('--prune', 'of a directory: remove the sources of its projects that are in no file; asks first')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge source apply hall-3.yaml',
          'databridge source apply --dry-run --prune sources/',
          'databridge source apply --prune --yes sources/',
        ],
        notes: [
          'A source that exists is changed. Its coverage stays, unless its project, its platform or the place of its data changes, such as its address or database: then all of its time since the start is read again. With --same-data a changed place keeps the coverage. A field that is a reference, such as ${env:X}, is compared by its text.',
          'Of a directory every file is applied by itself: one that is wrong is told and left out, and the others are applied. Sources that are only in the bridge are listed. --prune removes those of the projects that the files name, so keep all sources of a project in one directory; nothing is removed while a file is wrong.',
          'Where a change of the mapping, or of an option that says what qualities mean, may turn refused points into readings, the backfill that asks for them again is printed.',
          'A change that gives other names to series with readings is refused without --rename, also where the place of the data changes; --dry-run lists old and new names.',
        ],
        exitCodes:
          '0 done, or a dry run that would change nothing, 1 failed or not confirmed, 2 wrong usage or a wrong file, 3 a dry run that would change something',
      }),
    )
    .action(
      whenRun(
        async () => (await import('./actions/source-apply.ts')).sourceApply,
        async (url) => (await import('./actions/elsewhere-apply.ts')).applyElsewhere(url),
      ),
    );
}
