/** Times and numbers in the browser's language, and in its zone or in UTC: one switch for lists, pickers and charts. */
import { useEffect, useState } from 'preact/hooks';
import { bridgeNow } from './api.ts';

const KEPT = 'databridge-zone';
let isUtc = localStorage.getItem(KEPT) === 'UTC';
const watchers = new Set<() => void>();

/** The zone in which times are shown. */
export const zone = (): string => (isUtc ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone);

export function switchZone(): void {
  isUtc = !isUtc;
  localStorage.setItem(KEPT, isUtc ? 'UTC' : 'browser');
  for (const act of watchers) act();
}

export function useZone(): string {
  const [shown, show] = useState(zone());
  useEffect(() => {
    const act = (): void => show(zone());
    watchers.add(act);
    return () => void watchers.delete(act);
  }, []);
  return shown;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone()} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat(undefined, { timeZone: zone(), ...options });
  formats.set(key, known);
  return known;
}

const DATE = { year: 'numeric', month: 'short', day: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

export const clockOf = (at: string | number): string => formatOf(CLOCK).format(new Date(at));
export const momentOf = (at: string | number): string =>
  formatOf({ ...DATE, ...CLOCK, second: '2-digit' }).format(new Date(at));
/** Both ends of a range, with what they share written once. */
export const rangeOfMoments = (from: string, to: string): string =>
  formatOf({ ...DATE, ...CLOCK, second: '2-digit' }).formatRange(new Date(from), new Date(to));
export const dayOf = (at: string | number): string => formatOf({ month: 'short', day: 'numeric' }).format(new Date(at));

const fieldFormats = new Map<string, Intl.DateTimeFormat>();

/** The calendar and the digits of fields are those of the API, whatever the language of the browser. */
function fieldFormat(): Intl.DateTimeFormat {
  const known =
    fieldFormats.get(zone()) ??
    new Intl.DateTimeFormat('en-GB-u-ca-gregory-nu-latn', {
      timeZone: zone(),
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      ...CLOCK,
    });
  fieldFormats.set(zone(), known);
  return known;
}

/** `2026-11-22 10:00` in the zone that is shown, as the texts of selections and fields have it. */
export function fieldOf(at: number): string {
  const parts = fieldFormat().formatToParts(new Date(at));
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}`;
}

/** The instant of a text such as `2026-11-22 10:00` in the zone that is shown, ms; undefined where it is none. */
export function instantOfField(text: string): number | undefined {
  const found = /^\s*(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d))?\s*$/.exec(text);
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = found.slice(1).map((part) => Number(part ?? 0));
  const wall = Date.UTC(year, month - 1, day, hour, minute);
  if (new Date(wall).getUTCDate() !== day || hour > 23 || minute > 59) return undefined;
  // The offset may differ on either side of a change of the clocks, so the first guess is corrected once.
  const offset = (at: number): number => wallOf(at) - at;
  const first = wall - offset(wall);
  const second = wall - offset(first);
  return wallOf(second) === wall ? second : first;
}

/** The clock on the wall at an instant, as if it were UTC, ms, without its seconds. */
function wallOf(at: number): number {
  const text = fieldOf(at);
  return Date.parse(`${text.replace(' ', 'T')}:00Z`) + (((at % 60_000) + 60_000) % 60_000);
}

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const fraction = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 6 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

export const numberOf = (value: number): string => whole.format(value);
export const compactOf = (value: number): string =>
  Math.abs(value) < 10_000 ? whole.format(value) : compact.format(value);
export const valueOf = (value: number): string => fraction.format(value);
export const shareOf = (share: number): string => percent.format(share);

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** `2 h 5 min`: the two largest units of a length in seconds. */
export function lengthOf(seconds: number): string {
  if (seconds < 1) return seconds <= 0 ? '0 s' : '< 1 s';
  let rest = Math.round(seconds);
  const parts: string[] = [];
  for (const [size, unit] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${whole.format(count)} ${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ');
}

/** `3 min`: how long ago by the clock of the bridge. */
export const ageOf = (at: string): string => lengthOf(Math.max(0, (bridgeNow() - Date.parse(at)) / 1_000));

const BYTES = ['B', 'kB', 'MB', 'GB', 'TB'];

export function bytesOf(count: number): string {
  const power = count < 1_000 ? 0 : Math.min(BYTES.length - 1, Math.floor(Math.log10(count) / 3));
  return `${new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 }).format(count / 1_000 ** power)} ${BYTES[power]}`;
}
