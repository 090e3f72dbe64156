import { subtract, union } from '../core/coverage.ts';
import { asBridgeError, isOfBridge, isPermanent, isUnanswered } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';
import type { Microseconds } from '../core/instant.ts';
import { plan } from '../core/plan.ts';
import { blameFor, inTurn } from '../core/turn.ts';
import { nextRetryAt, unreadableTime, wantedOf } from '../core/unreadable.ts';
import type { Window } from '../core/window.ts';
import { isDatabaseAway } from '../database/away.ts';
import { isWindowAtFault, setAside } from './set-aside.ts';
import type { Bridge } from './bridge.ts';
import type { Claimed } from './claim.ts';
import { actOn } from './consequence.ts';
import { eachWithin } from './each-within.ts';
import { fetchWindow, learnedOf } from './fetch-window.ts';
import { lookBackOf, looksToAsk } from './look-back.ts';
import type { OpenSource, Stream } from './open/open-source.ts';
import { notePlatformClock } from './platform-clock.ts';
import { wakeHistories } from './work.ts';

/**
 * One poll of one source, the main path: claim → plan → pace → read → normalise → check → commit → report. `pollStream`
 * plans; `fetchWindow` takes each window through the five steps from pace to commit. A poll remembers nothing of the one
 * before it, because coverage is the only progress.
 */
export async function poll(bridge: Bridge, sourceId: number, signal: AbortSignal): Promise<void> {
  const claimed = await bridge.claims.take('poll', sourceId);
  if (!claimed) return;
  const healthy = await pollClaimed(bridge, claimed, signal);
  await bridge.claims.report(claimed, { healthy });
}

/** @returns whether the source is well; see `pollStreams` */
async function pollClaimed(bridge: Bridge, claimed: Claimed, signal: AbortSignal): Promise<boolean> {
  try {
    return await bridge.sources.use(claimed, async (source) => {
      const healthy = await pollStreams(bridge, source, claimed, signal);
      await notePlatformClock(bridge, source, claimed);
      return healthy;
    });
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    await actOn(bridge, claimed, asBridgeError(error), { failures: claimed.failures, lane: 'live' });
    return false;
  }
}

/** @returns whether the source is well: its platform answered for a stream, or there was nothing to ask for and a stream is well */
async function pollStreams(
  bridge: Bridge,
  source: OpenSource,
  { streams, failures }: Pick<Claimed, 'streams' | 'failures'>,
  signal: AbortSignal,
): Promise<boolean> {
  const due = inTurn(streams, bridge.clock.now());
  const outcome: PollOutcome = {
    streams,
    sourceFailures: failures,
    answers: 0,
    read: 0,
    unread: new Set(),
    failures: 0,
    freshFailures: 0,
  };
  let sourceWaits = false;
  const ask = async (stream: Stream): Promise<'go-on' | 'stop'> => {
    if ((await pollStream(bridge, source, stream, outcome, signal)) === 'go-on') return 'go-on';
    sourceWaits = true;
    return 'stop';
  };
  // Where the source is in trouble, one stream finds out alone whether its platform answers again.
  const probe = failures > 0 ? due.splice(0, 1) : [];
  await eachWithin(1, () => probe.shift(), ask);
  const next = (): Stream | undefined => (signal.aborted || sourceWaits ? undefined : due.shift());
  await eachWithin(source.config.pace.concurrency, next, ask);
  const noneFailed = outcome.failures === 0 && streams.some(({ failures: before }) => before === 0);
  // A drain leaves streams unasked, so that none failed says nothing then; an answer counts all the same.
  return !sourceWaits && (outcome.answers > 0 || (noneFailed && !signal.aborted));
}

/** How the streams of this poll fared so far; see core/turn.ts. */
interface PollOutcome {
  readonly streams: readonly Stream[];
  /** Failures in a row of the source; 0 from the first answer on, because the platform is not in trouble then. */
  sourceFailures: number;
  /** Answers of the platform, also unreadable ones. */
  answers: number;
  /** Windows that were read. */
  read: number;
  /** Streams whose answer could not be read. */
  readonly unread: Set<number>;
  /** Requests without an answer, and permanent faults. */
  failures: number;
  freshFailures: number;
}

function noteAnswer(outcome: PollOutcome): void {
  outcome.answers += 1;
  outcome.freshFailures = 0;
  outcome.sourceFailures = 0;
}

function noteFailure(outcome: PollOutcome, stream: Stream): void {
  outcome.failures += 1;
  if (stream.failures === 0) outcome.freshFailures += 1;
}

/** Whether a stream beside this one is not failing, as far as this poll and the ones before it know. */
function areOthersWell({ streams, answers, freshFailures }: PollOutcome, stream: Stream): boolean {
  const well = streams.filter(({ id, failures }) => id !== stream.id && failures === 0);
  return answers > 0 || well.length > freshFailures;
}

const UNREAD: readonly BridgeError['code'][] = ['contract-broken', 'too-much', 'too-costly'];

