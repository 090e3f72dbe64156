import { counted } from '../core/counted.ts';
import type { Batch } from '../core/batch.ts';
import type { Coverage } from '../core/coverage.ts';
import { BridgeError, asBridgeError, contractBroken, isUnanswered } from '../core/errors.ts';
import type { FaultCode } from '../core/errors.ts';
import { HOUR } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { afterNoAnswer, afterTooMuch, afterWindow } from '../core/learn.ts';
import type { Learned } from '../core/learn.ts';
import { looksOwed } from '../core/look-back.ts';
import { normaliser } from '../core/normalise.ts';
import { answerFor } from '../core/question.ts';
import { formatWindow, lengthOf } from '../core/window.ts';
import type { Window } from '../core/window.ts';
import type { Unreadable } from '../core/unreadable.ts';
import { lookBackOf, lookFurther } from './look-back.ts';
import { failureOf, setApart, throwUnlessSomeWereRead } from './set-apart.ts';
import type { FailedSensors } from './set-apart.ts';
import { noteRead } from './set-aside.ts';
import type { Bridge } from './bridge.ts';
import { commitWindow } from './commit.ts';
import type { Handover } from './settlement.ts';
import { newMeter } from '../platform/connection/index.ts';
import type { Conversation, Meter } from '../platform/connection/index.ts';
import type { OpenSource, Stream } from './open/open-source.ts';

/** A window with more than this many times the comfortable number of readings is `too-much`, because it is held in memory until its commit. */
const BUFFER = 4;

/** More points than this outside of the window, and none inside, mean that the platform ignores the bounds of a request. */
const STRAY_SAMPLES = 1_000;

/** One window to ask for, in its stream and lane. */
export interface WindowTask {
  readonly source: OpenSource;
  /** As the caller knows it now. */
  readonly stream: Stream;
  readonly lane: 'live' | 'history';
  readonly window: Window;
  readonly learned: Learned;
  /** In history: the backfill that asks for the window, and those that ask for covered time and are served by it. */
  readonly backfills?: Handover['backfills'];
  /** Told of the meter of the window, before its first request. */
  readonly metered?: (meter: Meter) => void;
  /** Asked before each request; see `Conversation`. */
  readonly allow?: Conversation['allow'];
}

/** `done`: the window is handed over and covered. `halved`: it was too much; the caller asks for shorter windows. */
export type FetchResult =
  | {
      readonly kind: 'done';
      /** The looks that the bridge owes because of the window. */
      readonly owed: Coverage;
      readonly learned: Learned;
      readonly unreadable: readonly Unreadable[];
    }
  | { readonly kind: 'halved'; readonly learned: Learned };

export interface ReadResult {
  readonly batch: Batch;
  /** Sensors that could not be read; there are others that could. */
  readonly failed: FailedSensors;
  /** Points of all pages, also refused ones, those outside the window and those of sensors that are not chosen. */
  readonly samples: number;
  /** Received by this reading, while the meter may count others of the window. */
  readonly bytes: number;
  readonly meter: Meter;
  readonly askedAt: Instant;
  readonly normaliseMs: number;
}

/** The density of a new stream is unknown, and a first request for a week could overload a historian. */
const FIRST_LENGTH = HOUR;

/** The learned window length of a stream, or the length of its first window. */
export const learnedOf = (
  { maxWindow }: Pick<OpenSource['policy'], 'maxWindow'>,
  stream: Pick<Stream, 'learned'>,
): Learned => stream.learned ?? { length: Math.min(maxWindow, FIRST_LENGTH) };

/** pace → read → normalise → check: reads one window into memory and stores nothing. The connection waits for the pace. */
export async function readWindow(
  source: OpenSource,
  given: Pick<WindowTask, 'lane' | 'window' | 'allow'> &
    Pick<Bridge, 'place'> & {
      stream: Pick<Stream, 'selection'>;
      maxReadings: number;
      now: () => Instant;
      /** Counts on where the window was read before; else the reading has its own. */
      meter?: Meter;
    },
  signal: AbortSignal,
): Promise<ReadResult> {
  const { window, stream, lane, place, allow, meter = newMeter() } = given;
  const before = meter.bytesIn;
  const askedAt = given.now();
  const http = source.connection.http({ lane, signal, meter, place, allow });
  const asked = answerFor(window, source.platform.facts);
  const pages = normaliser({ rules: source.rules, window, asked, maxReadings: given.maxReadings });
  let normaliseMs = 0;
  let count = 0;
  const failed = new Map<string, BridgeError>();
  for await (const samples of source.platform.read(http, source.options, stream.selection, window)) {
    if ('failed' in samples) {
      failed.set(samples.sensor, failureOf(samples));
      continue;
    }
    const begun = performance.now();
    count += samples.at.length;
    pages.take(samples);
    normaliseMs += performance.now() - begun;
  }
  throwUnlessSomeWereRead(failed, stream.selection);
  const begun = performance.now();
  const batch = pages.seal();
  normaliseMs += performance.now() - begun;
  check(batch, window);
  return { batch, failed, samples: count, bytes: meter.bytesIn - before, meter, askedAt, normaliseMs };
}

/** Ours: an answer of this many bytes weighs as much as a reading, several times as much as platforms send for one. */
const BYTES_PER_READING = 512;

/** Ours: a reading weighs at most this many times, because shorter windows make an answer's constant part no smaller. */
const HEAVIEST_READING = 20;

/**
 * How much work a window was, in readings. Points that became no readings count, because the platform sent them, and so
 * do bytes, because a platform may send a thousand nulls with each value.
 */
export const sizeOf = ({ samples, bytes }: Pick<ReadResult, 'samples' | 'bytes'>): number =>
  Math.max(samples, Math.min(samples * HEAVIEST_READING, Math.floor(bytes / BYTES_PER_READING)));

