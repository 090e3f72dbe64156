import type { Batch } from '../core/batch.ts';
import { formatDuration } from '../core/duration.ts';
import { MILLISECOND, SECOND } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { RefusalReason } from '../core/reading.ts';
import type { Window } from '../core/window.ts';

/** What a check found out, in an operator's words; `warning` where something ought to be done about it. */
export interface Finding {
  readonly detail: string;
  readonly warning: boolean;
}

/** Clocks may differ by this without a word. */
const SKEW = 2 * SECOND;

/** Platforms show their clock in the Date header, which has whole seconds (RFC 9110, 5.6.7). */
const RESOLUTION = SECOND;

/** Rounded so that a person reads it: tenths of a second. */
const about = (length: Microseconds): string =>
  formatDuration(Math.round(length / (100 * MILLISECOND)) * 100 * MILLISECOND);

/**
 * The platform's clock against ours. It was read at some time between `asked` and `answered`, so the difference is
 * only known to lie between two bounds; a warning is given for what is certain.
 */
export function clockFinding(
  clock: Instant | undefined,
  { asked, answered, settle }: { readonly asked: Instant; readonly answered: Instant; readonly settle: Microseconds },
): Finding {
  if (clock === undefined) return { detail: 'the platform does not show its clock', warning: false };
  const ahead = clock - answered;
  const behind = asked - (clock + RESOLUTION);
  if (ahead > SKEW) {
    const effect = `its points become visible here up to ${about(ahead)} later than they could; nothing is lost`;
    return {
      detail: `the platform's clock is ${about(ahead)} ahead of ours: ${effect}. Set both by NTP`,
      warning: true,
    };
  }
  if (behind > SKEW) {
    const effect = `its points seem to arrive that much later. Set both by NTP, or let settle be ${about(settle + behind)} (it is ${formatDuration(settle)})`;
    return { detail: `the platform's clock is ${about(behind)} behind ours: ${effect}`, warning: true };
  }
  const within = Math.max(Math.abs(ahead), Math.abs(behind), SECOND);
  return { detail: `agrees with ours within ${about(within)}`, warning: false };
}

/** So many readings of a series show how often they come. */
const TELLING = 3;

/** A series that is silent for this many of its own intervals before the end of a settled window looks late. */
const INTERVALS = 3;

/**
 * Whether the points of a window that is taken to be settled look as if some are still missing: most series that come
 * regularly stop well before its end.
 */
export function latenessFinding(batch: Batch, window: Window, settle: Microseconds): Finding {
  let regular = 0;
  let missing = 0;
  let newest = -Infinity;
  for (const { segments } of batch.columns) {
    const at = segments.flatMap((segment) => segment.at);
    const [first, last] = [at[0], at.at(-1)];
    if (first === undefined || last === undefined) continue;
    newest = Math.max(newest, last);
    if (at.length < TELLING) continue;
    regular += 1;
    if (window.to - last > (INTERVALS * (last - first)) / (at.length - 1)) missing += 1;
  }
  if (newest === -Infinity) return { detail: 'no readings in it', warning: false };
  const before = about(window.to - newest);
  if (regular > 0 && missing * 2 > regular) {
    const detail = `the newest is ${before} before its end, though they come more often: points may arrive later than settle (${formatDuration(settle)})`;
    return { detail, warning: true };
  }
  return { detail: `the newest is ${before} before its end`, warning: false };
}

/** `3 refused (boolean 2, null 1)`, the most frequent first. */
export function refusalsInWords(refused: ReadonlyMap<RefusalReason, number>): string {
  const counts = [...refused].toSorted(([, one], [, other]) => other - one);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return total === 0
    ? 'none refused'
    : `${total} refused (${counts.map(([reason, count]) => `${reason} ${count}`).join(', ')})`;
}
