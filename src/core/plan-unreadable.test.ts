import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coverageOf, intersect, missing, union } from './coverage.ts';
import { plan } from './plan.ts';
import { scene, span } from '../../test/kit/plan-scenes.ts';

test('plans go around unreadable time, and leave no other time out', () =>
  fc.assert(
    fc.property(
      scene,
      fc.array(span, { maxLength: 4 }).map(coverageOf),
      fc.constantFrom('newest' as const, 'oldest' as const),
      (given, unreadable, order) => {
        let { coverage } = given;
        for (let steps = 0; ; steps += 1) {
          expect(steps).toBeLessThan(1_500);
          const request = { ...given, coverage, unreadable };
          const [window] = [
            ...plan({ ...request, lane: 'history', order, limit: 1 }),
            ...plan({ ...request, lane: 'live' }),
          ];
          if (window === undefined) break;
          expect(intersect(unreadable, window)).toEqual([]);
          coverage = union(coverage, [window]);
        }
        const { start, settle, align } = given.policy;
        const edge = Math.floor((given.now - settle) / align) * align;
        expect(missing({ from: start, to: edge }, union(coverage, unreadable))).toEqual([]);
      },
    ),
    { numRuns: 200 },
  ));
