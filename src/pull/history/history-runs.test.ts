import fc from 'fast-check';
import { expect, it } from 'vitest';
import { coverageOf, union } from '../../core/coverage.ts';
import type { Coverage } from '../../core/coverage.ts';
import { plan } from '../../core/plan.ts';
import type { Window } from '../../core/window.ts';
import { eachWithin } from '../each-within.ts';

/** The plan and the parallel runners of a history run, without a database and a platform. */

const GAP = { from: 1_000, to: 1_200 };

it('runs with any concurrency close a gap, and end', () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 300 }),
      fc.constantFrom('newest' as const, 'oldest' as const),
      fc.scheduler(),
      async (concurrency, learned, order, scheduler) => {
        const policy = { start: 0, settle: 0, align: 1, overlap: 0, maxWindow: 1_000 };
        let covered: Coverage = [
          { from: 0, to: GAP.from },
          { from: GAP.to, to: 2_000 },
        ];
        let runs = 0;
        const more = (underWay: ReadonlySet<Window>): Window | undefined =>
          plan({
            policy,
            coverage: covered,
            now: 2_000,
            lane: 'history',
            learned,
            order,
            limit: 1,
            underWay: coverageOf(underWay),
          })[0];
        while (more(new Set()) !== undefined) {
          runs += 1;
          expect(runs).toBeLessThan(3);
          const underWay = new Set<Window>();
          const run = eachWithin(
            concurrency,
            () => {
              const window = more(underWay);
              if (window) underWay.add(window);
              return window;
            },
            async (window) => {
              await scheduler.schedule(Promise.resolve());
              underWay.delete(window);
              covered = union(covered, [window]);
              return true;
            },
          );
          await scheduler.waitFor(run);
        }
        expect(runs).toBe(1);
      },
    ),
    { numRuns: 300 },
  ));
