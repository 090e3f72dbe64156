import { coverageOf, intersect, subtract } from './coverage.ts';
import type { Coverage } from './coverage.ts';
import type { Instant, Microseconds } from './instant.ts';
import { WAITS, retryDelay } from './retry.ts';
import { lengthOf } from './window.ts';
import type { Window } from './window.ts';

/**
 * Time that could not be read. Both lanes plan around it (plan.ts). History asks for it again: a stretch that fails is
 * halved until the instants that cannot be read are alone; those are asked again slowly, because the platform may be
 * mended.
 */
export interface Unreadable extends Window {
  /** Failures in a row, those of the longer stretches it was cut from included, since time beside it was read. */
  readonly tries: number;
  /** It is not asked before this instant. */
  readonly retryAt: Instant;
}

/**
 * A stretch is halved at once while it has failed at most this often in a row. One bad instant fails twice in a row at
 * most, because the other half beside it can be read. Where nothing can be read, each further round of halves waits longer.
 */
const HALVED_AT_ONCE = 3;

/** A stream keeps at most this many stretches. Then none is halved and short ones are joined, so requests and rows stay bounded. */
const MOST_STRETCHES = 500;

export interface Circumstances {
  readonly now: Instant;
  /** The shortest window the platform can be asked for, µs. */
  readonly minWindow: Microseconds;
}

/** The unreadable time of a stream as a coverage. */
export const unreadableTime = (stretches: readonly Window[]): Coverage =>
  coverageOf(stretches.map(({ from, to }) => ({ from, to })));

/** Whether a stretch is too short to be halved. */
const isAlone = (window: Window, minWindow: Microseconds): boolean => lengthOf(window) < 2 * minWindow;

/** The stretches of a stream after `window` could not be read. It takes the place of the parts of stretches inside it. */
export function afterUnread<Stretch extends Unreadable>(
  stretches: readonly Stretch[],
  window: Window,
  circumstances: Circumstances,
): (Stretch | Unreadable)[] {
  const { now } = circumstances;
  const before = stretches.filter((stretch) => intersect([stretch], window).length > 0);
  const tries = 1 + Math.max(0, ...before.map((stretch) => stretch.tries));
  const isWhole = isAlone(window, circumstances.minWindow) || stretches.length >= MOST_STRETCHES;
  const retryAt = now + waitAfter(isWhole ? tries : tries - HALVED_AT_ONCE);
  const parts = isWhole ? [window] : halvesOf(window, circumstances);
  return bounded([...without(stretches, window), ...parts.map((part) => ({ ...part, tries, retryAt }))]);
}

/**
 * Joins neighbours while there are too many stretches, first those that make the shortest one. Time between them that was read
 * is only read again.
 */
function bounded<Stretch extends Unreadable>(stretches: readonly Stretch[]): Stretch[] {
  const ordered = stretches.toSorted((one, other) => one.from - other.from);
  while (ordered.length > MOST_STRETCHES) {
    const spans = ordered.slice(1).map(({ to }, place) => to - (ordered[place] as Stretch).from);
    const place = spans.indexOf(Math.min(...spans));
    const [one, other] = ordered.slice(place, place + 2) as [Stretch, Stretch];
    const retryAt = Math.max(one.retryAt, other.retryAt);
    ordered.splice(place, 2, { ...one, to: other.to, tries: Math.max(one.tries, other.tries), retryAt });
  }
  return ordered;
}

/**
 * The stretches of a stream after `window` was read. Longer stretches that begin within its own length of it are asked again
 * at once, because the platform can be read there: they are the other half, or were cut from it.
 */
export const afterRead = <Stretch extends Unreadable>(
  stretches: readonly Stretch[],
  window: Window,
  circumstances: Circumstances,
): Stretch[] =>
  without(stretches, window).map((stretch) =>
    stretch.to >= window.from - lengthOf(window) &&
    stretch.from <= window.to + lengthOf(window) &&
    !isAlone(stretch, circumstances.minWindow)
      ? { ...stretch, tries: 0, retryAt: circumstances.now }
      : stretch,
  );

/** The parts of stretches inside `wanted`: time before the start stays set aside, and is not asked for. */
export const wantedOf = (stretches: readonly Unreadable[], wanted: Coverage): Unreadable[] =>
  stretches.flatMap((stretch) => intersect(wanted, stretch).map((part) => ({ ...stretch, ...part })));

/**
 * The window of at most `length` to ask for again now: of the longest stretch that is due, so that halves of the same
 * length come one after the other. None where all wait or are `underWay`.
 */
export function windowToRetry(
  stretches: readonly Unreadable[],
  { now, length, underWay }: { readonly now: Instant; readonly length: Microseconds; readonly underWay: Coverage },
): Window | undefined {
  const [longest] = stretches
    .filter((stretch) => isDue(stretch, now) && intersect(underWay, stretch).length === 0)
    .toSorted((one, other) => lengthOf(other) - lengthOf(one) || one.from - other.from);
  return longest && { from: longest.from, to: Math.min(longest.to, longest.from + length) };
}

/** When a stretch is due next; undefined where there is none. */
export const nextRetryAt = (stretches: readonly Unreadable[]): Instant | undefined =>
  stretches.length === 0 ? undefined : Math.min(...stretches.map(({ retryAt }) => retryAt));

/** Whether a window is a retry of an instant that is known to be unreadable: its failure says nothing new. */
export const isKnownInstant = (stretches: readonly Unreadable[], window: Window, minWindow: Microseconds): boolean =>
  isAlone(window, minWindow) && intersect(unreadableTime(stretches), window).length > 0;

/** A longer wait than any that is ever set comes from a clock that was ahead, and does not count. */
const isDue = ({ retryAt }: Unreadable, now: Instant): boolean =>
  retryAt <= now || retryAt > now + WAITS.unreadable.most;

const waitAfter = (tries: number): Microseconds => (tries <= 0 ? 0 : retryDelay(WAITS.unreadable, tries, 1));

const without = <Stretch extends Unreadable>(stretches: readonly Stretch[], window: Window): Stretch[] =>
  stretches.flatMap((stretch) => subtract([stretch], [window]).map(({ from, to }) => ({ ...stretch, from, to })));

/** Both halves of a window that is at least twice `minWindow` long. Their border keeps the grid of `minWindow` from its begin. */
function halvesOf({ from, to }: Window, { minWindow }: Circumstances): Window[] {
  const middle = from + Math.ceil((to - from) / 2 / minWindow) * minWindow;
  return [
    { from, to: middle },
    { from: middle, to },
  ];
}
