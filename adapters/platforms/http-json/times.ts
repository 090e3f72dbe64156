import {
  formatInstant,
  formatLocal,
  parseInstant,
  parseLocal,
  MILLISECOND,
  SECOND,
} from '../../../src/core/instant.ts';
import type { Instant } from '../../../src/core/instant.ts';
import { zoneOf } from '../../../src/core/zone.ts';
import type { HttpJsonSettings } from './options.ts';

/** An instant as the platform writes it in a question. Windows come in whole steps of its resolution, so nothing is cut. */
export function writtenTime(instant: Instant, { write, zone }: HttpJsonSettings['times']): string | number {
  switch (write) {
    case 'iso': {
      return zone === undefined ? formatInstant(instant) : withOffset(instant, zoneOf(zone).offsetAt(instant));
    }
    case 'local': {
      return formatLocal(instant);
    }
    case 's': {
      return instant / SECOND;
    }
    case 'ms': {
      return instant / MILLISECOND;
    }
    case 'us': {
      return instant;
    }
    case 'ns': {
      // Text, because a number of nanoseconds is beyond the doubles of JSON.
      return `${instant}000`;
    }
  }
}

function withOffset(instant: Instant, offset: number): string {
  const minutes = Math.round(Math.abs(offset) / (60 * SECOND));
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${formatLocal(instant + offset)}${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

const HAS_OFFSET = /(?:[zZ]|[+-]\d{2}(?::?\d{2})?)$/;
const DECIMAL = /^(-?\d+)(?:\.(\d+))?$/;

/** Digits behind the whole seconds at which the last microsecond stands, by unit. */
const DIGITS = { s: 6, ms: 3, us: 0, ns: -3 } as const;

/**
 * A time of an answer as instant, or NaN where it is none. Numbers may travel as text; digits beyond the microsecond are cut.
 * A number of nanoseconds that a double cannot hold is NaN.
 */
export function readTime(value: unknown, read: HttpJsonSettings['times']['read']): Instant {
  if (read === 'iso') return typeof value === 'string' && HAS_OFFSET.test(value) ? (parseInstant(value) ?? NaN) : NaN;
  if (read === 'local') return typeof value === 'string' ? (parseLocal(value) ?? NaN) : NaN;
  if (typeof value === 'number') return fromNumber(value, read);
  const [, whole = '', fraction = ''] = typeof value === 'string' ? (DECIMAL.exec(value) ?? []) : [];
  if (whole === '') return NaN;
  const digits = DIGITS[read];
  const steps = digits >= 0 ? `${whole}${fraction.slice(0, digits).padEnd(digits, '0')}` : whole.slice(0, digits);
  const instant = Number(steps);
  return Number.isSafeInteger(instant) ? instant : NaN;
}

function fromNumber(value: number, read: 's' | 'ms' | 'us' | 'ns'): Instant {
  if (read === 'ns') return Number.isSafeInteger(value) ? Math.floor(value / 1000) : NaN;
  const unit = { s: SECOND, ms: MILLISECOND, us: 1 }[read];
  const whole = Math.floor(value);
  const instant = whole * unit + Math.round((value - whole) * unit);
  return Number.isSafeInteger(instant) ? instant : NaN;
}
