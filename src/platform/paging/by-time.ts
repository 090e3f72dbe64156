import { contractBroken, tooMuchAtOnce } from '../../core/errors.ts';
import type { BridgeError } from '../../core/errors.ts';
import { formatInstant } from '../../core/instant.ts';
import type { Instant, Microseconds } from '../../core/instant.ts';
import type { Window } from '../../core/window.ts';
import { pageCount } from './pages.ts';
import type { Loop } from './pages.ts';

export interface TimeLoop<T> extends Loop {
  readonly window: Window;
  /**
   * Asks for at most `size` items with `from <= at < to`: the first ones where the order is ascending, the last ones where it is
   * descending. Items outside the window that come with them are dropped.
   */
  readonly ask: (window: Window, size: number) => Promise<readonly T[]>;
  readonly at: (item: T) => Instant;
  /** Which end of the window the platform gives first. The order inside a page does not matter. */
  readonly order: 'ascending' | 'descending';
  /** The platform's resolution of time. */
  readonly tick: Microseconds;
  /** How many items a page is asked to have at first, and at most. The platform must give that many where it has them. */
  readonly size: number;
  readonly cap: number;
  /** Tells items of one instant apart, to drop those that came before. Default: all of an item, as JSON. */
  readonly identity?: (item: T) => string;
}

/**
 * Items of a platform that says neither how many there are nor where to go on. A full page is followed by a question that begins
 * at its last instant, because more items of that instant may follow; what came before is dropped. Where one instant fills a
 * page, the page grows up to `cap`; then `too-much {oneInstant}`, because no shorter window helps. `contract-broken`: the items
 * of the last instant do not come again, so the platform does not begin where it is asked to.
 */
export async function* byTime<T>(loop: TimeLoop<T>): AsyncGenerator<readonly T[]> {
  const { ask, at, order, tick, cap, what, identity = JSON.stringify } = loop;
  const count = pageCount(loop);
  let { size, window } = loop;
  /** The instant at which the last page ended, and how often each of its items came so far. */
  let edge: Instant | undefined;
  let came = new Map<string, number>();

  for (;;) {
    count();
    const page = await ask(window, size);
    const inside = page.filter((item) => at(item) >= window.from && at(item) < window.to);
    if (edge !== undefined && !inside.some((item) => at(item) === edge)) {
      throw contractBroken(`${what}: asked from ${formatInstant(edge)} on, but no item of that instant came again`);
    }
    const fresh = withoutKnown(inside, came, (item) => (at(item) === edge ? identity(item) : undefined));
    if (fresh.length > 0) yield fresh;
    if (page.length < size) return;

    const reached = edgeOf(inside.map(at), order);
    if (reached === undefined || reached === edge) {
      if (size >= cap) throw stuck(loop, edge);
      size = Math.min(size * 2, cap);
    }
    if (reached === undefined) continue;
    const known = reached === edge ? came : new Map<string, number>();
    came = counted(
      fresh.filter((item) => at(item) === reached),
      known,
      identity,
    );
    edge = reached;
    window = order === 'ascending' ? { ...window, from: edge } : { ...window, to: edge + tick };
  }
}

/** The instant at which a page stops; undefined for a page without items. */
function edgeOf(instants: readonly Instant[], order: 'ascending' | 'descending'): Instant | undefined {
  const further = order === 'ascending' ? Math.max : Math.min;
  return instants.length === 0 ? undefined : instants.reduce((one, other) => further(one, other));
}

/** The items that did not come before: each one that did is dropped as often as it came. */
function withoutKnown<T>(
  items: readonly T[],
  came: ReadonlyMap<string, number>,
  keyOf: (item: T) => string | undefined,
): readonly T[] {
  const left = new Map(came);
  return items.filter((item) => {
    const key = keyOf(item);
    const times = key === undefined ? 0 : (left.get(key) ?? 0);
    if (key === undefined || times === 0) return true;
    left.set(key, times - 1);
    return false;
  });
}

function counted<T>(
  items: readonly T[],
  known: ReadonlyMap<string, number>,
  identity: (item: T) => string,
): Map<string, number> {
  const counts = new Map(known);
  for (const item of items) counts.set(identity(item), (counts.get(identity(item)) ?? 0) + 1);
  return counts;
}

function stuck<T>({ what, cap }: TimeLoop<T>, edge: Instant | undefined): BridgeError {
  if (edge !== undefined) return tooMuchAtOnce(`${what}: more than ${cap} items at ${formatInstant(edge)}`);
  return contractBroken(`${what}: a page of ${cap} items without one of the window that was asked for`);
}
