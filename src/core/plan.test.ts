import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coverageOf, intersect, missing, totalLength, union } from './coverage.ts';
import type { Coverage } from './coverage.ts';
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';
import { edgeOf, plan, settledAt } from './plan.ts';
import { NOW, scene, span } from '../../test/kit/plan-scenes.ts';
import type { Lane, PlanRequest, Policy } from './plan.ts';
import { lengthOf } from './window.ts';
import type { Window } from './window.ts';

const order = fc.constantFrom('newest' as const, 'oldest' as const);
const lane = fc.constantFrom<Lane>('live', 'history');

const openOf = ({ policy: of, coverage, now }: { policy: Policy; coverage: Coverage; now: number }): Coverage =>
  missing({ from: of.start, to: edgeOf(of, now) }, coverage);

const check = <T>(property: fc.IProperty<T>, numRuns = 1_000): void => fc.assert(property, { numRuns });

/** No two windows share an instant, because together they are as long as the time they cover. */
const areDisjoint = (windows: readonly Window[]): boolean =>
  totalLength(coverageOf(windows)) === windows.reduce((sum, window) => sum + lengthOf(window), 0);

test('an instant has settled when the edge reaches it, and not before', () =>
  check(
    fc.property(scene, fc.integer({ min: -DAY, max: DAY }), ({ policy }, offset) => {
      const instant = NOW + offset;
      expect(edgeOf(policy, settledAt(policy, instant))).toBeGreaterThanOrEqual(instant);
      expect(edgeOf(policy, settledAt(policy, instant) - 1)).toBeLessThan(instant);
    }),
  ));

describe('the windows of one call', () => {
  test('are never empty, too long, past the edge, before the start or on top of each other', () =>
    check(
      fc.property(scene, lane, order, (given, which, sequence) => {
        const windows = plan({ ...given, lane: which, order: sequence });
        const edge = edgeOf(given.policy, NOW);
        for (const window of windows) {
          expect(window.from).toBeLessThan(window.to);
          expect(lengthOf(window)).toBeLessThanOrEqual(Math.min(given.learned, given.policy.maxWindow));
          expect(window.to).toBeLessThanOrEqual(edge);
          expect(window.from).toBeGreaterThanOrEqual(given.policy.start);
        }
        expect(areDisjoint(windows)).toBe(true);
      }),
    ));

  test('are all missing time and nothing else, each in one lane', () =>
    check(
      fc.property(scene, order, (given, sequence) => {
        const asked = (which: Lane): Coverage => coverageOf(plan({ ...given, lane: which, order: sequence }));
        const [live, history] = [asked('live'), asked('history')];
        expect(live.flatMap((window) => intersect(history, window))).toEqual([]);
        expect(union(live, history)).toEqual(openOf(given));
      }),
    ));

  test('of live are one that reaches the edge, or none where the edge is covered', () =>
    check(
      fc.property(scene, (given) => {
        const edge = edgeOf(given.policy, NOW);
        const isOpen = openOf(given).at(-1)?.to === edge;
        expect(plan({ ...given, lane: 'live' }).map(({ to }) => to)).toEqual(isOpen ? [edge] : []);
      }),
    ));

  test('meet on the grid inside a stretch', () =>
    check(
      fc.property(scene, lane, order, (given, which, sequence) => {
        const { align, maxWindow } = given.policy;
        fc.pre(Math.min(given.learned, maxWindow) >= align);
        const windows = plan({ ...given, lane: which, order: sequence });
        const open = openOf(given);
        for (const { from } of windows) {
          if (open.some((stretch) => from > stretch.from && from < stretch.to)) expect(from % align).toBe(0);
        }
      }),
    ));

  test('under a limit are the beginning of the same list', () =>
    check(
      fc.property(scene, lane, order, fc.integer({ min: 0, max: 5 }), (given, which, sequence, limit) => {
        const request: PlanRequest = { ...given, lane: which, order: sequence };
        expect(plan({ ...request, limit })).toEqual(plan(request).slice(0, limit));
      }),
    ));

  test('come in the order that was asked for', () =>
    check(
      fc.property(scene, (given) => {
        const newest = plan({ ...given, lane: 'history', order: 'newest' }).map((window) => window.from);
        const oldest = plan({ ...given, lane: 'history', order: 'oldest' }).map((window) => window.from);
        expect(newest).toEqual(newest.toSorted((a, b) => b - a));
        expect(oldest).toEqual(oldest.toSorted((a, b) => a - b));
      }),
    ));
});

