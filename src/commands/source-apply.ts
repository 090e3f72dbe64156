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
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge source apply hall-3.yaml', 'databridge source apply --dry-run sources/'],
        notes: [
          'A source that exists is changed. Its coverage stays, unless its project, its platform or the place of its data changes, such as its address or database: then all of its time since the start is read again. With --same-data a changed place keeps the coverage. A field that is a reference, such as ${env:X}, is compared by its text.',
          'A change that gives other names to series with readings is refused without --rename; --dry-run lists old and new names.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-apply.ts')).sourceApply));
}
