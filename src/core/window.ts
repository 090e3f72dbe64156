import { formatInstant } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';

/** A half-open range of time `[from, to)`. `from` is always before `to`. */
export interface Window {
  readonly from: Instant;
  readonly to: Instant;
}

export const lengthOf = (window: Window): Microseconds => window.to - window.from;

export const holds = (window: Window, instant: Instant): boolean => instant >= window.from && instant < window.to;

/** `2026-11-21T08:00:00Z/2026-11-21T09:00:00Z`, the ISO 8601 interval, for logs and messages. */
export const formatWindow = (window: Window): string => `${formatInstant(window.from)}/${formatInstant(window.to)}`;
