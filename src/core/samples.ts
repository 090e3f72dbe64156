import type { Instant } from './instant.ts';
import type { Quality } from './quality.ts';

/**
 * Samples of one variable of one sensor, as an adapter yields them: columns of equal length, in any order of time.
 * Columns take half the memory of one object a sample, and a fraction of the time.
 */
export interface Samples {
  readonly sensor: string;
  readonly variable: string;
  /** Instants. A text that is no instant stands as NaN; its sample is refused with the text from `rawInstants`. */
  readonly at: readonly Instant[];
  /** Values as the platform sent them: numbers become readings, everything else becomes a refusal (law 6). */
  readonly values: readonly unknown[];
  readonly quality?: readonly Quality[];
  readonly labels?: readonly string[];
  readonly rawInstants?: readonly string[];
}
