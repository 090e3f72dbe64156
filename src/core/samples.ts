import type { Instant } from './instant.ts';
import type { Quality } from './quality.ts';

/**
 * Samples of one variable of one sensor: columns of equal length, in any order of time. Columns, because they take half
 * the memory of one object a sample and are several times faster.
 */
export interface Samples {
  readonly sensor: string;
  readonly variable: string;
  /** An instant that cannot be parsed is NaN; it is refused and shown with its text from `rawInstants`. */
  readonly at: readonly Instant[];
  /**
   * The values unchanged: finite numbers become readings, all else is refused and counted (law 6). A state of the platform
   * or of a digital variable is a `state(…)`.
   */
  readonly values: readonly unknown[];
  /**
   * The quality of each value, or the one that all of them have, which is the fast way; words or numbers of the platform that its
   * `facts.quality` translates. Left out where the platform says nothing of quality; the readings then have no precision.
   */
  readonly quality?: Quality | readonly Quality[];
  /** Labels of all these samples; those of the mapping are added. */
  readonly labels?: readonly string[];
  /** The text of each instant as the platform wrote it. */
  readonly rawInstants?: readonly string[];
}

/** A state that a platform reports instead of a number: one of its own, such as "No Data", or one of a digital variable. */
export class State {
  readonly name: string;
  readonly code: number | undefined;

  constructor(name: string, code: number | undefined) {
    this.name = name;
    this.code = code;
  }
}

/**
 * A state as a value of `Samples`. The source may map its name to a number; otherwise the point is refused as `system-state`.
 * `code` is the platform's number of the state, which only helps an operator to recognise it.
 */
export const state = (name: string, code?: number): State => new State(name, code);
