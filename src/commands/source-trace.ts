import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION } from './options.ts';
import { whenRun } from './when-run.ts';

export function addSourceTrace(source: Command): void {
  source
    .command('trace <name>')
    .description('say what became of one point that a sensor should have')
    .requiredOption('--sensor <id>', 'the sensor, as the platform or as readings call it')
    .requiredOption('--at <time>', 'its instant: 2026-11-01T00:00:00Z, or 2h for two hours ago')
    .option(...SOURCE_ORGANISATION)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge source trace hall-3 --sensor pump-7 --at 2026-11-17T08:30:00Z'],
        notes: [
          'It is stored; refused, with the reason; not on the platform when its time was asked for; in time that cannot be read; not asked for yet, and when it will be; or never asked for.',
        ],
        exitCodes: '0 it is stored, 1 it is not, 2 wrong usage',
      }),
    )
    .action(
      whenRun(
        async () => (await import('./actions/source-trace.ts')).sourceTrace,
        async (url) => (await import('./actions/elsewhere-looks.ts')).traceElsewhere(url),
      ),
    );
}
