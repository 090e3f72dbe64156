import { lengthOf } from './window.ts';
import type { Coverage } from './coverage.ts';
import { DAY, SECOND } from './instant.ts';
import type { Microseconds } from './instant.ts';
import { afterWindow } from './learn.ts';
import type { Learned } from './learn.ts';

/** A stream of a backfill, with what its windows showed so far. */
export interface QuotedStream {
  /** The time that the backfill asks for. */
  readonly wanted: Coverage;
  readonly learned: Learned;
  /** Of its windows so far; undefined where there was none, so that those of its source tell what to expect. */
  readonly seen: Seen | undefined;
}

/** What windows showed so far, all together. */
export interface Seen {
  readonly windows: number;
  readonly requests: number;
  readonly bytes: number;
  readonly readings: number;
  /** The time that they asked for, µs. */
  readonly time: Microseconds;
}

/** How long windows of history worked per request: on average, and how far it varied. µs. */
export interface Worked {
  readonly usual: Microseconds;
  readonly least: Microseconds;
  readonly most: Microseconds;
}

/** What decides how fast a backfill goes. */
export interface Means {
  /** The agreed pace. */
  readonly requestsPerSecond: number;
  readonly concurrency: number;
  /** What live polls need of it. */
  readonly liveRequestsPerSecond: number;
  /** The pace of its host and what live polls of all its sources need of that; undefined where the host has none. */
  readonly host?: Pick<Means, 'requestsPerSecond' | 'liveRequestsPerSecond'> | undefined;
  /** The part of the coming week that lies in quiet hours, 0..1. */
  readonly quietShare: number;
  /** The backfill's own limit. */
  readonly requestsPerDay: number | undefined;
  /** From sending a request to the stored window; undefined where no window showed it. */
  readonly worked: Worked | undefined;
}

/** The bounds that the length of windows grows in. */
export interface WindowBounds {
  readonly minWindow: Microseconds;
  readonly maxWindow: Microseconds;
  readonly align: Microseconds;
  /** The readings that a window should have. */
  readonly comfortable: number;
}

/** An expected number with the range that it most likely lies in. */
export interface Expected {
  readonly expected: number;
  readonly least: number;
  readonly most: number;
}

/** What a backfill is expected to take, before it runs. */
export interface Quote {
  readonly streams: number;
  /** The time that is asked for, over all streams, s. */
  readonly timeSeconds: number;
  readonly windows: number;
  readonly requests: Expected;
  readonly bytes: Expected;
  readonly readings: Expected;
  /** Until it is done; null where live polls or quiet hours leave it nothing, so that it never ends. */
  readonly seconds: Expected | null;
  /** The requests a second that live polls leave of the pace, and of that of its host. */
  readonly requestsPerSecond: number;
  /** A live poll waits at most so much longer for its slot, s. */
  readonly liveWaitSeconds: number;
  /** So many windows showed what is expected; 0: nothing is known of the data yet, and a request a window is the least. */
  readonly basis: number;
}

/** What a stream never showed is expected within this factor. */
const UNSURE = 3;

/** Time so short that windows of live polls show little of windows of history. */
const SURE_WINDOWS = 20;

/** What one stream of a backfill is expected to take. */
export interface QuotedPart {
  readonly time: Microseconds;
  readonly windows: number;
  readonly requests: number;
  readonly bytes: number;
  readonly readings: number;
  /** So many windows of its own showed it; undefined where those of its source did. */
  readonly basis: number | undefined;
}

/**
 * What one stream is expected to take. Its windows are counted as they will be asked: they grow from the learned length until they hold a
 * comfortable number of readings. The density of the past is taken to be that of what it showed. `ofSource`: what the windows of all streams
 * of its source showed; undefined where there was none.
 */
export function partOf(stream: QuotedStream, bounds: WindowBounds, ofSource?: Seen): QuotedPart {
  const { wanted, learned } = stream;
  const seen = stream.seen ?? ofSource;
  const time = wanted.reduce((total, window) => total + lengthOf(window), 0);
  const share = seen === undefined || seen.time === 0 ? 0 : time / seen.time;
  const readings = (seen?.readings ?? 0) * share;
  const windows = countWindows(wanted, learned, { ...bounds, density: time === 0 ? 0 : readings / time });
  return {
    time,
    windows,
    // A window takes a request at least, and more where its readings need pages.
    requests: Math.max(windows, pagesOf(seen, readings, windows)),
    bytes: (seen?.bytes ?? 0) * share,
    readings,
    basis: stream.seen?.windows,
  };
}

