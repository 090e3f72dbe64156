import { contractBroken } from '../../core/errors.ts';

/** At most this many pages answer one question, unless the loop is given another number. */
const MOST_PAGES = 10_000;

/** The part of a loop that all of them have. */
export interface Loop {
  /** The question in messages, such as "points of pump-1". */
  readonly what: string;
  /** A platform that has more pages than this never ends, and is at fault. Default 10,000. */
  readonly mostPages?: number;
}

/** Counts the pages of one loop. The returned function is called before each request, and throws `contract-broken` at the limit. */
export function pageCount({ what, mostPages = MOST_PAGES }: Loop): () => void {
  let pages = 0;
  return () => {
    if (pages === mostPages) throw contractBroken(`${what}: no end after ${mostPages} pages`);
    pages += 1;
  };
}
