import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { configInvalid } from '../core/errors.ts';
import { formatDuration } from '../core/duration.ts';
import { SECOND, formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { titleOf } from '../core/source/source-name.ts';
import { backfillState, cancelBackfill, listBackfills, startBackfill } from '../source/backfills.ts';
import type { BackfillState } from '../source/backfills.ts';
import { isPlannerSilent } from '../pull/planner.ts';
import { registry, withContext } from '../context.ts';
import { hindranceOf, measuredOverload } from '../source/demand.ts';
import type { Context } from '../context.ts';
import { EXIT, actor, printJson, printLine, table } from '../terminal/output.ts';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION, parseTime } from './options.ts';
import { SILENT, startProgress } from '../terminal/progress.ts';
import type { TaskState } from '../terminal/progress.ts';
import { instantOrNull } from '../terminal/words.ts';

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
        exitCodes: '0 cancelled, 1 failed or the backfill was not running, 2 wrong usage',
      }),
    )
    .action(async (text: string, options: { json?: boolean }) => {
      const id = idOf(text);
      const cancelled = await withContext({ patient: false }, ({ database }) => cancelBackfill(database, id));
      if (options.json) printJson({ id, cancelled });
      else printLine(cancelled ? `backfill ${id} cancelled` : `backfill ${id} was not running`);
      if (!cancelled) process.exitCode = EXIT.failed;
    });
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
          'databridge up or a worker does the work, and goes on after a restart. Ctrl-C ends the watching, not the backfill; databridge backfill show ID watches it again.',
        ],
        exitCodes: '0 done (with --detach: started), 1 failed or cancelled, 2 wrong usage',
      }),
    )
    .action(
      async (
        source: string,
        options: {
          organisation?: string;
          from: string;
          to?: string;
          again?: boolean;
          detach?: boolean;
          json?: boolean;
        },
      ) => {
        await withContext({ patient: false }, async (context) => {
          const now = context.clock.now();
          const request = {
            source: { name: source, organisation: options.organisation },
            from: parseTime(options.from, now, '--from'),
            to: options.to === undefined ? undefined : parseTime(options.to, now, '--to'),
            again: options.again ?? false,
            requestedBy: actor(),
          };
          const id = await startBackfill(context.database, request);
          if (options.detach) {
            if (options.json) printJson(documentOf((await backfillState(context.database, id)) as BackfillState));
            else printLine(`backfill ${id} started; databridge backfill show ${id} watches it`);
            return;
          }
          await watch(context, id, options.json ?? false);
        });
      },
    );
}

function addList(backfill: Command): void {
  backfill
    .command('list')
    .description('list the newest 200 backfills, newest first')
    .option('--json', 'print JSON')
    .addHelpText('after', helpBelow({ examples: ['databridge backfill list', 'databridge backfill list --json'] }))
    .action(async (options: { json?: boolean }) => {
      const states = await withContext({ patient: false }, ({ database }) => listBackfills(database));
      if (options.json) printJson(states.map(documentOf));
      else if (states.length === 0) printLine('no backfills yet');
      else
        printLine(table(['id', 'organisation', 'source', 'from', 'to', 'again', 'state', 'done'], states.map(cells)));
    });
  backfill
    .command('show <id>')
    .description('show a backfill; on a terminal, watch it until it ends')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge backfill show 7'],
        exitCodes: '0 done, 1 failed or cancelled while it was watched, 2 wrong usage',
      }),
    )
    .action(async (text: string, options: { json?: boolean }) => {
      const id = idOf(text);
      await withContext({ patient: false }, async (context) => {
        const state = await backfillState(context.database, id);
        if (!state) throw configInvalid(`there is no backfill ${id}`, 'databridge backfill list shows all backfills');
        if (options.json) printJson(documentOf(state));
        else if (process.stdout.isTTY && state.state === 'running') await watch(context, id, false);
        else printLine(describe(state));
      });
    });
}

const WATCH_MS = 500;