/** Estimates a backfill from its streams. `ofSource`: as for each of them. */
export function quoteOf(parts: readonly QuotedPart[], means: Means, ofSource?: Seen): Quote {
  const sum = (pick: (part: QuotedPart) => number): number => parts.reduce((total, part) => total + pick(part), 0);
  const own = sum((part) => part.basis ?? 0);
  // All windows of the source, which its new streams are judged by, count once.
  const basis = parts.some((part) => part.basis === undefined) ? (ofSource?.windows ?? own) : own;
  const windows = sum((part) => part.windows);
  const factor = 1 + (UNSURE - 1) / Math.max(1, Math.sqrt(basis / SURE_WINDOWS));
  const between = (expected: number, least = 0): Expected => ({
    expected: Math.round(expected),
    least: Math.max(least, Math.floor(expected / factor)),
    most: Math.ceil(expected * factor),
  });
  const requests = between(
    sum((part) => part.requests),
    windows,
  );
  const paces = means.host === undefined ? [means] : [means, means.host];
  const requestsPerSecond = Math.max(
    0,
    Math.min(...paces.map((pace) => pace.requestsPerSecond - pace.liveRequestsPerSecond)),
  );
  return {
    streams: parts.length,
    timeSeconds: sum((part) => part.time) / SECOND,
    windows,
    requests,
    bytes: between(sum((part) => part.bytes)),
    readings: between(sum((part) => part.readings)),
    seconds: durationOf(requests, requestsPerSecond, means),
    requestsPerSecond,
    liveWaitSeconds: 1 / Math.min(...paces.map((pace) => pace.requestsPerSecond)),
    basis,
  };
}

/** Windows of live polls have few readings and take a request all the same, so only the requests beyond the first tell of pages. */
function pagesOf(seen: Seen | undefined, readings: number, windows: number): number {
  if (seen === undefined || seen.readings === 0) return windows * ((seen?.requests ?? 1) / (seen?.windows ?? 1));
  return windows + (Math.max(0, seen.requests - seen.windows) * readings) / seen.readings;
}

/** `density`: readings a µs. */
function countWindows(
  wanted: Coverage,
  learned: Learned,
  { density, ...bounds }: WindowBounds & { readonly density: number },
): number {
  let now = learned;
  let windows = 0;
  for (const stretch of wanted) {
    let left = lengthOf(stretch);
    while (left > 0) {
      const asked = Math.min(left, now.length, bounds.maxWindow);
      windows += 1;
      left -= asked;
      const next = afterWindow(now, { asked, size: density * asked, ...bounds });
      // A length that rests stays as it is, so the rest need not be walked window by window.
      if (next.length === now.length && left > 0) {
        windows += Math.ceil(left / Math.min(now.length, bounds.maxWindow));
        left = 0;
      }
      now = next;
    }
  }
  return windows;
}

/** Undefined speed: nothing is left by live polls, or all time is quiet. */
function durationOf(requests: Expected, requestsPerSecond: number, means: Means): Expected | null {
  if (requestsPerSecond <= 0 || means.quietShare >= 1) return null;
  const secondsFor = (count: number, worked: Microseconds | undefined): number => {
    const atPace = count / requestsPerSecond;
    const atPlaces = worked === undefined ? 0 : (count * worked) / SECOND / means.concurrency;
    const awake = Math.max(atPace, atPlaces) / (1 - means.quietShare);
    const inDays =
      means.requestsPerDay === undefined ? 0 : Math.floor((count - 1) / means.requestsPerDay) * (DAY / SECOND);
    return Math.max(awake, inDays);
  };
  return {
    expected: Math.ceil(secondsFor(requests.expected, means.worked?.usual)),
    least: Math.floor(secondsFor(requests.least, means.worked?.least)),
    most: Math.ceil(secondsFor(requests.most, means.worked?.most)),
  };
}
