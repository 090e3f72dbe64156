import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coverageOf, intersect, subtract, union } from './coverage.ts';
import type { Coverage } from './coverage.ts';
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';
import { looksOwed } from './look-back.ts';
import { edgeOf, plan } from './plan.ts';
import type { Policy } from './plan.ts';
import type { Window } from './window.ts';

/** What live asks once more for late data, and what the bridge owes where live does not ask. */

const policy: Policy = { start: 0, settle: 30 * SECOND, align: SECOND, overlap: 5 * MINUTE, maxWindow: DAY };
const look = { ...policy, lookBackAtMost: 0 };

test('live asks again for a point that comes up to the overlap late, and looks back only a few times in every overlap', () => {
  const every = 7 * SECOND;
  let coverage: Coverage = [{ from: 0, to: HOUR }];
  const lastAsked = new Map<number, number>();
  const probes = Array.from({ length: 100 }, (_, index) => HOUR + index * 5 * SECOND);
  let lookBacks = 0;
  for (let now = HOUR + 31 * SECOND; now < 2 * HOUR; now += every) {
    const end = coverage.at(-1)?.to ?? 0;
    const windows = plan({ policy, coverage, now, lane: 'live', learned: HOUR, look });
    if (windows.some((window) => window.from < end)) lookBacks += 1;
    for (const probe of probes) {
      if (windows.some((window) => probe >= window.from && probe < window.to))
        lastAsked.set(probe, edgeOf(policy, now));
    }
    // Live asks for the whole look in one window, so that no request is owed.
    for (const window of windows) expect(looksOwed(look, coverage, window)).toEqual([]);
    coverage = union(coverage, windows);
  }
  expect(coverage).toHaveLength(1);
  for (const probe of probes)
    expect((lastAsked.get(probe) ?? 0) - probe).toBeGreaterThanOrEqual(policy.overlap - every);
  expect(lookBacks).toBeLessThanOrEqual((4 * HOUR) / policy.overlap + 1);
});

test('after a downtime live asks for the newest window alone, and owes the overlap before the gap', () => {
  const coverage = [{ from: 0, to: 20 * HOUR }];
  const now = 30 * HOUR + policy.settle;
  const windows = plan({ policy, coverage, now, lane: 'live', learned: HOUR, look });
  expect(windows).toEqual([{ from: 29 * HOUR, to: 30 * HOUR }]);
  // The look reaches over the gap, too. The windows with which history fills the gap settle that part.
  const overlapAndStep = { from: 20 * HOUR - (policy.overlap * 5) / 4, to: 29 * HOUR };
  expect(windows.map((window) => looksOwed(look, coverage, window))).toEqual([[overlapAndStep]]);
});

test('live asks for as much of the overlap as its window has room for, and owes the rest', () => {
  const coverage = [{ from: 0, to: HOUR }];
  const now = HOUR + 2 * MINUTE + policy.settle;
  const asked = (learned: number) => plan({ policy, coverage, now, lane: 'live', learned, look });
  expect(asked(4 * MINUTE)).toEqual([{ from: HOUR - 2 * MINUTE, to: HOUR + 2 * MINUTE }]);
  expect(asked(4 * MINUTE).map((window) => looksOwed(look, coverage, window))).toEqual([
    [{ from: HOUR - (policy.overlap * 5) / 4, to: HOUR - 2 * MINUTE }],
  ]);
  expect(asked(2 * MINUTE)).toEqual([{ from: HOUR, to: HOUR + 2 * MINUTE }]);
});

test('live asks for no covered time before a gap or unreadable time, nor where no look is owed', () => {
  const now = HOUR + 2 * MINUTE + policy.settle;
  const request = { policy, now, lane: 'live' as const, learned: HOUR, look };
  const edge = { from: HOUR, to: HOUR + 2 * MINUTE };
  const unreadable = [{ from: HOUR - MINUTE, to: HOUR }];
  const coverage = [{ from: 0, to: HOUR }];
  expect(plan({ ...request, coverage, unreadable })).toEqual([edge]);
  expect(plan({ ...request, coverage: [{ from: HOUR - MINUTE, to: HOUR }] })).toEqual([
    { from: HOUR - MINUTE, to: HOUR + 2 * MINUTE },
  ]);
  expect(plan({ ...request, coverage, look: { ...look, overlap: 0 } })).toEqual([edge]);
  expect(plan({ ...request, coverage, look: { ...look, start: HOUR - SECOND, looksFrom: HOUR } })).toEqual([
    { from: HOUR - SECOND, to: HOUR + 2 * MINUTE },
  ]);
  expect(looksOwed({ ...look, overlap: 0 }, coverage, edge)).toEqual([]);
});

