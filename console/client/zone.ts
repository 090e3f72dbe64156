/** Times and numbers in the browser's language, and in its zone or in UTC: one switch for lists, pickers and charts. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { bridgeNow } from './api.ts';
import { doubledOffset, instantOfWallText, wallText } from './wall-clock.ts';

const KEPT = 'databridge-zone';
let isUtc = localStorage.getItem(KEPT) === 'UTC';
const watchers = new Set<() => void>();

const own = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone in which times are shown. */
export const zone = (): string => (isUtc ? 'UTC' : own);

export function switchZone(): void {
  isUtc = !isUtc;
  localStorage.setItem(KEPT, isUtc ? 'UTC' : 'browser');
  for (const act of watchers) act();
}

export function useZone(): string {
  const [shown, show] = useState(zone());
  useLayoutEffect(() => {
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

/** Where the clock shows a time twice, the offset tells one from the other. */
const withOffset = (text: string, at: string | number): string =>
  [text, doubledOffset(zone(), new Date(at).getTime())].filter(Boolean).join(' ');

export const clockOf = (at: string | number): string => withOffset(formatOf(CLOCK).format(new Date(at)), at);
export const momentOf = (at: string | number): string =>
  withOffset(formatOf({ ...DATE, ...CLOCK, second: '2-digit' }).format(new Date(at)), at);
/** Both ends of a range, with what they share written once, and seconds where one of them has some. */
export function rangeOfMoments(from: string, to: string): string {
  const ends = [new Date(from), new Date(to)] as const;
  const isWhole = ends.every((end) => end.getTime() % 60_000 === 0);
  const format = formatOf({ ...DATE, ...CLOCK, ...(!isWhole && { second: '2-digit' }) });
  const isDoubled = ends.some((end) => doubledOffset(zone(), end.getTime()) !== '');
  return isDoubled
    ? ends.map((end) => withOffset(format.format(end), end.getTime())).join(' – ')
    : format.formatRange(...ends);
}
export const dayOf = (at: string | number): string => formatOf({ month: 'short', day: 'numeric' }).format(new Date(at));

/** `2026-11-22 10:00` in the zone that is shown, as the texts of selections and fields have it. */
export const fieldOf = (at: number): string => wallText(zone(), at);

/** The instant of such a text in the zone that is shown, ms; undefined where it is none. */
export const instantOfField = (text: string): number | undefined => instantOfWallText(zone(), text);

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

/** `1 min 30 s`: a length as the file of a source has it, such as `1m30s`. */
export const durationOf = (text: string): string =>
  [...text.matchAll(/(\d+)(\D+)/g)].map(([, count, unit]) => `${count} ${unit === 'm' ? 'min' : unit}`).join(' ');

/** `3 min`: how long ago by the clock of the bridge. */
export const ageOf = (at: string): string => lengthOf(Math.max(0, (bridgeNow() - Date.parse(at)) / 1_000));

const BYTES = ['B', 'kB', 'MB', 'GB', 'TB'];

export function bytesOf(count: number): string {
  const power = count < 1_000 ? 0 : Math.min(BYTES.length - 1, Math.floor(Math.log10(count) / 3));
  return `${new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 }).format(count / 1_000 ** power)} ${BYTES[power]}`;
}