test('a range asks for its missing time up to the edge, also before the start, and for nothing else', () =>
  check(
    fc.property(scene, span, order, (given, range, sequence) => {
      const edge = edgeOf(given.policy, NOW);
      const asked = coverageOf(plan({ ...given, lane: 'history', range, order: sequence }));
      expect(asked).toEqual(missing({ from: range.from, to: Math.min(range.to, edge) }, given.coverage));
    }),
  ));

test('planning and covering in any interleaving covers everything, to the last µs', () => {
  const step = fc.record({
    lane,
    order,
    learned: fc.integer({ min: 1, max: 250 }),
    limit: fc.integer({ min: 1, max: 4 }),
    taken: fc.integer({ min: 1, max: 4 }),
  });
  check(
    fc.property(scene, fc.array(step, { minLength: 1, maxLength: 20 }), (given, steps) => {
      let coverage = given.coverage;
      let idle = 0;
      for (let turn = 0; idle < 2 * steps.length; turn++) {
        const now = steps[turn % steps.length];
        if (now === undefined) throw new Error('no step');
        // Both lanes plan in turn whatever the script says, because otherwise one of them might never get its windows.
        for (const which of [now.lane, now.lane === 'live' ? 'history' : 'live'] as const) {
          const windows = plan({ ...given, ...now, lane: which, coverage });
          const before = totalLength(coverage);
          coverage = union(coverage, coverageOf(windows.slice(0, now.taken)));
          idle = windows.length === 0 ? idle + 1 : 0;
          if (windows.length > 0) expect(totalLength(coverage)).toBeGreaterThan(before);
        }
      }
      expect(missing({ from: given.policy.start, to: edgeOf(given.policy, NOW) }, coverage)).toEqual([]);
    }),
    300,
  );
});

test('a century of empty history is planned one window at a time', () => {
  const century: Policy = { start: 0, settle: 0, align: SECOND, overlap: 0, maxWindow: SECOND };
  const request = { policy: century, coverage: [], now: 36_500 * DAY, learned: SECOND, lane: 'history' as const };
  expect(plan({ ...request, limit: 2 })).toHaveLength(2);
  expect(plan({ ...request, order: 'oldest', limit: 1 })).toEqual([{ from: 0, to: SECOND }]);
});

describe('a missing stretch whose ends lie off the grid', () => {
  const minutely: Policy = { start: 0, settle: 0, align: MINUTE, overlap: 0, maxWindow: HOUR };
  const request = { policy: minutely, now: 30 * HOUR, learned: HOUR, lane: 'history' as const };
  const from = 20 * HOUR + 30 * SECOND;
  const around = (length: number): Coverage => [
    { from: 0, to: from },
    { from: from + length, to: 30 * HOUR },
  ];

  test.each(['newest', 'oldest'] as const)(
    'is asked in one window where it is as long as one, %s first',
    (sequence) => {
      expect(plan({ ...request, coverage: around(HOUR), order: sequence })).toEqual([{ from, to: from + HOUR }]);
    },
  );

  test('is cut on the grid also where a window is one step of it long', () => {
    const hourly = { ...minutely, align: HOUR };
    const windows = plan({ ...request, policy: hourly, coverage: around(2 * HOUR), order: 'oldest' });
    expect(windows.map((window) => window.to)).toEqual([21 * HOUR, 22 * HOUR, from + 2 * HOUR]);
  });
});
