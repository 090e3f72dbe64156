import type { Batch } from '../core/batch.ts';
import { formatDuration } from '../core/duration.ts';
import { MILLISECOND, SECOND } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { CLOCK_SLACK, DATE_RESOLUTION, clockTrouble, provenAhead } from '../core/platform-clock.ts';
import type { RefusalReason } from '../core/reading.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { Window } from '../core/window.ts';
import type { Authorisation } from '../platform/contract.ts';
import { MOST_REFUSED } from '../platform/connection/index.ts';
import type { FailedSensors } from '../pull/set-apart.ts';

/** One result of a check in an operator's words; `warning` asks the operator to act on it. */
export interface Finding {
  readonly detail: string;
  readonly warning: boolean;
}

/** A duration rounded to tenths of a second. */
const about = (length: Microseconds): string =>
  formatDuration(Math.round(length / (100 * MILLISECOND)) * 100 * MILLISECOND);

/**
 * Compares the platform's clock with ours. The platform read it between `asked` and `answered`, so the difference lies
 * between two bounds; only a difference that both bounds confirm is a warning.
 */
export function clockFinding(
  clock: Instant | undefined,
  { asked, answered, settle }: { readonly asked: Instant; readonly answered: Instant; readonly settle: Microseconds },
): Finding {
  if (clock === undefined) return { detail: 'the platform does not show its clock', warning: false };
  const ahead = provenAhead({ date: clock, asked, answered });
  if (Math.abs(ahead) > CLOCK_SLACK) {
    const { message, remedy } = clockTrouble(ahead, settle);
    return { detail: `${message}: ${remedy}`, warning: true };
  }
  const within = Math.max(Math.abs(clock - answered), Math.abs(asked - clock - DATE_RESOLUTION), SECOND);
  return { detail: `agrees with ours within ${about(within)}`, warning: false };
}

/**
 * Warns where so many requests carry the password at a time that the platform may lock the account. When the password is changed
 * there, it refuses every request that is under way. Undefined where requests carry a token or a key: no platform locks an account
 * for those.
 */
export function lockFinding(
  { connection, pace }: Pick<SourceConfig, 'connection' | 'pace'>,
  authorisation: Authorisation | undefined,
): string | undefined {
  if (authorisation?.obtain !== undefined || connection['password'] === undefined) return undefined;
  if (pace.concurrency <= MOST_REFUSED) return undefined;
  return `each request carries the password, so ${pace.concurrency} of them (pace.concurrency) may be refused when it is changed on the platform: set pace.concurrency to ${MOST_REFUSED} or fewer where the platform locks an account after ${pace.concurrency} refusals`;
}

/** At least this many readings of a series show how often they come. */
const FEWEST_READINGS = 3;

/** A series whose last reading lies more than this many of its own intervals before the end of the window looks late. */
const MOST_INTERVALS = 3;

/**
 * Warns where points of a window that has settled seem to be missing: more than half of the series that come regularly
 * stop well before its end.
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
    if (at.length < FEWEST_READINGS) continue;
    regular += 1;
    if (window.to - last > (MOST_INTERVALS * (last - first)) / (at.length - 1)) missing += 1;
  }
  if (newest === -Infinity) return { detail: 'no reading shows how late points arrive', warning: false };
  const before = about(window.to - newest);
  if (regular > 0 && missing * 2 > regular) {
    const detail = `the newest is ${before} before the end of the window although readings come more often: points may arrive later than settle (${formatDuration(settle)})`;
    return { detail, warning: true };
  }
  return { detail: `the newest is ${before} before the end of the window`, warning: false };
}

/** The reasons of refused points, the most frequent first. */
export const mostFrequentFirst = (refused: ReadonlyMap<RefusalReason, number>): readonly RefusalReason[] =>
  [...refused].toSorted(([, one], [, other]) => other - one).map(([reason]) => reason);

/** `3 refused (boolean 2, null 1)`, the most frequent reason first. */
export function refusalsInWords(refused: ReadonlyMap<RefusalReason, number>): string {
  const counts = mostFrequentFirst(refused).map((reason) => [reason, refused.get(reason) ?? 0] as const);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return total === 0
    ? 'none refused'
    : `${total} refused (${counts.map(([reason, count]) => `${reason} ${count}`).join(', ')})`;
}

/** How often the window of a look was halved, as the end of a sentence. */
export function halvingsInWords(halvings: number): string {
  if (halvings === 0) return '';
  return `, halved ${halvings === 1 ? 'once' : `${halvings} times`} because the window held too much`;
}

/** The sensors that failed alone, as the end of a sentence. */
export function failuresInWords(failed: FailedSensors): string {
  const [first] = failed;
  if (first === undefined) return '';
  const [sensor, { message }] = first;
  const others = failed.size === 1 ? '' : ` and ${failed.size - 1} more`;
  return `; cannot read ${sensor}${others}, which polls ask for apart from the other sensors: ${message}`;
}
