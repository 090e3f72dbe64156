import { setTimeout as sleep } from 'node:timers/promises';
import { counted } from '../../core/counted.ts';
import { BridgeError, configInvalid } from '../../core/errors.ts';
import { SECOND, formatInstant } from '../../core/instant.ts';
import type { Instant } from '../../core/instant.ts';
import { EXIT, printJson } from '../../terminal/output.ts';
import { SILENT, startProgress } from '../../terminal/progress.ts';
import type { TaskState } from '../../terminal/progress.ts';
import { isScreen } from '../../terminal/screen.ts';
import { leftOf, printBackfill } from './backfill-words.ts';
import type { BackfillDocument } from './backfill-words.ts';
import { interruptible } from './stop.ts';

const WATCH_MS = 500;

/** Off a terminal a watch ends when no process has polled for so long. Starting `up` takes a few seconds. */
const PATIENCE_MS = 30_000;

/** Where a backfill is watched. */
export interface Watched {
  /** Undefined where it is gone. */
  read(): Promise<BackfillDocument | undefined>;
  /** Since when no process polls, where that is so. */
  silence(): Promise<{ readonly since: Instant | null } | undefined>;
}

/**
 * Shows the progress of a backfill until it ends, paused or not. On a terminal it goes on while no process polls, and says so.
 * Elsewhere that would be without end, so it fails after `patienceMs` with `unavailable`.
 */
export async function watchUntilEnd(
  watched: Watched,
  id: number,
  { json, patienceMs = PATIENCE_MS }: { readonly json: boolean; readonly patienceMs?: number },
): Promise<void> {
  const holds = `backfill ${id} goes on; databridge backfill watch ${id} shows it, databridge backfill cancel ${id} ends it`;
  let state = await watched.read();
  const progress = json || !state ? SILENT : startProgress(taskState(state, []));
  const mayWait = !json && isScreen(process.stderr);
  let silentAt: number | undefined;
  let told = '';
  try {
    await interruptible(holds, async (signal) => {
      while (state !== undefined && goesOn(state)) {
        const silence = await watched.silence();
        const trouble = silence === undefined ? troubleOf(state) : `${pollsNobody(silence.since)}; start databridge up`;
        if (trouble !== told) progress.tell(trouble === '' ? undefined : trouble);
        told = trouble;
        progress.update(taskState(state, silence === undefined ? [leftOf(state) ?? state.state] : []));
        if (silence === undefined) silentAt = undefined;
        else {
          silentAt ??= performance.now();
          if (!mayWait && performance.now() - silentAt >= patienceMs) throw nobodyPolls(id, silence.since);
        }
        await sleep(WATCH_MS, undefined, { signal });
        state = await watched.read();
      }
    });
    if (state) progress.update(taskState(state, [state.state]));
  } finally {
    progress.stop();
  }
  if (!state) throw configInvalid(`backfill ${id} is gone`, 'its source was removed');
  if (json) printJson(state);
  else printBackfill(state);
  if (state.state !== 'done') process.exitCode = EXIT.failed;
}

/** A paused backfill is watched, too: it goes on when somebody resumes it. */
export const goesOn = ({ state }: BackfillDocument): boolean => state === 'running' || state === 'paused';

const troubleOf = ({ id, state, waits }: BackfillDocument): string =>
  state === 'paused' ? `it is paused; databridge backfill resume ${id} lets it go on` : (waits ?? '');

const pollsNobody = (since: Instant | null): string =>
  since === null ? 'no process polls' : `no process polls since ${formatInstant(Math.floor(since / SECOND) * SECOND)}`;

const nobodyPolls = (id: number, since: Instant | null): BridgeError =>
  new BridgeError({ code: 'unavailable', why: 'time-out' }, `backfill ${id} waits: ${pollsNobody(since)}`, {
    remedy: `start databridge up; databridge backfill show ${id} shows the backfill, databridge backfill cancel ${id} ends it`,
  });

const taskState = ({ share, readings }: BackfillDocument, facts: readonly string[]): TaskState => ({
  share,
  facts: [counted(readings, 'reading'), ...facts],
});
