import type { Microseconds } from './instant.ts';
import { lengthOf } from './window.ts';
import type { Window } from './window.ts';

/**
 * The set of time already fetched and handed over, in canonical form: windows in order of time, none empty, no two
 * overlapping or touching. All functions here but `coverageOf` take this form, and all that return a coverage return
 * it.
 */
export type Coverage = readonly Window[];

/** Windows in any order, overlapping or empty ones included → the coverage they make together. */
export function coverageOf(windows: Iterable<Window>): Coverage {
  const ordered = [...windows].filter((window) => window.from < window.to);
  return join(ordered.toSorted((a, b) => a.from - b.from));
}

/** Windows in order of `from` → canonical form. */
function join(ordered: Iterable<Window>): Coverage {
  const joined: Window[] = [];
  let last: Window | undefined;
  for (const window of ordered) {
    if (last !== undefined && window.from <= last.to) {
      if (window.to <= last.to) continue;
      last = { from: last.from, to: window.to };
      joined[joined.length - 1] = last;
    } else {
      last = window;
      joined.push(window);
    }
  }
  return joined;
}

/** The time that `a` or `b` covers. */
export const union = (a: Coverage, b: Coverage): Coverage => join(inOrder(a, b));

function* inOrder(a: Coverage, b: Coverage): Iterable<Window> {
  let other = 0;
  for (const window of a) {
    for (let next = b[other]; next !== undefined && next.from < window.from; next = b[++other]) yield next;
    yield window;
  }
  yield* b.slice(other);
}

/** The time that `a` covers and `b` does not. */
export function subtract(a: Coverage, b: Coverage): Coverage {
  const remaining: Window[] = [];
  let position = 0;
  for (const window of a) {
    let from = window.from;
    for (let next = b[position]; next !== undefined && next.from < window.to; next = b[++position]) {
      if (next.from > from) remaining.push({ from, to: next.from });
      from = Math.max(from, next.to);
      // This window of `b` may reach into the next window of `a`, too, so it is looked at again.
      if (next.to >= window.to) break;
    }
    if (from < window.to) remaining.push({ from, to: window.to });
  }
  return remaining;
}

/** The part of a coverage inside one window. */
export function intersect(coverage: Coverage, window: Window): Coverage {
  const inside: Window[] = [];
  for (const each of coverage) {
    const from = Math.max(each.from, window.from);
    const to = Math.min(each.to, window.to);
    if (from < to) inside.push({ from, to });
  }
  return inside;
}

/** The time of `within` that is not covered; none where `within` is empty or reversed. */
export const missing = (within: Window, coverage: Coverage): Coverage => subtract([within], coverage);

/** Whether every instant of the window is covered. */
export const covers = (coverage: Coverage, window: Window): boolean =>
  coverage.some((each) => each.from <= window.from && window.to <= each.to);

export const totalLength = (coverage: Coverage): Microseconds =>
  coverage.reduce((sum, window) => sum + lengthOf(window), 0);

export const equal = (a: Coverage, b: Coverage): boolean =>
  a.length === b.length && a.every((window, index) => window.from === b[index]?.from && window.to === b[index]?.to);
