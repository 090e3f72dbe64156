import { MILLISECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Database } from './database.ts';

/** The database's clock, which all hosts share, without a statement for each look. */
export interface SharedClock {
  readonly now: () => Instant;
  /** Measures the distance between this host's clock and the database's again. */
  readonly adjust: () => Promise<void>;
}

const hostClock = (): Instant => Math.round((performance.timeOrigin + performance.now()) * MILLISECOND);

/** Of this many answers the fastest is used, because it measures the distance best. */
const QUESTIONS = 3;

export async function clockOf(database: Database): Promise<SharedClock> {
  let offset = 0;
  const adjust = async (): Promise<void> => {
    let fastest = Infinity;
    let best = offset;
    for (let question = 0; question < QUESTIONS; question += 1) {
      const asked = hostClock();
      const row = await database.row<{ at: number }>('select instant_of(clock_timestamp()) as at');
      const answered = hostClock();
      if (row && answered - asked < fastest) {
        fastest = answered - asked;
        best = Math.round(row.at - (asked + answered) / 2);
      }
    }
    offset = best;
  };
  await adjust();
  return { now: () => hostClock() + offset, adjust };
}
