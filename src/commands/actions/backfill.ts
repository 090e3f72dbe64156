import { setTimeout as sleep } from 'node:timers/promises';
import { counted } from '../../core/counted.ts';
import { BridgeError, configInvalid } from '../../core/errors.ts';
import { MILLISECOND, SECOND, formatInstant } from '../../core/instant.ts';
import type { Instant } from '../../core/instant.ts';
import { titleOf } from '../../core/source/source-name.ts';
import {
  backfillDocument,
  backfillState,
  cancelBackfill,
  listBackfills,
  olderBackfills,
  startBackfill,
  unknownBackfill,
} from '../../source/backfills.ts';
import type { BackfillState } from '../../source/backfills.ts';
import { plannerSilence } from '../../pull/planner.ts';
import { withContext } from '../../context.ts';
import { platforms as listed } from '../../context-platforms.ts';
import { hindranceOf, measuredOverload, platformsBehind } from '../../source/demand.ts';
import type { Platform } from '../../platform/contract.ts';
import type { Context } from '../../context.ts';
import { EXIT, actor, printJson, printLine, printTable } from '../../terminal/output.ts';
import { parseTime } from '../options.ts';
import { SILENT, startProgress } from '../../terminal/progress.ts';
import { isScreen } from '../../terminal/screen.ts';
import type { TaskState } from '../../terminal/progress.ts';
import { roughly } from '../../terminal/words.ts';
import { interruptible } from './stop.ts';

/** `backfill cancel`. */
export async function backfillCancel(text: string, options: { json?: boolean }): Promise<void> {
  const id = idOf(text);
  const { cancelled, state } = await withContext(async ({ database }) => ({
    cancelled: await cancelBackfill(database, id, actor()),
    state: await backfillState(database, id),
  }));
  if (state === undefined) throw unknownBackfill(id);
  if (options.json) printJson({ id, cancelled });
  else printLine(cancelled ? `backfill ${id} cancelled` : `backfill ${id} was ${state.state} already`);
}

/** `backfill start`. */
export async function backfillStart(
  source: string,
  options: {
    organisation?: string;
    from: string;
    to?: string;
    again?: boolean;
    detach?: boolean;
    json?: boolean;
  },
): Promise<void> {
  await withContext(async (context) => {
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
      if (options.json) printJson(await documentOf((await backfillState(context.database, id)) as BackfillState));
      else printLine(`backfill ${id} started; databridge backfill show ${id} watches it`);
      return;
    }
    await watchBackfill(context, id, { json: options.json ?? false });
  });
}

/** `backfill list`. */
export async function backfillList(options: { limit: number; json?: boolean }): Promise<void> {
  const { limit, json } = options;
  const { backfills, older } = await withContext(async ({ database }) => {
    const newest = await listBackfills(database, limit);
    return { backfills: newest, older: await olderBackfills(database, newest.at(-1)?.id ?? 0) };
  });
  if (json) printJson(await Promise.all(backfills.map(documentOf)));
  else if (backfills.length === 0) printLine('no backfills yet');
  else {
    printTable(['id', 'organisation', 'source', 'from', 'to', 'again', 'state', 'done'], backfills.map(cells));
    if (older > 0) printLine(`\n${counted(older, 'older backfill')} not shown (--limit)`);
  }
}

/** `backfill show`. */
export async function backfillShow(text: string, options: { follow?: boolean; json?: boolean }): Promise<void> {
  const id = idOf(text);
  await withContext(async (context) => {
    const state = await backfillState(context.database, id);
    if (!state) throw unknownBackfill(id);
    const follows = options.follow === true || (process.stdout.isTTY && options.json !== true);
    if (follows && state.state === 'running') await watchBackfill(context, id, { json: options.json ?? false });
    else if (options.json) printJson(await documentOf(state));
    else printLine(await describe(state));
  });
}

const WATCH_MS = 500;

/** Off a terminal a watch ends when no process has polled for so long. Starting `up` takes a few seconds. */
const PATIENCE_MS = 30_000;

/**
 * Shows the progress of a backfill until it ends. On a terminal it goes on while no process polls, and says so. Elsewhere that
 * would be without end, so it fails after `patienceMs` with `unavailable`.
 */
