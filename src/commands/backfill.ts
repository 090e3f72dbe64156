import { Option } from 'commander';
import type { Command } from 'commander';
import { KINDS_OF_BACKFILL } from '../core/backfill.ts';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION, wholeNumber, wholeNumberUpTo } from './options.ts';
import { whenRun } from './when-run.ts';

const NO_PROCESS = 'no process works on it';
const WATCHED = '130 Ctrl-C, while it goes on';
const ENDING = `0 done, 1 cancelled or ${NO_PROCESS}, 2 wrong usage, ${WATCHED}`;
/** The exit codes of a command that starts a backfill and watches it. `returns`: the options with which it ends once the backfill is started. */
export const startedThen = (returns: string): string =>
  `0 done (with ${returns}: started), 1 cancelled or ${NO_PROCESS}, 2 wrong usage, ${WATCHED}`;

const MOST_BACKFILLS = 10_000;

export function addBackfill(program: Command): void {
  const backfill = program
    .command('backfill')
    .description('fetch a past range of a source, beside its live polls')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge backfill quote hall-3 --from 365d',
          'databridge backfill start hall-3 --from 365d',
          'databridge backfill list',
        ],
      }),
    );
  addQuote(backfill);
  addStart(backfill);
  addList(backfill);
  addWatch(backfill);
  addChange(backfill, 'pause', 'ask for nothing more until it is resumed; what it stored stays');
  addChange(backfill, 'resume', 'let a paused backfill go on');
  addChange(backfill, 'cancel', 'stop a backfill; the time it covered stays covered');
}

/** The options that say what is wanted. */
const wishing = (command: Command): Command =>
  command
    .requiredOption('--from <time>', 'begin: 2026-11-01T00:00:00Z, 2026-11-01, or 7d for seven days ago')
    .option(
      '--to <time>',
      'end, not included; default: the newest settled time, or the start of the source where that is later',
    )
    .option(...SOURCE_ORGANISATION)
    .addOption(
      new Option(
        '--what <time>',
        'missing: not covered; failed: could not be read; refused: hours with refused points; all: covered time, too, so that revised values replace the old ones',
      )
        .choices(KINDS_OF_BACKFILL)
        .default('missing'),
    )
    .addOption(
      new Option('--order <first>', 'the time that is asked for first').choices(['oldest', 'newest']).default('oldest'),
    )
    .option(
      '--sensor <id...>',
      'only streams with these sensors, as the platform or as readings call them; sensors that are fetched with them are, too',
    )
    .option('--requests-per-day <number>', 'at most so many requests on a day of UTC, inside the pace', wholeNumber)
    .option('--json', 'print JSON');

function addQuote(backfill: Command): void {
  wishing(backfill.command('quote <source>').description('say what a backfill would take; nothing is started or asked'))
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge backfill quote hall-3 --from 365d',
          'databridge backfill quote hall-3 --from 30d --what all',
        ],
        notes: [
          'The figures follow from what the source showed in the last 30 days, from its pace, and from what its live polls need. The numbers in brackets are the range that they most likely lie in. backfill show has them beside the actual ones.',
        ],
      }),
    )
    .action(
      whenRun(
        async () => (await import('./actions/backfill.ts')).backfillQuote,
        async (url) => (await import('./actions/elsewhere-backfills.ts')).quoteBackfillElsewhere(url),
      ),
    );
}

function addStart(backfill: Command): void {
  wishing(backfill.command('start [source]').description('fetch a past range of a source, and watch until it is done'))
    .option('--all', 'one for each active source; returns at once')
    .option('--detach', 'start the backfill and return at once')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge backfill start hall-3 --from 7d',
          'databridge backfill start hall-3 --from 8d --to 1d --what all',
          'databridge backfill start --all --from 30d --requests-per-day 5000',
        ],
        notes: [
          'databridge up or a worker does the work, and goes on after a restart. Ctrl-C ends the watching, not the backfill; databridge backfill watch ID watches it again. Where no process works on it, a terminal says so and waits; without a terminal the command ends after half a minute.',
          'Where the requests of a day are used, the windows under way are still finished. Backfills that overlap share their work.',
        ],
        exitCodes: startedThen('--detach or --all'),
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
    .description('show a backfill: how far it is, what it waits for, and what was quoted')
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge backfill show 7'] }))
    .action(
      whenRun(
        async () => (await import('./actions/backfill.ts')).backfillShow,
        async (url) => (await import('./actions/elsewhere-backfills.ts')).showBackfillElsewhere(url),
      ),
    );
}

function addWatch(backfill: Command): void {
  backfill
    .command('watch <id>')
    .description('watch a backfill until it ends')
    .option('--json', 'print JSON when it has ended')
    .addHelpText('after', helpBelow({ examples: ['databridge backfill watch 7'], exitCodes: ENDING }))
    .action(
      whenRun(
        async () => (await import('./actions/backfill.ts')).backfillWatch,
        async (url) => (await import('./actions/elsewhere-backfills.ts')).watchBackfillElsewhere(url),
      ),
    );
}

function addChange(backfill: Command, change: 'pause' | 'resume' | 'cancel', description: string): void {
  backfill
    .command(`${change} <id>`)
    .description(description)
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: [`databridge backfill ${change} 7`] }))
    .action(
      whenRun(
        async () => (await import('./actions/backfill.ts')).backfillChange(change),
        async (url) => (await import('./actions/elsewhere-backfills.ts')).changeBackfillElsewhere(url, change),
      ),
    );
}
