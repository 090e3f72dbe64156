import { formatDuration } from '../core/duration.ts';
import { MILLISECOND, SECOND, formatInstant } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { Database } from './database.ts';
import { setBackWatch } from './set-back.ts';
import type { SetBack } from './set-back.ts';

/** The database's clock, which all hosts share, without a statement for each look. */
export interface SharedClock {
  readonly now: () => Instant;
  /** Measures the distance between this host's clock and the database's again. */
  readonly adjust: () => Promise<void>;
  /**
   * How far this host's clock is ahead of the database's, negative where it is behind, while that is more than they may
   * differ; undefined while they agree. Which of the two is wrong cannot be known.
   */
  readonly disagreement: () => Microseconds | undefined;
  /**
   * How often this process saw the database's clock set back while the two agreed, and what was asked too early because of that.
   * The latter is told for two measurements more, because a window may be on its way into the database when it is found.
   */
  readonly setBacks: () => { readonly count: number; readonly recent: SetBack | undefined };
}

/** Goes on evenly, whatever is done to the clock of the host. */
const evenClock = (): Instant => Math.round((performance.timeOrigin + performance.now()) * MILLISECOND);

const wallClock = (): Instant => Date.now() * MILLISECOND;

/** The fastest of this many answers is used, because it measures the distance best. */
const QUESTIONS = 3;

/** A slower answer does not prove that a clock was set back. */
const PROVING: Microseconds = SECOND;

/** For so many measurements after the one that found it a set-back is told. */
const TOLD_FURTHER = 2;

/**
 * `mostDifference`: how far the clocks may differ. Beyond it `now` goes on as before, because a clock that jumped must not move
 * the work that is under way.
 */
export async function clockOf(
  database: Database,
  { mostDifference = Infinity, hostTime = wallClock }: { mostDifference?: Microseconds; hostTime?: () => Instant } = {},
): Promise<SharedClock> {
  let offset: Microseconds | undefined;
  let disagreement: Microseconds | undefined;
  const watch = setBackWatch();
  let setBacks: { count: number; recent: SetBack | undefined } = { count: 0, recent: undefined };
  let toldFurther = 0;
  const noteSetBack = (back: SetBack | undefined): void => {
    const { count, recent } = setBacks;
    if (back === undefined) {
      if (toldFurther === 0) setBacks = { count, recent: undefined };
      else toldFurther -= 1;
      return;
    }
    toldFurther = TOLD_FURTHER;
    const { since, by } = recent ?? back;
    setBacks = { count: count + 1, recent: { since: Math.min(since, back.since), by: Math.max(by, back.by) } };
  };
  const adjust = async (): Promise<void> => {
    let fastest = Infinity;
    let best = { offset: offset ?? 0, ahead: 0 };
    for (let question = 0; question < QUESTIONS; question += 1) {
      const [asked, ahead] = [evenClock(), hostTime() - evenClock()];
      const row = await database.row<{ at: number }>('select instant_of(clock_timestamp()) as at');
      const answered = evenClock();
      if (!row || answered - asked >= fastest) continue;
      fastest = answered - asked;
      const distance = Math.round(row.at - (asked + answered) / 2);
      best = { offset: distance, ahead: ahead - distance };
    }
    if (fastest === Infinity) return;
    // A slow answer measures badly, and proves less.
    disagreement = Math.abs(best.ahead) - fastest / 2 > mostDifference ? Math.round(best.ahead) : undefined;
    if (offset === undefined || disagreement === undefined) ({ offset } = best);
    noteSetBack(offset === best.offset && fastest <= PROVING ? watch(offset, evenClock()) : undefined);
  };
  await adjust();
  return { now: () => evenClock() + (offset ?? 0), adjust, disagreement: () => disagreement, setBacks: () => setBacks };
}

/** `its clock shows …, the database's … (3m apart)`, of a host whose clock is `ahead`. */
export const clocksInWords = (ahead: Microseconds, databaseTime: Instant): string =>
  `its clock shows ${formatInstant(wholeSeconds(databaseTime + ahead))}, the database's ${formatInstant(wholeSeconds(databaseTime))} (${formatDuration(wholeSeconds(Math.abs(ahead)))} apart)`;

const wholeSeconds = (length: Microseconds): Microseconds => Math.round(length / SECOND) * SECOND;