test('every point that comes up to the overlap late is found, whatever polls, runs, kills and gaps come between', () => {
  const step = fc.oneof(
    fc.record({ does: fc.constant('live' as const), after: fc.integer({ min: 0, max: 90 }) }),
    // A process that is killed before its commit asked in vain.
    fc.record({ does: fc.constant('killed' as const), after: fc.integer({ min: 0, max: 90 }) }),
    fc.record({ does: fc.constantFrom('gap' as const, 'look' as const), after: fc.integer({ min: 0, max: 9 }) }),
    fc.record({ does: fc.constant('down' as const), after: fc.integer({ min: 0, max: 900 }) }),
  );
  const small = fc.record({
    start: fc.integer({ min: 0, max: 500 }),
    settle: fc.integer({ min: 0, max: 30 }),
    align: fc.integer({ min: 1, max: 20 }),
    overlap: fc.integer({ min: 1, max: 150 }),
    maxWindow: fc.constant(500),
  });
  fc.assert(
    fc.property(
      small,
      fc.integer({ min: 1, max: 250 }),
      fc.array(step, { minLength: 1, maxLength: 40 }),
      fc.array(fc.tuple(fc.nat({ max: 3_000 }), fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 40 }),
      fc.constantFrom('newest' as const, 'oldest' as const),
      (given, learned, steps, drawn, order) => {
        const points = drawn.map(([at, share]) => ({ at, comes: at + Math.floor(share * given.overlap) }));
        const found = new Set<number>();
        let [now, coverage, owed]: [number, Coverage, Coverage] = [600, [], []];
        const request = () => ({ policy: given, coverage, now, learned });
        const windowOf = (does: string): Window | undefined => {
          if (does === 'live') return plan({ ...request(), lane: 'live', look: { ...given, lookBackAtMost: 0 } })[0];
          if (does === 'gap') return plan({ ...request(), lane: 'history', order, limit: 1 })[0];
          const [oldest] = owed.flatMap((stretch) => intersect(coverage, stretch));
          return oldest && { from: oldest.from, to: Math.min(oldest.to, oldest.from + learned) };
        };
        const take = (does: string): boolean => {
          const window = windowOf(does);
          if (window === undefined) return false;
          for (const { at, comes } of points) {
            if (at >= window.from && at < window.to && comes <= now) found.add(at);
          }
          owed = subtract(union(owed, looksOwed({ ...given, lookBackAtMost: 0 }, coverage, window)), [window]);
          coverage = union(coverage, [window]);
          return true;
        };
        for (const { does, after } of steps) {
          now += after;
          if (does !== 'killed' && does !== 'down') take(does);
        }
        // The bridge polls on until the last point has come and a look has followed.
        const { overlap, settle, align, start } = given;
        for (const end = Math.max(now, 3_150) + 2 * overlap + settle + 2 * align; now < end; now += 10) {
          take('live');
          while (take('gap')) continue;
          while (take('look')) continue;
        }
        expect(points.filter(({ at }) => at >= start && !found.has(at))).toEqual([]);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('history asks for no covered time', () => {
  const coverage = coverageOf([
    { from: 0, to: 20 * HOUR },
    { from: 21 * HOUR, to: 30 * HOUR },
  ]);
  const request = { policy, coverage, now: 30 * HOUR, learned: HOUR, lane: 'history' as const, look };
  for (const order of ['newest', 'oldest'] as const) {
    expect(plan({ ...request, order })).toEqual([{ from: 20 * HOUR, to: 21 * HOUR }]);
  }
});
