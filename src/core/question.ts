import type { Instant, Microseconds } from './instant.ts';
import type { Window } from './window.ts';

/**
 * Whether a point at the very end of a question belongs to its answer. `unknown`: the vendor does not say, or its releases
 * differ.
 */
export type Bound = 'inclusive' | 'exclusive' | 'unknown';

/** How a platform is asked for a range of time. */
export interface QuestionFacts {
  readonly bounds: { readonly from: Bound; readonly to: Bound };
  /** The steps in which a question names instants, µs. */
  readonly resolution: Microseconds;
}

/**
 * The question whose answer holds every point of `window`, in whole steps of the platform. It begins a step earlier where a
 * point at its start may be left out. Its end needs no such step, because a window does not hold its own end.
 */
export function questionFor({ from, to }: Window, { bounds, resolution }: QuestionFacts): Window {
  const begin = stepAt(from, resolution);
  const end = stepAt(to, resolution);
  return {
    from: bounds.from === 'inclusive' ? begin : begin - resolution,
    to: end === to ? to : end + resolution,
  };
}

/** The time of which the answer to `questionFor(window)` may hold points. It says nothing of a platform that it holds more than the window. */
export function answerFor(window: Window, facts: QuestionFacts): Window {
  const { from, to } = questionFor(window, facts);
  return { from, to: facts.bounds.to === 'exclusive' ? to : to + facts.resolution };
}

/** The last step at or before an instant. By remainder, because a quotient of µs is not exact. */
const stepAt = (instant: Instant, step: Microseconds): Instant => instant - (((instant % step) + step) % step);
