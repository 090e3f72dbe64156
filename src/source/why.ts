import { formatDuration } from '../core/duration.ts';
import { remedyOfStopped } from '../core/fault-words.ts';
import { MILLISECOND, MINUTE, SECOND, formatInstant } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { clockTrouble } from '../core/platform-clock.ts';
import { remedyOf } from '../core/refusal-remedies.ts';
import { argumentsOf } from '../core/source/source-name.ts';
import type { Platform } from '../platform/contract.ts';
import { allRefusedInWords } from './all-refused.ts';
import { measuredOverload } from './demand.ts';
import type { NewestReading } from './newest.ts';
import type { FaultRecord, SourceReport, StreamReport } from './report.ts';
import { silences } from './silences.ts';

/** How long one round of live windows took: the newest window of each stream, added up; ms. */
export interface Round {
  readonly waited: number;
  readonly http: number;
  readonly normalise: number;
  readonly store: number;
}

/** What is known of a source beside its report. */
export interface Circumstance {
  readonly now: Instant;
  /** Processes of the bridge that live, and how long ago one of them planned; null: never. */
  readonly workers: number;
  readonly plannerAge: Microseconds | null;
  /** Undefined where no window was read in the last hour. */
  readonly round: Round | undefined;
  /** Its sensors that are silent by their own rhythm, those without a reading first. */
  readonly silent: readonly NewestReading[];
  /** Those whose silence is asked about once more before it is believed. */
  readonly doubted: readonly NewestReading[];
}

/** A reason why the readings of a source are as old as they are. */
export interface Cause {
  readonly cause:
    | 'platform'
    | 'schedule'
    | 'pace'
    | 'http'
    | 'normalise'
    | 'store'
    | 'retry'
    | 'operator'
    | 'bridge'
    | 'look'
    | 'unreadable'
    | 'clock'
    | 'refused'
    | 'silent'
    | 'unknown';
  /** Its part of the time; null where it has no length. */
  readonly length: Microseconds | null;
  readonly message: string;
  readonly remedy: string;
}

/**
 * Splits the lag of a source into its causes, the longest first. The parts without the one of the platform add up to the lag.
 * `platform` comes on top: it is the time before the end of the coverage in which no sensor had a reading.
 */
export function causesOf(source: SourceReport, known: Circumstance, platforms: readonly Platform[]): readonly Cause[] {
  const overdue = source.overdue ?? 0;
  const causes = [
    ...refusals(source),
    ...silences(source, known),
    ...lateness(source),
    ...scheduled(source),
    ...(isInTime(source, overdue) ? [] : overdueCauses(source, known, overdue, platforms)),
  ];
  return causes.toSorted((one, other) => (other.length ?? Infinity) - (one.length ?? Infinity));
}

/** Where no fault is known, the time of the poll itself explains a few seconds. */
const isInTime = ({ streams, state, failures }: SourceReport, overdue: Microseconds): boolean =>
  overdue === 0 && streams > 0 && state === 'active' && failures === 0;

function refusals({ allRefused }: SourceReport): Cause[] {
  if (allRefused === null) return [];
  const remedy = remedyOf(allRefused, 'operator');
  return [{ cause: 'refused', length: null, message: allRefusedInWords(allRefused), remedy }];
}

function lateness({ streamReports, every, clockAhead, settle, newestAt }: SourceReport): Cause[] {
  const causes: Cause[] = [];
  if (clockAhead !== null) causes.push({ cause: 'clock', length: null, ...clockTrouble(clockAhead, settle) });
  const end = Math.max(...streamReports.map((stream) => endOf(stream) ?? -Infinity));
  if (newestAt === null || end - newestAt <= Math.max(MINUTE, every)) return causes;
  causes.push({
    cause: 'platform',
    length: end - newestAt,
    message: `the platform publishes late, or its sensors are silent: the newest reading is of ${formatInstant(newestAt)}, and all time up to ${formatInstant(end)} was asked`,
    remedy:
      'look at the newest point on the platform; one that shows points late needs a longer schedule.settle or overlap',
  });
  return causes;
}