/** Whether another stream can be read, as far as this poll and the ones before it know. */
const areOthersRead = ({ streams, read, unread }: PollOutcome, stream: Stream): boolean =>
  read > 0 || streams.some(({ id, failures }) => id !== stream.id && failures === 0 && !unread.has(id));

/**
 * Whose a fault is. An answer that cannot be read says something about the platform where no stream can be read, for the second time. One that is permanent says nothing about the others, so the source stops for it only where no other
 * stream is well.
 */
function blameOf(fault: BridgeError, outcome: PollOutcome, stream: Stream): 'source' | 'stream' {
  const { sourceFailures, freshFailures } = outcome;
  const othersWell = areOthersWell(outcome, stream);
  if (UNREAD.includes(fault.code) || fault.code === 'bug') {
    const isFirst = stream.failures === 0 && sourceFailures === 0;
    return isFirst || areOthersRead(outcome, stream) ? 'stream' : 'source';
  }
  if (isPermanent(fault)) return othersWell ? 'stream' : 'source';
  return blameFor({ othersWell, sourceFailures, streamFailures: stream.failures, freshFailures });
}

/** @returns `stop` where the poll ends: the whole source waits from now on, or the process drains */
async function pollStream(
  bridge: Bridge,
  source: OpenSource,
  stream: Stream,
  outcome: PollOutcome,
  signal: AbortSignal,
): Promise<'go-on' | 'stop'> {
  const { policy } = source;
  let known = stream;
  let learned = learnedOf(source.policy, stream);
  const windows = plan({
    policy,
    coverage: known.covered,
    unreadable: unreadableTime(known.unreadable),
    now: bridge.clock.now(),
    lane: 'live',
    learned: learned.length,
    look: lookBackOf(source, stream),
  });
  let current: Window | undefined;
  try {
    while ((current = windows.shift()) !== undefined) {
      if (signal.aborted) return 'stop';
      const task = { source, stream: known, lane: 'live' as const, window: current, learned };
      const result = await fetchWindow(bridge, task, signal);
      noteAnswer(outcome);
      outcome.read += 1;
      learned = result.learned;
      if (result.kind === 'done') {
        known = {
          ...known,
          covered: union(known.covered, [current]),
          unreadable: result.unreadable,
          lookAgain: subtract(union(known.lookAgain, result.owed), [current]),
        };
        // History asks for the older part. The commit notes the look that the whole window would have held.
      } else windows.unshift({ from: Math.max(current.from, current.to - learned.length), to: current.to });
    }
    await wakeHistory(bridge, source, known, learned.length);
    return 'go-on';
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    const fault = asBridgeError(error);
    const { sourceFailures } = outcome;
    const blame = blameOf(fault, outcome, stream);
    // The platform had answered when the window was to be stored.
    if (isOfBridge(fault)) noteAnswer(outcome);
    else if (isUnanswered(fault) || isPermanent(fault)) noteFailure(outcome, stream);
    else if (UNREAD.includes(fault.code)) {
      outcome.unread.add(stream.id);
      // An answer for one stream ends a trouble of the source. Where no stream can be read, that is its trouble.
      if (blame === 'stream') noteAnswer(outcome);
      else outcome.answers += 1;
    }
    const setsAside =
      !isUnanswered(fault) &&
      current !== undefined &&
      isWindowAtFault(fault, current, { source, failures: sourceFailures });
    if (current && setsAside) {
      const unreadable = await setAside(bridge, source, { stream, window: current, lane: 'live' }, fault);
      known = { ...known, unreadable };
      await wakeHistory(bridge, source, known, learned.length);
    }
    const where = { stream, lane: 'live' as const, ...(current && { window: current }), setAside: setsAside };
    const answered = outcome.answers > 0;
    const retryAt = await actOn(bridge, source, fault, { failures: sourceFailures, answered, blame, ...where });
    return retryAt === undefined ? 'stop' : 'go-on';
  }
}

/**
 * Makes the stream's history due where live leaves time uncovered or unreadable, or owes a look; catch-up after a downtime begins here.
 */
async function wakeHistory(bridge: Bridge, source: OpenSource, stream: Stream, learned: Microseconds): Promise<void> {
  const { id, covered: coverage, historyDue } = stream;
  if (historyDue) return;
  const now = bridge.clock.now();
  const unreadable = unreadableTime(stream.unreadable);
  const [missing] = plan({ policy: source.policy, coverage, unreadable, now, lane: 'history', learned, limit: 1 });
  // Time before the start is asked for by backfills alone, and their runs know when they are due.
  const wanted = [{ from: source.policy.start, to: Infinity }];
  const due = nextRetryAt(wantedOf(stream.unreadable, wanted));
  const isOwed = looksToAsk(source, stream, now).length > 0;
  if (missing === undefined && !isOwed && (due === undefined || due > now)) return;
  await bridge.database.run(wakeHistories('from stream where id = $1'), [id]);
}
