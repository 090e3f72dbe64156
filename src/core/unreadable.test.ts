import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coverageOf, subtract, union } from './coverage.ts';
import type { Coverage } from './coverage.ts';
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';
import { afterRead, afterUnread, nextRetryAt, unreadableTime, windowToRetry } from './unreadable.ts';
import type { Unreadable } from './unreadable.ts';

const WHOLE = { from: 0, to: 6 * HOUR };

/** Sets a window aside and asks for it again while stretches are due within `patience` from the begin. */
function bisect(bad: readonly number[], minWindow: number, patience: number) {
  let now = DAY;
  let stretches: readonly Unreadable[] = afterUnread([], WHOLE, { now, minWindow });
  let read: Coverage = [];
  let requests = 0;
  for (;;) {
    const window = windowToRetry(stretches, { now, length: DAY, underWay: [] });
    if (window === undefined) {
      const due = nextRetryAt(stretches);
      if (due === undefined || due > DAY + patience) return { stretches, read, requests };
      now = due;
      continue;
    }
    requests += 1;
    const isBad = bad.some((at) => window.from <= at && at < window.to);
    stretches = (isBad ? afterUnread : afterRead)(stretches, window, { now, minWindow });
    if (!isBad) read = union(read, [window]);
  }
}

test('a few bad instants are alone in the end, everything else is read, and both are always the whole', () =>
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 6 * 3_600 - 1 }), { minLength: 1, maxLength: 6 }), (seconds) => {
      const bad = seconds.map((second) => second * SECOND);
      // Several bad instants side by side may have all halves around them fail, and then halving waits.
      const { stretches, read, requests } = bisect(bad, SECOND, 2 * HOUR);
      expect(unreadableTime(stretches)).toEqual(coverageOf(bad.map((at) => ({ from: at, to: at + SECOND }))));
      expect(subtract([WHOLE], read)).toEqual(unreadableTime(stretches));
      // Each bad instant costs two requests for each of 15 halvings, and a few when it is asked for again.
      expect(requests).toBeLessThanOrEqual(bad.length * 40);
    }),
    { numRuns: 300 },
  ));

test('time of which nothing can be read costs few requests at once, and a bounded number after any time', () => {
  const everything = Array.from({ length: 6 * 360 }, (_, index) => index * 10 * SECOND);
  expect(bisect(everything, 10 * SECOND, 0).requests).toBeLessThan(16);
  const { requests, stretches, read } = bisect(everything, 10 * SECOND, DAY);
  // 500 stretches, each asked for once in six hours in the end.
  expect(requests).toBeLessThan(4_500);
  expect(stretches.length).toBeLessThanOrEqual(500);
  expect(read).toEqual([]);
  expect(unreadableTime(stretches)).toEqual([WHOLE]);
});

test('bad instants that come for ever are kept as a bounded number of stretches, and all of them once the platform is mended', () => {
  const minWindow = SECOND;
  let stretches: readonly Unreadable[] = [];
  const bad = Array.from({ length: 2_000 }, (_, index) => ({ from: index * MINUTE, to: index * MINUTE + SECOND }));
  for (const window of bad) stretches = afterUnread(stretches, window, { now: window.to, minWindow });
  expect(stretches.length).toBeLessThanOrEqual(500);
  expect(subtract(coverageOf(bad), unreadableTime(stretches))).toEqual([]);
  const now = 10 * DAY;
  for (let window = windowToRetry(stretches, { now, length: MINUTE, underWay: [] }); window !== undefined;) {
    stretches = afterRead(stretches, window, { now, minWindow });
    window = windowToRetry(stretches, { now, length: MINUTE, underWay: [] });
  }
  expect(stretches).toEqual([]);
});

test('a wait that lies further ahead than any that is set does not count', () => {
  const stretch = { from: 0, to: SECOND, tries: 9, retryAt: 10 * DAY };
  expect(windowToRetry([stretch], { now: DAY, length: DAY, underWay: [] })).toEqual({ from: 0, to: SECOND });
  const soon = { ...stretch, retryAt: DAY + HOUR };
  expect(windowToRetry([soon], { now: DAY, length: DAY, underWay: [] })).toBeUndefined();
});
