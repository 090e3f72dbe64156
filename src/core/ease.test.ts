import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { afterAnswer, easeInWords, isSlow, shareAt, slowed, withinQuota } from './ease.ts';
import type { Ease, EaseReason, Latency } from './ease.ts';
import { HOUR, MILLISECOND, MINUTE, SECOND } from './instant.ts';
import { IDLE, reserve } from './pace.ts';
import type { Pace, PaceState } from './pace.ts';

const NOW = 1_000 * HOUR;
const PACE: Pace = { requestsPerSecond: 10, burst: 5, concurrency: 50, quietHours: [] };

const anEase = fc.record({
  share: fc.double({ min: 1 / 16, max: 0.99, noNaN: true }),
  at: fc.integer({ min: NOW - HOUR, max: NOW }),
  why: fc.constantFrom<EaseReason>('throttled', 'latency', 'unavailable', 'quota'),
});

describe('the part of the pace', () => {
  test('only grows with time, up to the agreed pace', () =>
    fc.assert(
      fc.property(anEase, fc.nat(HOUR), fc.nat(HOUR), (ease, early, more) => {
        const before = shareAt(ease, NOW + early);
        const after = shareAt(ease, NOW + early + more);
        expect(before).toBeGreaterThan(0);
        expect(after).toBeGreaterThanOrEqual(before);
        expect(after).toBeLessThanOrEqual(1);
      }),
    ));

  test('never grows by a sign or a quota, and stays the same object where nothing is new', () =>
    fc.assert(
      fc.property(
        fc.option(anEase, { nil: undefined }),
        fc.constantFrom('throttled' as const, 'latency' as const),
        fc.record({ remaining: fc.nat(1_000), reset: fc.integer({ min: 1, max: HOUR }) }),
        (ease, why, quota) => {
          const sign = slowed(ease, { now: NOW, sentAt: NOW, why });
          const bounded = withinQuota(ease, { now: NOW, quota, requestsPerSecond: 10 });
          for (const after of [sign, bounded]) {
            if (after === ease) continue;
            expect(shareAt(after, NOW)).toBeLessThanOrEqual(Math.max(1 / 16, shareAt(ease, NOW)));
            expect(shareAt(after, NOW)).toBeGreaterThan(0);
          }
        },
      ),
    ));

  test('is all of it where the slowing stems from a clock that was ahead, and a sign slows it anew', () => {
    const ahead: Ease = { share: 0.1, at: NOW + HOUR, why: 'latency' };
    expect(shareAt(ahead, NOW)).toBe(1);
    expect(slowed(ahead, { now: NOW, sentAt: NOW, why: 'throttled' })).toEqual({
      share: 0.5,
      at: NOW,
      why: 'throttled',
    });
  });

  test('falls once for all the signs of requests that left before', () => {
    const once = slowed(undefined, { now: NOW, sentAt: NOW - SECOND, why: 'throttled' }) as Ease;
    expect(once).toEqual({ share: 0.5, at: NOW, why: 'throttled' });
    expect(slowed(once, { now: NOW + MINUTE, sentAt: NOW + SECOND, why: 'latency' })).toBe(once);
    const twice = slowed(once, { now: NOW + MINUTE, sentAt: NOW + MINUTE, why: 'throttled' });
    expect(twice?.share).toBeCloseTo(0.375);
  });

  test('is told with its reason and its end', () => {
    const at = Date.UTC(2026, 10, 25, 12) * 1_000;
    const ease = { share: 0.5, at, why: 'throttled' } as const;
    expect(easeInWords(ease, at + MINUTE)).toBe(
      'at 75 % of the agreed rate since 2026-11-25T12:00:00Z, because the platform asked for fewer requests; all of it again 2026-11-25T12:02:00Z',
    );
    expect(easeInWords(ease, at + 5 * MINUTE)).toBeUndefined();
    expect(easeInWords(undefined, at)).toBeUndefined();
  });

  test('is as much as the rest of a quota allows', () => {
    const quota = { remaining: 100, reset: 100 * SECOND };
    const ease = withinQuota(undefined, { now: NOW, quota, requestsPerSecond: 10 });
    expect(ease).toEqual({ share: 0.1, at: NOW, why: 'quota' });
    expect(withinQuota(ease, { now: NOW + SECOND, quota, requestsPerSecond: 10 })).toBe(ease);
    expect(withinQuota(undefined, { now: NOW, quota, requestsPerSecond: 1 })).toBeUndefined();
  });
});

/** Requests that a platform gets in a minute from somebody who takes each slot there is. */
function requestsOfAMinute(ease: Ease | undefined, from: number): number[] {
  let state: PaceState = { ...IDLE, ease };
  const sent: number[] = [];
  for (let now = from; now < from + MINUTE;) {
    const answer = reserve(PACE, state, {
      now,
      lane: 'live',
      leaseId: 'one',
      leaseLength: 1,
      horizon: { live: SECOND, history: SECOND },
    });
    if (answer.kind === 'wait') {
      now = Math.max(now + 1, answer.askAgainAt);
      continue;
    }
    state = { ...answer.state, leases: [] };
    sent.push(answer.at);
    now = answer.at;
  }
  return sent;
}

test('slots lie as far apart as the part of the pace demands, and never closer than agreed', () => {
  const agreed = requestsOfAMinute(undefined, NOW).length;
  fc.assert(
    fc.property(anEase, (ease) => {
      const given = { ...ease, at: NOW };
      const eased = requestsOfAMinute(given, NOW).length;
      expect(eased).toBeLessThanOrEqual(agreed);
      const average = (shareAt(given, NOW) + shareAt(given, NOW + MINUTE)) / 2;
      expect(eased / agreed).toBeGreaterThan(average * 0.8);
      expect(eased / agreed).toBeLessThan(average * 1.1 + 0.02);
    }),
    { numRuns: 50 },
  );
});

describe('a platform is slow', () => {
  const after = (...answers: readonly number[]): Latency | undefined =>
    answers.reduce<Latency | undefined>((latency, took) => afterAnswer(latency, took * MILLISECOND), undefined);
  const times = (count: number, took: number): number[] => Array<number>(count).fill(took);

  test.each([
    ['where it takes half as long again as it did', [...times(100, 200), ...times(20, 300)], true],
    ['not where one answer takes long', [...times(100, 200), 400], false],
    ['not where a few ms are half as long again', [...times(100, 20), ...times(20, 30)], false],
    ['not before it has answered often', times(5, 100).concat(times(5, 900)), false],
    ['not for ever, where it is slower for good', [...times(100, 200), ...times(10_000, 300)], false],
  ])('%s', (_when, answers, slow) => expect(isSlow(after(...answers) as Latency)).toBe(slow));
});
