import { MINUTE } from './instant.ts';
import type { Microseconds } from './instant.ts';

/** The window length a stream has learned. */
export interface Learned {
  /** The length to ask for next, µs. */
  readonly length: Microseconds;
  /** The shortest length that was too much, µs; forgotten when a window at least as long goes well. */
  readonly tooMuch?: Microseconds;
  /** The first length after the last answer that got a 5xx or none, µs. It is too much where a shorter one is answered. */
  readonly unanswered?: Microseconds;
}

/** The outcome of one fetched window, and the bounds of the learned length. Lengths in µs. */
export interface FetchedWindow {
  /** The length of the window. */
  readonly asked: Microseconds;
  /** The grid that windows end on: they are cut to it, so they may be shorter than the learned length by less than this. */
  readonly align: Microseconds;
  /** How much work it was, in readings. */
  readonly size: number;
  /** The size a window should have. */
  readonly comfortable: number;
  readonly minWindow: Microseconds;
  readonly maxWindow: Microseconds;
}

/** The factor by which the length grows while no length was too much. */
const GROWTH = 1.5;

/** The factor from half of a length that was too much: it takes 35 windows until that length is asked for again. */
const CREEP = 1.02;

/**
 * After a window of `asked` µs was too much, the next one is half as long. `cannot-shrink` where the window already was
 * as short as `minWindow`: its length is not the cause then.
 */
export function afterTooMuch(
  learned: Learned,
  asked: Microseconds,
  minWindow: Microseconds,
): Learned | 'cannot-shrink' {
  if (asked <= minWindow) return 'cannot-shrink';
  return {
    length: Math.max(minWindow, Math.min(learned.length, Math.floor(asked / 2))),
    tooMuch: Math.min(asked, learned.tooMuch ?? asked),
  };
}

/** Windows up to this length are never taken for too heavy: a platform that cannot answer them is away. */
const LIGHT: Microseconds = MINUTE;

/**
 * Whether a window of `asked` µs is so short that a 5xx or no answer is not blamed on its length. Live may let the shortest
 * length grow a little again before history asks for it, so up to twice that length counts.
 */
export const isLight = (asked: Microseconds, minWindow: Microseconds): boolean =>
  asked <= Math.max(2 * LIGHT, minWindow);

/**
 * A window of `asked` µs got a 5xx or no answer: a fourth of it next time. Whether it was too heavy or the platform was away
 * shows when a shorter window is answered, so nothing is known to be too much yet.
 */
export function afterNoAnswer(learned: Learned, asked: Microseconds, minWindow: Microseconds): Learned {
  if (asked <= Math.max(LIGHT, minWindow)) return learned;
  const length = Math.max(minWindow, LIGHT, Math.min(learned.length, Math.floor(asked / 4)));
  return { ...learned, length: Math.min(length, learned.length), unanswered: learned.unanswered ?? asked };
}

/**
 * After a window was fetched, the length moves towards windows of `comfortable` size. Too large a window shrinks it at
 * once, in proportion. A small one lets it grow slowly, and only where the window was as long as the learned length, because
 * a shorter one (at the live edge) says nothing about longer ones.
 */
export function afterWindow(learned: Learned, outcome: FetchedWindow): Learned {
  const { asked, align, size, comfortable, minWindow, maxWindow } = outcome;
  const shortest = Math.min(learned.tooMuch ?? Infinity, learned.unanswered ?? Infinity);
  const tooMuch = asked < shortest && shortest !== Infinity ? shortest : undefined;
  // Infinite after an empty window.
  const ideal = Math.floor((asked * comfortable) / size);
  let length = learned.length;
  if (size > comfortable) length = Math.min(length, ideal);
  else if (asked > length - align) length = Math.max(length, Math.min(ideal, grown(length, tooMuch)));
  const bounded = Math.min(maxWindow, Math.max(minWindow, length));
  return tooMuch === undefined ? { length: bounded } : { length: bounded, tooMuch };
}

function grown(length: Microseconds, tooMuch: Microseconds | undefined): Microseconds {
  if (tooMuch === undefined) return Math.ceil(length * GROWTH);
  if (length * 2 >= tooMuch) return Math.ceil(length * CREEP);
  return Math.min(Math.ceil(length * GROWTH), Math.ceil(tooMuch / 2));
}
