import type { Microseconds } from './instant.ts';

/** What a stream has learned about how much time one window may hold. */
export interface Learned {
  /** The length to ask for next, µs. */
  readonly length: Microseconds;
  /** The shortest length known to have been too much and not yet disproved, µs. */
  readonly tooMuch?: Microseconds;
}

/** How one fetched window went, and between which lengths the learned one must stay (all µs). */
export interface FetchedWindow {
  readonly asked: Microseconds;
  readonly readings: number;
  /** How many readings a window should hold. */
  readonly comfortable: number;
  readonly minWindow: Microseconds;
  readonly maxWindow: Microseconds;
}

/** Growth of a window against which nothing is known. */
const GROWTH = 1.5;

/** Growth within reach of a length that was too much: from its half, it takes 35 windows to dare it again. */
const CREEP = 1.02;

/**
 * A window of `asked` µs was too much: half of it next time. `cannot-shrink` where it already was as short as windows
 * may be: then it is no longer a matter of length.
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

/**
 * A window was fetched: the length moves towards `comfortable` readings a window. Too many shrink it at once and in
 * proportion; too few let it grow slowly, and only where the window was as long as the learned length, since a
 * shorter one (the live edge) says nothing about longer ones. A length that was too much is forgotten once one at
 * least as long went well.
 */
export function afterWindow(learned: Learned, outcome: FetchedWindow): Learned {
  const { asked, readings, comfortable, minWindow, maxWindow } = outcome;
  const against = learned.tooMuch !== undefined && asked < learned.tooMuch ? learned.tooMuch : undefined;
  const fitting = readings === 0 ? maxWindow : Math.floor((asked * comfortable) / readings);
  let length = learned.length;
  if (readings > comfortable) length = Math.min(length, fitting);
  else if (asked >= length) length = Math.max(length, Math.min(fitting, grown(length, against)));
  const bounded = Math.min(maxWindow, Math.max(minWindow, length));
  return against === undefined ? { length: bounded } : { length: bounded, tooMuch: against };
}

function grown(length: Microseconds, tooMuch: Microseconds | undefined): Microseconds {
  if (tooMuch === undefined) return Math.ceil(length * GROWTH);
  if (length * 2 >= tooMuch) return Math.ceil(length * CREEP);
  return Math.min(Math.ceil(length * GROWTH), Math.ceil(tooMuch / 2));
}
