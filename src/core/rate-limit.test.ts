import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR, SECOND, parseInstant } from './instant.ts';
import { quotaOf } from './rate-limit.ts';

const NOW = parseInstant('2026-11-25T12:00:00Z') ?? 0;
const EPOCH = NOW / SECOND;
const read = (headers: Readonly<Record<string, string>>) => quotaOf((name) => headers[name], NOW);

test.each([
  ['a header for each number', { 'ratelimit-remaining': '7', 'ratelimit-reset': '30' }, 7, 30],
  ['X-RateLimit in seconds from now', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '5' }, 0, 5],
  ['X-RateLimit as seconds since 1970', { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': `${EPOCH + 60}` }, 7, 60],
  ['X-RateLimit as ms since 1970', { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': `${EPOCH + 2}500` }, 7, 2.5],
  ['the structured form', { ratelimit: '"default";r=50;t=30' }, 50, 30],
  ['the policy that lasts shortest', { ratelimit: '"hour;r=1;t=9";r=500;t=3000, "burst" ; r=1 ; t=10' }, 1, 10],
  ['a number with parameters behind it', { 'ratelimit-remaining': '3', 'ratelimit-reset': '4;w=60' }, 3, 4],
])('%s', (_form, headers: Record<string, string>, remaining, seconds) =>
  expect(read(headers)).toEqual({ remaining, reset: seconds * SECOND }),
);

test.each<[string, string | undefined, string | undefined]>([
  ['no reset', '7', undefined],
  ['no rest', undefined, '7'],
  ['no number', 'seven', '7'],
  ['a negative one', '-1', '7'],
  ['a date', '7', 'Wed, 25 Nov 2026 12:00:30 GMT'],
  ['now', '7', '0'],
  ['the past', '7', `${EPOCH - 60}`],
  ['more than an hour ahead', '7', '86400'],
  ['a year ahead', '7', `${EPOCH + 31_536_000}`],
  ['a huge number', '7', '9'.repeat(400)],
  ['infinity', 'Infinity', '1e3'],
])('%s is ignored', (_what, remaining, reset) => {
  const headers = { 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset } as Record<string, string>;
  expect(read(headers)).toBeUndefined();
});

test('nothing that a platform says makes more of it than a rest and a reset within an hour', () =>
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (ratelimit, remaining, reset) => {
      const found = read({ ratelimit, 'ratelimit-remaining': remaining, 'ratelimit-reset': reset });
      if (found === undefined) return;
      expect(found.remaining).toBeGreaterThanOrEqual(0);
      expect(found.reset).toBeGreaterThan(0);
      expect(found.reset).toBeLessThanOrEqual(HOUR);
    }),
  ));
