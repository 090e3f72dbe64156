import { MILLISECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Database } from './database.ts';

/** The database's clock, which all hosts share, without asking it each time. */
export interface SharedClock {
  readonly now: () => Instant;
  /** Measures the distance between this host's clock and the database's again. */
  readonly adjust: () => Promise<void>;
}

const local = (): Instant => Math.round((performance.timeOrigin + performance.now()) * MILLISECOND);

/** Three short questions; the one answered fastest tells the distance best. */
const QUESTIONS = 3;

export async function clockOf(database: Database): Promise<SharedClock> {
  let offset = 0;
  const adjust = async (): Promise<void> => {
    let fastest = Infinity;
    let best = offset;
    for (let question = 0; question < QUESTIONS; question += 1) {
      const asked = local();
      const row = await database.row<{ at: number }>('select instant_of(clock_timestamp()) as at');
      const answered = local();
      if (row && answered - asked < fastest) {
        fastest = answered - asked;
        best = Math.round(row.at - (asked + answered) / 2);
      }
    }
    offset = best;
  };
  await adjust();
  return { now: () => local() + offset, adjust };
}
