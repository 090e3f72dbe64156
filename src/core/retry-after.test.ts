import { describe, expect, it } from 'vitest';
import { DAY, MILLISECOND, MINUTE, SECOND, parseInstant } from './instant.ts';
import { parseRetryAfter, parseRetryAfterMs } from './retry-after.ts';

const now = parseInstant('2026-11-21T08:00:00Z') as number;
const platformDate = 'Sat, 21 Nov 2015 08:01:00 GMT';

describe('Retry-After', () => {
  it.each([
    ['30', undefined, 30 * SECOND],
    [' 1.5 ', undefined, 1.5 * SECOND],
    ['1', undefined, SECOND],
    ['1.25', undefined, 1.25 * SECOND],
    ['99999999', undefined, DAY],
    ['Sat, 21 Nov 2015 08:02:00 GMT', platformDate, MINUTE],
    ['Sat, 21 Nov 2015 08:02:00 GMT', ` ${platformDate} `, MINUTE],
    ['Sat, 21 Nov 2026 08:01:00 GMT', undefined, MINUTE],
    ['Sat, 21 Nov 2026 08:01:00 GMT', 'not a date', MINUTE],
    ['Saturday, 21-Nov-26 08:01:00 GMT', undefined, MINUTE],
    ['Sat Nov 21 08:01:00 2026', undefined, MINUTE],
    ['Sun Mar  1 08:01:00 2015', 'Sun, 01 Mar 2015 08:00:00 GMT', MINUTE],
    ['Saturday, 21-Nov-76 08:00:00 GMT', undefined, DAY],
    ['Sun Nov  1 08:01:00 2015', 'Sun, 01 Nov 2015 08:00:00 GMT', MINUTE],
  ])('%j beside the date %j asks for %i µs', (header, date, wait) => {
    expect(parseRetryAfter(header, date, now)).toBe(wait);
  });

  it.each([
    undefined,
    '',
    'soon',
    'Sunday, 21-Nov-77 08:00:00 GMT',
    '-1',
    '0',
    '0.9',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sat, 21 Nov 2015 08:01:00 GMT',
    'Sat, 21 Nov 2026 08:00:00 GMT',
    '1e3',
    '2026-11-21T08:01:00Z',
    'Sat, 31 Feb 2026 08:01:00 GMT',
    'Sat, 21 Nov 2026',
  ])('%j names no wait', (header) => {
    expect(parseRetryAfter(header, undefined, now)).toBeUndefined();
  });

  it.each([
    ['1.5', undefined, 1_500],
    ['Sat, 21 Nov 2026 08:01:00 GMT', undefined, 60_000],
    ['Sat, 21 Nov 2015 08:02:00 GMT', platformDate, 60_000],
    ['soon', undefined, undefined],
  ])('%j beside the date %j asks a clock of milliseconds for %s', (header, date, wait) => {
    expect(parseRetryAfterMs(header, date, now / MILLISECOND)).toBe(wait);
  });
});
