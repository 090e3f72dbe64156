import fc from 'fast-check';
import { expect, it } from 'vitest';
import { coverageOf, union } from '../core/coverage.ts';
import type { Coverage } from '../core/coverage.ts';
import { plan } from '../core/plan.ts';
import type { Window } from '../core/window.ts';
import { eachWithin } from './each-within.ts';

/** The plan and the parallel runners of a history run, without a database and a platform. */

const GAP = { from: 1_000, to: 1_200 };

it('runs with any concurrency close a gap behind an overlap of any length, and end', () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 0, max: 400 }),
      fc.constantFrom('newest' as const, 'oldest' as const),
      fc.scheduler(),
      async (concurrency, learned, overlap, order, scheduler) => {
        const policy = { start: 0, settle: 0, align: 1, overlap, maxWindow: 1_000 };
        let covered: Coverage = [
          { from: 0, to: GAP.from },
          { from: GAP.to, to: 2_000 },
        ];
        let runs = 0;
        const more = (asked: Coverage, underWay: ReadonlySet<Window>): Window | undefined =>
          plan({
            policy,
            coverage: covered,
            now: 2_000,
            lane: 'history',
            learned,
            order,
            limit: 1,
            underWay: coverageOf(underWay),
            askedAgain: asked,
          })[0];
        while (more([], new Set()) !== undefined) {
          runs += 1;
          expect(runs).toBeLessThan(3);
          let asked: Coverage = [];
          const underWay = new Set<Window>();
          const run = eachWithin(
            concurrency,
            () => {
              const window = more(asked, underWay);
              if (window) underWay.add(window);
              return window;
            },
            async (window) => {
              await scheduler.schedule(Promise.resolve());
              underWay.delete(window);
              covered = union(covered, [window]);
              asked = union(asked, [window]);
              return 'go-on';
            },
          );
          await scheduler.waitFor(run);
        }
        expect(runs).toBe(1);
      },
    ),
    { numRuns: 300 },
  ));
