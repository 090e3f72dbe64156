import { z } from 'zod';

/** Which ends of an asked window belong to it: a square bracket takes its end in, a round one leaves it out. */
export const windowBounds = z.enum(['[)', '[]', '(]', '()']);

/** A window as a client asked for it: the whole milliseconds `[fromMs, toMs)` around it, and whether it holds an instant. */
export interface AskedWindow {
  readonly fromMs: number;
  readonly toMs: number;
  holds(ts: number): boolean;
}

/** `from` and `to` are milliseconds since 1970, also fractions of one. */
export function askedWindow(bounds: z.output<typeof windowBounds>, from: number, to: number): AskedWindow {
  return {
    fromMs: Math.floor(from),
    toMs: Math.floor(to) + 1,
    holds: (ts) => (bounds.startsWith('[') ? from <= ts : from < ts) && (bounds.endsWith(']') ? ts <= to : ts < to),
  };
}
