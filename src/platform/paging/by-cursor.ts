import { contractBroken } from '../../core/errors.ts';
import { pageCount } from './pages.ts';
import type { Loop } from './pages.ts';

/** The ways in which an answer says that there is no next page. */
type Absence = 'absent' | 'null' | 'empty';

export interface CursorLoop<P> extends Loop {
  /** Asks for the first page without a cursor, or with `first`. */
  readonly ask: (cursor: string | number | undefined) => Promise<P>;
  /** The cursor in an answer, as it came: this loop judges its type. */
  readonly next: (page: P) => unknown;
  /** Each way in which this platform ends its pages. Any other one is `contract-broken`, because it is no proof of the end. */
  readonly ends: readonly Absence[];
  /** The cursor of the first page, where the platform wants one, such as ''. */
  readonly first?: string | number;
}

/** Pages of a platform that hands out a cursor. A cursor that came before is `contract-broken`, because the pages would repeat. */
export async function* byCursor<P>(loop: CursorLoop<P>): AsyncGenerator<P> {
  const { ask, next, ends, first, what } = loop;
  const count = pageCount(loop);
  const seen = new Set<unknown>(first === undefined ? [] : [first]);
  for (let cursor = first; ;) {
    count();
    const page = await ask(cursor);
    yield page;
    const found = next(page);
    const absence = absenceOf(found);
    if (absence !== undefined) {
      if (ends.includes(absence)) return;
      throw contractBroken(`${what}: the cursor is ${absence}, which is no sign of the end on this platform`);
    }
    if (typeof found !== 'string' && !Number.isSafeInteger(found)) {
      throw contractBroken(`${what}: the cursor is neither text nor a whole number`);
    }
    if (seen.has(found)) throw contractBroken(`${what}: the same cursor came twice`);
    seen.add(found);
    cursor = found as string | number;
  }
}

function absenceOf(cursor: unknown): Absence | undefined {
  if (cursor === undefined) return 'absent';
  if (cursor === null) return 'null';
  return cursor === '' ? 'empty' : undefined;
}
