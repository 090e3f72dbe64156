import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { IN_QUIET_HOURS, SOURCE_ORGANISATION, SOURCE_PATH_OR_NAME, TRY_AGAIN, wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourcePreview(source: Command): void {
  source
    .command('preview')
    .argument(...SOURCE_PATH_OR_NAME)
    .description('show readings and refusals as they would be stored; saves nothing and needs no database')
    .option('--from <time>', 'begin: 2026-11-01T00:00:00Z, 2026-11-01, or 1h for an hour ago', '10m')
    .option('--to <time>', 'end, not included; default: the newest settled time')
    .option('--limit <number>', 'readings shown, spread evenly over all series', wholeNumber, 20)
    .option(...SOURCE_ORGANISATION)
    .option(...IN_QUIET_HOURS)
    .option(...TRY_AGAIN)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge source preview hall-3.yaml',
          'databridge source preview hall-3.yaml --from 2026-11-01 --to 2026-11-02 \\\n--limit 100',
        ],
        notes: [
          'A preview reads a window of each stream, of 20 at most, and few more, never faster than the pace of the source. Where a bridge runs, it takes turns with the workers of a registered source.',
        ],
        exitCodes: '0 done, 1 the platform could not be read, 2 wrong usage or a wrong file, 130 Ctrl-C',
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-preview.ts')).sourcePreview));
}
