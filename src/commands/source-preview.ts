import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { SOURCE_PATH, wholeNumber } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourcePreview(source: Command): void {
  source
    .command('preview')
    .argument(...SOURCE_PATH)
    .description('show readings and refusals as they would be stored; saves nothing and needs no database')
    .option('--from <time>', 'begin: 2026-11-01T00:00:00Z, 2026-11-01, or 1h for an hour ago', '10m')
    .option('--to <time>', 'end, not included; default: the newest settled time')
    .option('--limit <number>', 'readings shown, spread evenly over all series', wholeNumber, 20)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge source preview hall-3.yaml',
          'databridge source preview hall-3.yaml --from 2026-11-01 --to 2026-11-02 \\\n--limit 100',
        ],
        notes: ['A preview reads only a few windows, and never faster than the pace of the source.'],
        exitCodes: '0 done, 1 the platform could not be read, 2 wrong usage or a wrong file, 130 Ctrl-C',
      }),
    )
    .action(whenRun(async () => (await import('./actions/source-preview.ts')).sourcePreview));
}