function scheduled({ lag, every, settle }: SourceReport): Cause[] {
  const length = Math.min(lag ?? 0, every + settle);
  if (length <= 0) return [];
  return [
    {
      cause: 'schedule',
      length,
      message: `the schedule allows it: a poll every ${formatDuration(every)}, of points older than ${formatDuration(settle)} (settle)`,
      remedy: 'nothing to do; a shorter schedule.every or settle makes readings younger',
    },
  ];
}

/** One known reason that keeps the source from being asked explains all that is overdue; otherwise the time of its polls does. */
function overdueCauses(
  source: SourceReport,
  known: Circumstance,
  overdue: Microseconds,
  platforms: readonly Platform[],
): readonly Cause[] {
  const obstacle = obstacleOf(source, known, platforms);
  const length = source.lag === null ? null : overdue;
  if (obstacle !== undefined) return [{ length, ...obstacle }];
  const work = workCauses(source, known, overdue, platforms);
  const rest = overdue - work.reduce((sum, cause) => sum + (cause.length ?? 0), 0);
  if (rest <= Math.max(10 * SECOND, source.every)) return work;
  return [
    ...work,
    {
      cause: 'unknown',
      length: rest,
      message: 'overdue for no known reason: the source is due, it may be asked, and its polls do not take that long',
      remedy: 'databridge doctor shows the planner and the queue; the log of databridge up shows errors',
    },
  ];
}

type Obstacle = Omit<Cause, 'length'>;

function obstacleOf(source: SourceReport, known: Circumstance, platforms: readonly Platform[]): Obstacle | undefined {
  const { state, project, heldUntil, fault } = source;
  const resume = `databridge source resume ${argumentsOf(source)}`;
  if (state === 'paused') return { cause: 'operator', message: 'an operator paused it', remedy: resume };
  if (state === 'stopped')
    return {
      ...faulted('operator', 'stopped, it waits for an operator', fault, resume),
      remedy: remedyOfStopped(fault?.remedy, resume),
    };
  if (known.workers === 0)
    return { cause: 'bridge', message: 'no process of the bridge runs', remedy: 'start databridge up' };
  if (source.clocksDisagree)
    return {
      cause: 'bridge',
      message: 'the clocks of all hosts disagree with the clock of the database, so nothing is asked',
      remedy: 'databridge doctor shows them; set the wrong one right',
    };
  if (known.plannerAge === null || known.plannerAge > MINUTE)
    return {
      cause: 'bridge',
      message: 'no process plans, so no source becomes due',
      remedy: 'databridge doctor; start databridge up again',
    };
  if (source.outboxFullSince !== null)
    return {
      cause: 'bridge',
      message: `the outbox of ${project} is full since ${formatInstant(source.outboxFullSince)}`,
      remedy: 'databridge ingestion list shows why',
    };
  if (source.awaitsLook || source.streams === 0) {
    const message = source.awaitsLook ? 'its polls wait for a look for sensors' : 'its sensors are not known yet';
    return faulted('look', message, source.lookFault ?? fault, 'nothing to do: the look is tried again');
  }
  const held = heldUntil !== null && heldUntil > known.now;
  if (held && fault?.own === true) {
    const overload = measuredOverload(source.demand, platforms);
    if (overload !== undefined) return { cause: 'pace', message: overload.message, remedy: overload.remedy };
    return faulted('pace', `it waits for its pace until ${formatInstant(heldUntil)}`, fault, 'nothing to do');
  }
  if (held) {
    const after = source.failures === 0 ? '' : `, after ${failuresInWords(source.failures)}`;
    const message = `it is tried again at ${formatInstant(heldUntil)}${after}`;
    return faulted('retry', message, fault, 'nothing to do: it is tried again');
  }
  if (source.failures > 0)
    return faulted('retry', failuresInWords(source.failures), fault, 'nothing to do: it is tried again');
  return obstacleOfStream(source, known.now);
}