export async function watchBackfill(
  context: Pick<Context, 'database' | 'clock'>,
  id: number,
  { json, patienceMs = PATIENCE_MS }: { readonly json: boolean; readonly patienceMs?: number },
): Promise<void> {
  const { database, clock } = context;
  const holds = `backfill ${id} goes on; databridge backfill show ${id} shows it, databridge backfill cancel ${id} ends it`;
  let state = await backfillState(database, id);
  const progress = json || !state ? SILENT : startProgress(taskState(state, []));
  const mayWait = !json && isScreen(process.stderr);
  let begun = { at: performance.now(), share: state?.share ?? 0 };
  let silentAt: number | undefined;
  let told = '';
  try {
    await interruptible(holds, async (signal) => {
      while (state?.state === 'running') {
        const silence = await plannerSilence(database);
        const trouble =
          silence === undefined
            ? noteOf(state, clock.now(), await platformsOf(state))
            : `${pollsNobody(silence.since)}; start databridge up`;
        if (trouble !== told) progress.tell(trouble === '' ? undefined : trouble);
        told = trouble;
        progress.update(taskState(state, silence === undefined ? [etaOf(state, begun)] : []));
        if (silence === undefined) silentAt = undefined;
        else {
          silentAt ??= performance.now();
          // The time without a process says nothing about the pace of the rest.
          begun = { at: performance.now(), share: state.share };
          if (!mayWait && performance.now() - silentAt >= patienceMs) throw nobodyPolls(id, silence.since);
        }
        await sleep(WATCH_MS, undefined, { signal });
        state = await backfillState(database, id);
      }
    });
    if (state) progress.update(taskState(state, [state.state]));
  } finally {
    progress.stop();
  }
  if (!state) throw configInvalid(`backfill ${id} is gone`, 'its source was removed');
  if (json) printJson(await documentOf(state));
  else printLine(await describe(state));
  if (state.state !== 'done') process.exitCode = EXIT.failed;
}

const pollsNobody = (since: Instant | null): string =>
  since === null ? 'no process polls' : `no process polls since ${formatInstant(Math.floor(since / SECOND) * SECOND)}`;

const nobodyPolls = (id: number, since: Instant | null): BridgeError =>
  new BridgeError({ code: 'unavailable', why: 'time-out' }, `backfill ${id} waits: ${pollsNobody(since)}`, {
    remedy: `start databridge up; databridge backfill show ${id} shows the backfill, databridge backfill cancel ${id} ends it`,
  });

const taskState = ({ share, readings }: BackfillState, facts: readonly string[]): TaskState => ({
  share,
  facts: [counted(readings, 'reading'), ...facts],
});

function etaOf(state: BackfillState, begun: { at: number; share: number }): string {
  const gained = state.share - begun.share;
  if (gained <= 0) return 'no estimate yet';
  const leftMs = ((performance.now() - begun.at) / gained) * (1 - state.share);
  return `about ${roughly(Math.ceil(leftMs) * MILLISECOND)} left`;
}

function noteOf(state: BackfillState, now: Instant, platforms: readonly Platform[]): string {
  if (state.sourceState !== 'active') return `source is ${state.sourceState}: ${state.fault?.message ?? ''}`;
  if (state.outboxFullSince !== null)
    return `source is not asked since ${formatInstant(state.outboxFullSince)}: the outbox is full (databridge ingestion list)`;
  if (state.heldUntil !== null && state.heldUntil > now)
    return `source waits until ${formatInstant(state.heldUntil)}: ${hindranceOf(state, platforms)}`;
  if (state.fault === null && state.settlesAt !== null)
    return `its last readings settle at ${formatInstant(state.settlesAt)}`;
  return hindranceOf(state, platforms) || unreadableIn(state);
}

const unreadableIn = ({ state, unreadable }: BackfillState): string =>
  state === 'running' && unreadable > 0
    ? `${counted(unreadable, 'stretch', 'stretches')} of it cannot be read (databridge source show)`
    : '';

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

const documentOf = async (state: BackfillState): Promise<Record<string, unknown>> =>
  backfillDocument(state, await platformsOf(state));

/** Loaded once in a process, however often it is asked. */
const platformsOf = ({ demand }: BackfillState): Promise<readonly Platform[]> => platformsBehind([demand], listed);

const describe = async (state: BackfillState): Promise<string> => {
  const overload = state.state === 'running' ? measuredOverload(state.demand, await platformsOf(state)) : undefined;
  return overload === undefined
    ? progressOf(state)
    : `${progressOf(state)}\n${overload.message}\n  try: ${overload.remedy}`;
};

const progressOf = (state: BackfillState): string =>
  `backfill ${state.id} of ${titleOf({ name: state.source, organisation: state.organisation })}, ${formatInstant(state.from)} to ${formatInstant(state.to)}: ${state.state}, ` +
  `${(state.share * 100).toFixed(1)} % covered, ${counted(state.readings, 'reading')} read${state.unreadable > 0 ? `; ${unreadableIn(state)}` : ''}`;

function idOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw configInvalid(
    `${JSON.stringify(text)} is not the number of a backfill`,
    'databridge backfill list shows the numbers',
  );
}
