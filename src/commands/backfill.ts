import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION, wholeNumberUpTo } from './options.ts';
import { whenRun } from './when-run.ts';

const NO_PROCESS = 'no process works on it';
const WATCHED = '130 Ctrl-C, while it goes on';

const MOST_BACKFILLS = 10_000;

export function addBackfill(program: Command): void {
  const backfill = program
    .command('backfill')
    .description('fetch a past range of a source, beside its live polls')
    .addHelpText(
      'after',
      helpBelow({ examples: ['databridge backfill start hall-3 --from 7d', 'databridge backfill list'] }),
    );
  addStart(backfill);
  addList(backfill);
  backfill
    .command('cancel <id>')
    .description('stop a backfill; the time it covered stays covered')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge backfill cancel 7'],
      }),
    )
    .action(
      whenRun(
        async () => (await import('./actions/backfill.ts')).backfillCancel,
        async (url) => (await import('./actions/elsewhere-backfills.ts')).cancelBackfillElsewhere(url),
      ),
    );
}

function addStart(backfill: Command): void {
  backfill
    .command('start <source>')
    .description('fetch a past range of a source, and watch until it is done')
    .requiredOption('--from <time>', 'begin: 2026-11-01T00:00:00Z, 2026-11-01, or 7d for seven days ago')
    .option(
      '--to <time>',
      'end, not included; default: the newest settled time, or the start of the source where that is later',
    )
    .option(...SOURCE_ORGANISATION)
    .option('--again', 'also ask for covered time: revised values replace the old ones')
    .option('--detach', 'start the backfill and return at once')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge backfill start hall-3 --from 7d',
          'databridge backfill start hall-3 --from 2026-11-01 --to 2026-11-08 --again',
        ],
        notes: [
          'databridge up or a worker does the work, and goes on after a restart. Ctrl-C ends the watching, not the backfill; databridge backfill show ID watches it again. Where no process works on it, a terminal says so and waits; without a terminal the command ends after half a minute.',
        ],
        exitCodes: `0 done (with --detach: started), 1 cancelled or ${NO_PROCESS}, 2 wrong usage, ${WATCHED}`,
      }),
    )
    .action(
      whenRun(
        async () => (await import('./actions/backfill.ts')).backfillStart,
        async (url) => (await import('./actions/elsewhere-backfills.ts')).startBackfillElsewhere(url),
      ),
    );
}

function addList(backfill: Command): void {
  backfill
    .command('list')
    .description('list backfills, newest first')
    .option('--limit <number>', `backfills shown, at most ${MOST_BACKFILLS}`, wholeNumberUpTo(MOST_BACKFILLS), 200)
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge backfill list', 'databridge backfill list --json'] }))
    .action(
      whenRun(
        async () => (await import('./actions/backfill.ts')).backfillList,
        async (url) => (await import('./actions/elsewhere-backfills.ts')).listBackfillsElsewhere(url),
      ),
    );
  backfill
    .command('show <id>')
    .description('show a backfill; on a terminal, watch it until it ends')
    .option('--follow', 'watch it until it ends, also where there is no terminal')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge backfill show 7'],
        exitCodes: `0 done, 1 cancelled or ${NO_PROCESS}, 2 wrong usage, ${WATCHED}`,
      }),
    )
    .action(
      whenRun(
        async () => (await import('./actions/backfill.ts')).backfillShow,
        async (url) => (await import('./actions/elsewhere-backfills.ts')).showBackfillElsewhere(url),
      ),
    );
}
