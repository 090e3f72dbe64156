import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coverageOf, intersect, missing, union } from './coverage.ts';
import type { Coverage } from './coverage.ts';
import { HOUR, MINUTE } from './instant.ts';
import { plan } from './plan.ts';
import type { Policy } from './plan.ts';
import { scene, span } from '../../test/kit/plan-scenes.ts';

test('plans go around unreadable time, and leave no other time out', () =>
  fc.assert(
    fc.property(
      scene,
      fc.array(span, { maxLength: 4 }).map(coverageOf),
      fc.constantFrom('newest' as const, 'oldest' as const),
      (given, unreadable, order) => {
        let { coverage } = given;
        let asked: Coverage = [];
        for (let steps = 0; ; steps += 1) {
          expect(steps).toBeLessThan(1_500);
          const request = { ...given, coverage, unreadable };
          const [window] = [
            ...plan({ ...request, lane: 'history', order, limit: 1, askedAgain: asked }),
            // Live may look back for ever at a standing clock, so only its window at the edge counts.
            ...plan({ ...request, lane: 'live' }).slice(-1),
          ];
          if (window === undefined) break;
          expect(intersect(unreadable, window)).toEqual([]);
          coverage = union(coverage, [window]);
          asked = union(asked, [window]);
        }
        const { start, settle, align } = given.policy;
        const edge = Math.floor((given.now - settle) / align) * align;
        expect(missing({ from: start, to: edge }, union(coverage, unreadable))).toEqual([]);
      },
    ),
    { numRuns: 200 },
  ));

test('unreadable time in the overlap cuts its window into parts, each of which is asked once', () => {
  const policy: Policy = { start: 0, settle: 0, align: MINUTE, overlap: 20 * MINUTE, maxWindow: HOUR };
  const at = (minute: number): number => 20 * HOUR + minute * MINUTE;
  const coverage = [
    { from: 0, to: at(0) },
    { from: at(30), to: at(600) },
  ];
  const request = { policy, coverage, now: at(600), learned: HOUR, lane: 'history' as const, limit: 1 };
  const unreadable = [{ from: at(-10), to: at(-8) }];
  const first = plan({ ...request, unreadable, askedAgain: [] });
  expect(first).toEqual([{ from: at(-20), to: at(-10) }]);
  expect(plan({ ...request, unreadable, askedAgain: first })).toEqual([{ from: at(-8), to: at(30) }]);
});