/** Shows the progress of a backfill until it ends. */
async function watch(context: Context, id: number, json: boolean): Promise<void> {
  if (await isPlannerSilent(context.database)) {
    process.stderr.write('no process works on it now: start databridge up or databridge worker\n');
  }
  let state = await backfillState(context.database, id);
  const begun = { at: performance.now(), share: state?.share ?? 0 };
  const progress = json || !state ? SILENT : startProgress(taskState(state, []));
  try {
    while (state?.state === 'running') {
      progress.update(taskState(state, [etaOf(state, begun), noteOf(state, context.clock.now())]));
      await sleep(WATCH_MS);
      state = await backfillState(context.database, id);
    }
    if (state) progress.update(taskState(state, [state.state]));
  } finally {
    progress.stop();
  }
  if (!state) throw configInvalid(`backfill ${id} is gone`, 'its source was removed');
  if (json) printJson(documentOf(state));
  else printLine(describe(state));
  if (state.state !== 'done') process.exitCode = EXIT.failed;
}

const taskState = ({ share, readings }: BackfillState, facts: readonly string[]): TaskState => ({
  share,
  facts: [`${readings} readings`, ...facts],
});

function etaOf(state: BackfillState, begun: { at: number; share: number }): string {
  const gained = state.share - begun.share;
  if (gained <= 0) return 'no estimate yet';
  const leftMs = ((performance.now() - begun.at) / gained) * (1 - state.share);
  return `about ${formatDuration(Math.ceil(leftMs / 1000) * SECOND)} left`;
}

function noteOf(state: BackfillState, now: Instant): string {
  if (state.sourceState !== 'active') return `source is ${state.sourceState}: ${state.fault?.message ?? ''}`;
  if (state.outboxFullSince !== null)
    return `source is not asked since ${formatInstant(state.outboxFullSince)}: the outbox is full (databridge ingestion list)`;
  if (state.heldUntil !== null && state.heldUntil > now)
    return `source waits until ${formatInstant(state.heldUntil)}: ${hindranceOf(state, registry)}`;
  if (state.fault === null && state.settlesAt !== null)
    return `its last readings settle at ${formatInstant(state.settlesAt)}`;
  return hindranceOf(state, registry) || unreadableIn(state);
}

const unreadableIn = ({ state, unreadable }: BackfillState): string =>
  state === 'running' && unreadable > 0 ? `${unreadable} times in it cannot be read (databridge source show)` : '';

const cells = (state: BackfillState): (string | number)[] => [
  state.id,
  state.organisation,
  state.source,
  formatInstant(state.from),
  formatInstant(state.to),
  state.again ? 'yes' : 'no',
  state.state,
  `${(state.share * 100).toFixed(1)} %`,
];

const documentOf = ({ demand, ...state }: BackfillState): Record<string, unknown> => ({
  ...state,
  overload: measuredOverload(demand, registry) ?? null,
  from: formatInstant(state.from),
  to: formatInstant(state.to),
  createdAt: formatInstant(state.createdAt),
  finishedAt: state.finishedAt === null ? null : formatInstant(state.finishedAt),
  settlesAt: instantOrNull(state.settlesAt),
  heldUntil: instantOrNull(state.heldUntil),
  outboxFullSince: instantOrNull(state.outboxFullSince),
});

const describe = (state: BackfillState): string => {
  const overload = state.state === 'running' ? measuredOverload(state.demand, registry) : undefined;
  return overload === undefined
    ? progressOf(state)
    : `${progressOf(state)}\n${overload.message}\n  try: ${overload.remedy}`;
};

const progressOf = (state: BackfillState): string =>
  `backfill ${state.id} of ${titleOf({ name: state.source, organisation: state.organisation })}, ${formatInstant(state.from)} to ${formatInstant(state.to)}: ${state.state}, ` +
  `${(state.share * 100).toFixed(1)} % covered, ${state.readings} readings read${state.unreadable > 0 ? `; ${unreadableIn(state)}` : ''}`;

function idOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw configInvalid(
    `${JSON.stringify(text)} is not the number of a backfill`,
    'databridge backfill list shows the numbers',
  );
}