/** Of one failure or more. */
const failuresInWords = (failures: number): string => (failures === 1 ? 'a failure' : `${failures} failures in a row`);

const faulted = (cause: Cause['cause'], message: string, fault: FaultRecord | null, remedy: string): Obstacle => ({
  cause,
  message: fault === null ? message : `${message}: ${fault.message}`,
  remedy: fault?.remedy ?? (fault?.code === 'contract-broken' ? WRONG_ANSWER : remedy),
});

/** A broken contract stays until its cause is mended, so waiting is no remedy. */
const WRONG_ANSWER =
  'correct in the file of the source what the message names, or ask the owner of the platform; databridge source show has the beginning of the answer';

/** The stream that is furthest behind decides the lag of its source. */
function obstacleOfStream({ streamReports, startAt }: SourceReport, now: Instant): Obstacle | undefined {
  const end = (stream: StreamReport): Instant => endOf(stream) ?? startAt;
  const furthest = streamReports.toSorted((one, other) => end(one) - end(other))[0];
  if (furthest === undefined) return undefined;
  const { key, failures, retryAt, fault, unreadable } = furthest;
  if (failures > 0 && retryAt !== null && retryAt > now) {
    const message = `stream ${key} is tried again at ${formatInstant(retryAt)}, after ${failuresInWords(failures)}`;
    return faulted('retry', message, fault, 'nothing to do: it is tried again');
  }
  const bad = unreadable.findLast(({ to }) => to > end(furthest));
  if (bad === undefined || bad.retryAt === null) return undefined;
  const message = `stream ${key} has time that cannot be read, up to ${formatInstant(bad.to)}; it is asked for again at ${formatInstant(bad.retryAt)}`;
  return faulted(
    'unreadable',
    message,
    bad.fault,
    'look at these points on the platform; databridge source poll asks at once',
  );
}

const endOf = ({ covered }: StreamReport): Instant | undefined => covered.at(-1)?.[1];

/** Streams are read beside each other, up to the concurrency of the pace, so a round takes less than the sum of its windows. */
function workCauses(
  source: SourceReport,
  { round }: Circumstance,
  overdue: Microseconds,
  platforms: readonly Platform[],
): readonly Cause[] {
  if (round === undefined) return [];
  const { demand, streams } = source;
  const usual = platforms.find(({ name }) => name === source.platform)?.facts.pace.concurrency;
  const beside = Math.max(1, Math.min(streams, demand.concurrency ?? usual ?? 1));
  const total = ((round.waited + round.http + round.normalise + round.store) * MILLISECOND) / beside;
  const scale = (total > overdue ? overdue / total : 1) / beside;
  const part = (ms: number): Microseconds => Math.round(ms * MILLISECOND * scale);
  const overload = measuredOverload(demand, platforms);
  return (
    [
      {
        cause: 'pace',
        length: part(round.waited),
        message: overload?.message ?? 'requests wait for a slot of the pace',
        remedy: overload?.remedy ?? 'raise pace.requestsPerSecond or concurrency, if the platform bears it',
      },
      {
        cause: 'http',
        length: part(round.http),
        message: 'the platform takes its time to answer',
        remedy: 'raise pace.concurrency, if the platform bears it, or choose fewer sensors',
      },
      {
        cause: 'normalise',
        length: part(round.normalise),
        message: 'this computer takes its time to turn answers into readings',
        remedy: 'run databridge up on another host, too, or choose fewer sensors',
      },
      {
        cause: 'store',
        length: part(round.store),
        message: 'the database takes its time to store readings',
        remedy: 'look at the load and the disk of the database',
      },
    ] as const
  ).filter(({ length }) => length >= MILLISECOND);
}
