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
  /** The values unchanged: finite numbers become readings, all else is refused and counted (law 6). */
  readonly values: readonly unknown[];
  /** Left out where the platform has no qualities; the readings then have no precision. */
  readonly quality?: readonly Quality[];
  /** Labels of all these samples; those of the mapping are added. */
  readonly labels?: readonly string[];
  /** The text of each instant as the platform wrote it. */
  readonly rawInstants?: readonly string[];
}
