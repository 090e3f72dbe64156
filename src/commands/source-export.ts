import { Argument } from 'commander';
import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourceExport(source: Command): void {
  source
    .command('export')
    .addArgument(new Argument('[name...]', "names of sources, or patterns such as 'plant-*', in quotes"))
    .description('write registered sources as files that "source apply" takes')
    .option('--all', 'all sources')
    .option('--into <directory>', 'directory to make, with a file for each source; without it, YAML on stdout')
    .option(...SOURCE_ORGANISATION)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge source export hall-3', 'databridge source export --all --into sources/'],
        notes: [
          'Secrets that are sealed in the bridge are not written. A reference such as ${env:HALL_3_PASSWORD} stands in the place of each; give it a value where "databridge up" runs before you apply the file, or write the secret there.',
          'Then "source apply --dry-run --prune sources/" shows how the bridge differs from the files.',
        ],
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-export.ts')).sourceExport));
}
