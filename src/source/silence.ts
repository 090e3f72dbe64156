import { counted } from '../core/counted.ts';

/** What the last look at its sensors said of a source. */
export interface Silence {
  readonly sensors: number;
  /** Those that are silent by their own rhythm, and how many of these have never given a reading. */
  readonly silent: number;
  readonly never: number;
  /** Those of the silent ones that an operator muted. */
  readonly muted: number;
}

/** SQL: the `Silence` of a row of `source`; null before the first look. */
export const SILENCE = `(
  select jsonb_build_object('sensors', sensors, 'silent', silent, 'never', never, 'muted', muted) from freshness where freshness.source_id = source.id)`;

/** `2 of 3 sensors silent, 1 of them has never given a reading`. */
export function silenceInWords({ muted, ...silence }: Silence): string {
  return muted === 0 ? countsInWords(silence) : `${countsInWords(silence)}; ${muted} of the silent ones muted`;
}

function countsInWords({ sensors, silent, never }: Omit<Silence, 'muted'>): string {
  // A sensor may have become silent since the look that counted.
  const counts = `${Math.max(1, silent)} of ${counted(sensors, 'sensor')} silent`;
  if (never === 0) return sensors === 1 ? 'its sensor has no new reading' : counts;
  if (never === sensors)
    return sensors === 1 ? 'its sensor has never given a reading' : 'no sensor has ever given a reading';
  return `${counts}, ${never} of them ${never === 1 ? 'has' : 'have'} never given a reading`;
}
