import { contractBroken } from '../../core/errors.ts';
import { pageCount } from './pages.ts';
import type { Loop } from './pages.ts';

/** The place of a page: how many items come before it, and its number. */
export interface PagePlace {
  readonly offset: number;
  /** 0 for the first page. */
  readonly page: number;
}

export interface OffsetLoop<P> extends Loop {
  /** Asks for the page at a place, by its offset or by its number, as the platform counts. */
  readonly ask: (place: PagePlace) => Promise<P>;
  /** The items of a page. */
  readonly items: (page: P) => ArrayLike<unknown>;
  /** A text that is the same for pages with the same items. Default: the items as JSON. */
  readonly print?: (page: P) => string;
  /** How many items a page is asked to have. */
  readonly size: number;
  /**
   * Whether a page with fewer items is the last one. `no-proof`: the platform may give fewer than asked for, so only a total
   * or an empty page ends the loop.
   */
  readonly shortPage: 'last' | 'no-proof';
  /** How many items there are in all, where an answer says so. */
  readonly total?: (page: P) => number | undefined;
}

/**
 * Pages of a platform that counts items or pages. It ends by the total, by an empty page, or by a short page where that is
 * proof. `contract-broken`: a page that is larger than asked for or equal to the one before it, and an empty page before the
 * total is reached.
 */
export async function* byOffset<P>(loop: OffsetLoop<P>): AsyncGenerator<P> {
  const { ask, items, size, shortPage, total, what, print = (page) => JSON.stringify(items(page)) } = loop;
  const count = pageCount(loop);
  let before: string | undefined;
  for (let offset = 0, page = 0; ; page += 1) {
    count();
    const answer = await ask({ offset, page });
    const found = items(answer);
    const all = total?.(answer);
    if (all !== undefined && !(Number.isSafeInteger(all) && all >= 0))
      throw contractBroken(`${what}: the total is not a number of items`);
    if (found.length > size)
      throw contractBroken(`${what}: a page of ${found.length} items, where ${size} were asked for`);
    if (found.length === 0) {
      if (all !== undefined && offset < all) throw contractBroken(`${what}: ended after ${offset} of ${all} items`);
      return;
    }
    const text = print(answer);
    if (text === before) throw contractBroken(`${what}: page ${page + 1} repeats the one before it`);
    before = text;
    yield answer;
    offset += found.length;
    if (all === undefined ? shortPage === 'last' && found.length < size : offset >= all) return;
  }
}
