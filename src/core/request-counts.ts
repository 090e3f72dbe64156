import { MINUTE, SECOND } from './instant.ts';
import type { Instant } from './instant.ts';

/** The work that a request was sent for. `login`: to get, renew or give back a token, in whichever lane. */
export const REQUEST_KINDS = ['live', 'history', 'look', 'login'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** The fields of a minute, as they stand in the text. A new one goes to the end, because stored texts stay. */
const FIELDS = [...REQUEST_KINDS, 'failed'] as const;
type Field = (typeof FIELDS)[number];

/** Requests of each kind. Those that `failed` are among the others: no answer came, or one with a status from 400 on. */
export type RequestTally = Readonly<Record<Field, number>>;

/** The minutes of the last hour, with the one under way. */
export const MINUTES_COUNTED = 60;

/** A slot may lie a few seconds ahead and so in the next minute, and then the oldest of the last hour must stay. */
const MINUTES_KEPT = MINUTES_COUNTED + 1;

/**
 * The newest minute may be so far ahead of a request, because hosts see the clock a little apart and a slow database delays
 * requests. One that is further ahead stems from a clock that was wrong, and is forgotten.
 */
const MOST_AHEAD = 10;

/** The seconds that are counted singly, the newest included: hosts see the clock 2 s apart, and a slot may lie 5 s ahead. */
const SECONDS_KEPT = 10;

/**
 * The requests of a source in the last hour as a short text, because it is written with every slot: the number of its newest
 * minute since 1970, `|`, and the minutes, the newest last, each as its fields and the requests of its fullest second; then `|`, the number of
 * the newest second, and the requests of the last seconds, the newest last. Zeros are empty: `29684402|5,,,,,2;1,,,1,2,1|1781064179,1,,1`.
 */
export type RequestCounts = string;

/** Counts a request in the minute of `at`. */
export function countRequest(counts: RequestCounts | undefined, at: Instant, kind: RequestKind): RequestCounts {
  const minute = Math.floor(at / MINUTE);
  const [minutes, seconds] = apart(counts);
  const counted = countSecond(seconds, Math.floor(at / SECOND));
  const most = counted.requests;
  return `${withMore(reaching(minutes, minute), { minute, field: kind, by: 1, most })}|${counted.seconds}`;
}

/**
 * Corrects the count of a request that was counted at `at` and has ended so. A minute that is no longer kept stays away. The fullest
 * second keeps one that was not sent: at most so many left.
 */
export function countEnd(
  counts: RequestCounts | undefined,
  { at, kind, ending }: { readonly at: Instant; readonly kind: RequestKind; readonly ending: 'failed' | 'unsent' },
): RequestCounts | undefined {
  const minute = Math.floor(at / MINUTE);
  if (counts === undefined) return undefined;
  const [minutes, seconds] = apart(counts);
  const more = ending === 'failed' ? ({ field: 'failed', by: 1 } as const) : ({ field: kind, by: -1 } as const);
  return `${withMore(minutes, { minute, ...more })}${seconds === '' ? '' : `|${seconds}`}`;
}

/** The requests of each of the last `MINUTES_COUNTED` minutes up to `now`, the oldest first. */
export function requestsByMinute(counts: RequestCounts | undefined, now: Instant): RequestTally[] {
  const minutes = minutesOf(counts);
  const last = Math.floor(now / MINUTE);
  return Array.from({ length: MINUTES_COUNTED }, (_, index) => {
    const minute = last - MINUTES_COUNTED + 1 + index;
    // A slot of the next minute counts already, because it is only seconds ahead.
    const tally = tallyOf(rowOf(minutes, minute));
    return minute === last ? sumOfRequests([tally, tallyOf(rowOf(minutes, minute + 1))]) : tally;
  });
}

/** The requests of all kinds in the last `MINUTES_COUNTED` minutes up to `now`, for a ranking of many texts. */
export function requestsOfHour(counts: RequestCounts | undefined, now: Instant): number {
  const { newest, rows } = minutesOf(counts);
  const last = Math.floor(now / MINUTE);
  let sum = 0;
  for (const [index, row] of rows.entries()) {
    const minute = newest - (rows.length - 1 - index);
    if (row === '' || minute <= last - MINUTES_COUNTED || minute > last + 1) continue;
    const fields = row.split(',', REQUEST_KINDS.length);
    for (const field of fields) sum += Number(field);
  }
  return sum;
}

/** The sums of several minutes or sources. */
export const sumOfRequests = (tallies: readonly RequestTally[]): RequestTally =>
  tallyFrom((field) => tallies.reduce((sum, tally) => sum + tally[field], 0));

/** The requests of all kinds. */
export const requestsIn = (tally: RequestTally): number => REQUEST_KINDS.reduce((sum, kind) => sum + tally[kind], 0);

/** Requests of an hour, by kind, and in its fullest minute. */
export interface HourOfRequests extends RequestTally {
  readonly all: number;
  readonly fullestMinute: number;
}

export function hourOf(minutes: readonly RequestTally[]): HourOfRequests {
  const tally = sumOfRequests(minutes);
  return { all: requestsIn(tally), ...tally, fullestMinute: Math.max(0, ...minutes.map(requestsIn)) };
}

/** The minutes of a text; the newest row is the last. */
interface Minutes {
  readonly newest: number;
  readonly rows: readonly string[];
}

interface More {
  readonly minute: number;
  readonly field: Field;
  readonly by: 1 | -1;
  /** The requests of one of its seconds. */
  readonly most?: number;
}

/** The minutes and the seconds of a text. */
function apart(counts: RequestCounts = ''): readonly [minutes: string, seconds: string] {
  const end = counts.indexOf('|', counts.indexOf('|') + 1);
  return end < 0 ? [counts, ''] : [counts.slice(0, end), counts.slice(end + 1)];
}

/** Counts a request of a second. One that is too old to be kept begins anew, because the newest stems from a clock that was ahead. */
function countSecond(seconds: string, second: number): { readonly seconds: string; readonly requests: number } {
  const [newest = second, ...kept] = seconds === '' ? [] : seconds.split(',').map(Number);
  if (Math.abs(second - newest) >= SECONDS_KEPT) return { seconds: `${second},1`, requests: 1 };
  const last = Math.max(newest, second);
  const counts = Array.from(
    { length: SECONDS_KEPT },
    (_, back) => kept[kept.length - 1 - (newest - (last - back))] ?? 0,
  );
  const requests = (counts[last - second] ?? 0) + 1;
  counts[last - second] = requests;
  const first = counts.findLastIndex((count) => count > 0);
  const text = counts.slice(0, first + 1).map((count) => count || '');
  return { seconds: [last, ...text.toReversed()].join(','), requests };
}

function minutesOf(counts: RequestCounts | undefined): Minutes {
  const [newest = '', rows] = (counts ?? '').split('|');
  return { newest: Number(newest), rows: rows === undefined ? [] : rows.split(';') };
}

/** The row of a minute; empty where it has none. */
const rowOf = ({ newest, rows }: Minutes, minute: number): string => rows[rows.length - 1 - (newest - minute)] ?? '';

/** The counts with a row for `minute`, which is mostly the newest one. Once a minute there is one more, and old ones go. */
function reaching(counts: string, minute: number): string {
  if (counts.startsWith(`${minute}|`)) return counts;
  const minutes = minutesOf(counts);
  const ahead = minutes.newest - minute;
  const newest = ahead > 0 && ahead <= MOST_AHEAD ? minutes.newest : minute;
  const kept = Array.from({ length: MINUTES_KEPT }, (_, index) => newest - MINUTES_KEPT + 1 + index);
  const rows = kept.map((each) => rowOf(minutes, each));
  const first = rows.findIndex((row, index) => row !== '' || kept[index] === minute);
  return `${newest}|${rows.slice(first).join(';')}`;
}

/** Changes one row; nothing where the minute has none. Mostly it is the newest one, and the others need not be read. */
function withMore(counts: string, { minute, field, by, most = 0 }: More): string {
  const ago = Number.parseInt(counts, 10) - minute;
  if (ago < 0) return counts;
  let end = counts.length;
  for (let back = 0; back < ago; back += 1) {
    end = counts.lastIndexOf(';', end - 1);
    if (end < 0) return counts;
  }
  const begin = Math.max(counts.lastIndexOf(';', end - 1), counts.indexOf('|')) + 1;
  const numbers = counts.slice(begin, end).split(',').map(Number);
  const place = FIELDS.indexOf(field);
  numbers[place] = Math.max(0, (numbers[place] ?? 0) + by);
  if (most > (numbers[FIELDS.length] ?? 0)) numbers[FIELDS.length] = most;
  return counts.slice(0, begin) + rowFrom(numbers) + counts.slice(end);
}

/** Not by `map`, which leaves places out that were never written. */
const rowFrom = (numbers: readonly number[]): string =>
  Array.from(numbers, (number) => number || '')
    .join(',')
    .replace(/,+$/, '');

function tallyOf(row: string): RequestTally {
  // Most minutes of most sources have no request, and an hour of ten thousand sources is read at a time.
  if (row === '') return NO_REQUESTS;
  const numbers = row.split(',');
  return tallyFrom((_, index) => Number(numbers[index] ?? 0));
}

function tallyFrom(countOf: (field: Field, index: number) => number): RequestTally {
  const tally: Partial<Record<Field, number>> = {};
  for (const [index, field] of FIELDS.entries()) tally[field] = countOf(field, index);
  return tally as RequestTally;
}

const NO_REQUESTS: RequestTally = tallyFrom(() => 0);
