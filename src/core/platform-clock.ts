import { formatDuration } from './duration.ts';
import { SECOND } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';

/** A clock that differs from ours by at most this much is right. */
export const CLOCK_SLACK: Microseconds = 2 * SECOND;

/** Platforms show their clock in the Date header, which has whole seconds (RFC 9110, 5.6.7). */
export const DATE_RESOLUTION: Microseconds = SECOND;

/** So many answers in a row must agree before a verdict on a clock changes. */
export const ANSWERS_THAT_JUDGE = 8;

/** A date that a platform read from its clock between two instants of ours. */
export interface DatedAnswer {
  readonly date: Instant;
  readonly asked: Instant;
  readonly answered: Instant;
}

/**
 * How far the platform's clock is at least ahead of ours; negative where it is behind, 0 where this answer proves neither.
 * The date may be a second old, and may have been read at any instant of the request.
 */
export function provenAhead({ date, asked, answered }: DatedAnswer): Microseconds {
  const behind = asked - (date + DATE_RESOLUTION);
  if (date > answered) return date - answered;
  return behind > 0 ? -behind : 0;
}

/**
 * What to tell of a platform's clock: how far it is ahead of ours, negative where it is behind, null where it is right.
 *
 * `proven`: `provenAhead` of the last answers. The verdict changes only where `ANSWERS_THAT_JUDGE` of them agree: all prove a
 * difference beyond the slack to one side, or none proves half of it. Between the two, and where the difference is about what
 * was `told` before, nothing changes, so a clock at the limit is not told and forgotten in turns.
 */
export function clockToTell(proven: readonly Microseconds[], told: Microseconds | null): Microseconds | null {
  if (proven.length < ANSWERS_THAT_JUDGE) return told;
  const [least, most] = [Math.min(...proven), Math.max(...proven)];
  if (least > CLOCK_SLACK || most < -CLOCK_SLACK) {
    // Of bounds on the same difference the furthest is the sharpest one.
    const ahead = least > 0 ? most : least;
    return told !== null && Math.abs(ahead - told) <= CLOCK_SLACK ? told : ahead;
  }
  return Math.max(-least, most) <= CLOCK_SLACK / 2 ? null : told;
}

/** The effect of a platform's clock that is `ahead` of ours (negative: behind) on a source with this `settle`, and a remedy. */
export function clockTrouble(ahead: Microseconds, settle: Microseconds): { message: string; remedy: string } {
  const off = Math.round(Math.abs(ahead) / SECOND) * SECOND;
  const byNtp =
    'set the clock of the platform by NTP, or that of a proxy before it; where several platforms are told so, check the clock of the database';
  if (ahead > 0) {
    const effect = `points that it stamps itself are asked for ${formatDuration(off)} later than they could be; none is lost`;
    return { message: `the platform's clock is ${formatDuration(off)} ahead of ours: ${effect}`, remedy: byNtp };
  }
  const effect =
    off < settle
      ? `points that it stamps itself seem to arrive that much later, so ${formatDuration(settle - off)} of settle are left for late ones`
      : 'time is asked for before the points that it stamps itself are there; only looks back for late data (overlap, lookBackAtMost) find them';
  return {
    message: `the platform's clock is ${formatDuration(off)} behind ours: ${effect}`,
    remedy: `${byNtp}; until then set settle to ${formatDuration(settle + off)} (it is ${formatDuration(settle)})`,
  };
}
