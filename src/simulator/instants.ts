import type { TruthPoint } from './truth.ts';

/** The whole microseconds of a point. A double holds them as a fraction of milliseconds until 2255. */
export const microsOf = ({ ts }: Pick<TruthPoint, 'ts'>): number => Math.round(ts * 1000);

/** Milliseconds since 1970 of whole microseconds, as a point holds them. */
export const millisOf = (micros: number): number => micros / 1000;

/** `2026-01-01T00:00:00.0000017Z`: the time of a point with `digits` digits behind the second, at most 7. */
export function isoOf({ ts, finer = 0 }: Pick<TruthPoint, 'ts' | 'finer'>, digits: number): string {
  const micros = microsOf({ ts });
  const second = Math.floor(micros / 1_000_000);
  const fraction = `${String(micros - second * 1_000_000).padStart(6, '0')}${finer}`.slice(0, digits);
  const whole = new Date(second * 1000).toISOString().slice(0, 19);
  return digits === 0 ? `${whole}Z` : `${whole}.${fraction}Z`;
}

/** The microseconds of an ISO time with any number of digits; what is finer than 100 ns is cut off. Undefined for other text. */
export function parseIso(text: string): { readonly micros: number; readonly finer: number } | undefined {
  const [, whole = '', fraction = '', zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const seconds = zone === undefined ? NaN : Date.parse(`${whole}${zone}`) / 1000;
  if (!Number.isInteger(seconds)) return undefined;
  const steps = Number(fraction.slice(0, 7).padEnd(7, '0'));
  return { micros: seconds * 1_000_000 + Math.floor(steps / 10), finer: steps % 10 };
}