function check(batch: Batch, window: Window): void {
  if (batch.outside > STRAY_SAMPLES && batch.readings === 0 && batch.refused.size === 0) {
    throw contractBroken(`asked for ${formatWindow(window)}, got ${counted(batch.outside, 'point')}, all outside`);
  }
}

/** Reads one window under confirmed names. It is read again where a name turned out to belong to another variable. */
async function readUnderConfirmedNames(
  bridge: Bridge,
  given: WindowTask & { maxReadings: number; now: () => Instant },
  signal: AbortSignal,
): Promise<ReadResult> {
  const { rules } = given.source;
  const endWindow = rules.beginWindow();
  // One for all readings of the window, because the platform was asked for each.
  const meter = newMeter();
  given.metered?.(meter);
  try {
    for (;;) {
      const before = rules.corrections;
      const read = await readWindow(given.source, { ...given, meter, place: bridge.place }, signal);
      await bridge.keepNames(given.source);
      if (rules.corrections === before) return read;
    }
  } finally {
    endWindow();
  }
}

/** pace → read → normalise → check → commit of one window. A window that is too much is not stored; its learned length is halved. */
export async function fetchWindow(bridge: Bridge, task: WindowTask, signal: AbortSignal): Promise<FetchResult> {
  const { meters } = bridge;
  if (meters === undefined) return await fetchUncounted(bridge, task, signal);
  const window = { platform: task.source.platform.name, lane: task.lane };
  const begun = performance.now();
  const end = (outcome: 'stored' | 'halved' | FaultCode): void =>
    meters.window(window, outcome, (performance.now() - begun) / 1000);
  try {
    const result = await fetchUncounted(bridge, task, signal);
    end(result.kind === 'done' ? 'stored' : 'halved');
    return result;
  } catch (error) {
    end(asBridgeError(error).code);
    throw error;
  }
}

async function fetchUncounted(bridge: Bridge, task: WindowTask, signal: AbortSignal): Promise<FetchResult> {
  const { source, stream, window, lane } = task;
  const limits = { minWindow: source.platform.facts.minWindow, maxWindow: source.policy.maxWindow };
  const comfortable = bridge.settings.windowReadings;
  const { process } = bridge.database.memory.stamp();
  const setBacks = bridge.clock.setBacks().count;
  try {
    const given = { ...task, maxReadings: comfortable * BUFFER, now: bridge.clock.now };
    const read = await readUnderConfirmedNames(bridge, given, signal);
    if (bridge.clock.setBacks().count !== setBacks) throw clockWasSetBack();
    const outcome = {
      asked: lengthOf(window),
      align: source.policy.align,
      size: sizeOf(read),
      comfortable,
      ...limits,
    };
    const learned = afterWindow(task.learned, outcome);
    if (read.failed.size > 0) await setApart(bridge, task, read.failed);
    const owed = looksOwed(lookBackOf(source, stream), stream.covered, window);
    const handed = performance.now();
    const taken = await commitWindow(
      bridge,
      {
        ...read,
        source,
        stream,
        workerId: bridge.workerId,
        process,
        lane,
        window,
        learned,
        looks: owed,
        settledTo: read.askedAt - source.policy.overlap,
        backfills: task.backfills,
      },
      lookFurther(bridge, source, task),
    );
    bridge.meters?.stored({
      platform: source.platform.name,
      lane,
      points: read.samples,
      ...taken,
      bytes: read.meter.bytesIn,
      refused: read.batch.refused,
      waited: read.meter.waitedMs / 1000,
      asked: read.meter.httpMs / 1000,
      normalised: read.normaliseMs / 1000,
      stored: (performance.now() - handed) / 1000,
    });
    const unreadable = await noteRead(bridge, source, task);
    return { kind: 'done', owed, learned, unreadable };
  } catch (error) {
    if (error instanceof BridgeError && isUnanswered(error)) {
      await keepLearned(bridge, task, afterNoAnswer(task.learned, lengthOf(window), limits.minWindow));
    }
    const learned = halvedAfter(error, task.learned, window, limits.minWindow);
    await keepLearned(bridge, task, learned);
    return { kind: 'halved', learned };
  }
}

/** The window may have been asked before its time had settled. */
const clockWasSetBack = (): BridgeError =>
  new BridgeError({ code: 'cancelled' }, 'the clock of the database was set back meanwhile; the window is read again');

/** A configuration that came meanwhile learns its own length. */
const keepLearned = ({ database }: Bridge, { source, stream }: WindowTask, learned: Learned): Promise<number> =>
  database.run(
    `update stream set learned = $2 from source
     where stream.id = $1 and source.id = source_id and source_revision = $3 and edition = $4`,
    [stream.id, JSON.stringify(learned), source.revision, source.edition],
  );

/**
 * The lengths to ask for after `too-much`, and after `too-costly` where a shorter answer helps. Throws any other error again, and
 * `oneInstant`; where the window is the shortest, `contract-broken`, or `too-costly` as it is.
 */
export function halvedAfter(error: unknown, learned: Learned, window: Window, minWindow: Microseconds): Learned {
  if (!(error instanceof BridgeError) || !isForShorter(error)) throw error;
  const halved = afterTooMuch(learned, lengthOf(window), minWindow);
  if (halved === 'cannot-shrink') {
    if (error.code === 'too-costly') throw error;
    const message = `${error.message}, and a shorter window cannot be asked for`;
    throw new BridgeError({ code: 'contract-broken' }, message, { remedy: error.remedy });
  }
  return halved;
}

const isForShorter = ({ fault }: BridgeError): boolean =>
  (fault.code === 'too-much' && !fault.oneInstant) || (fault.code === 'too-costly' && fault.shorter === true);
