import fc from 'fast-check';
import { coverageOf } from '../../src/core/coverage.ts';
import type { Window } from '../../src/core/window.ts';

/** Small plans of every shape, for the tests of plan.ts. */
export const NOW = 1_000;

export const span = fc
  .tuple(fc.integer({ min: 0, max: NOW }), fc.integer({ min: 1, max: 300 }))
  .map(([from, length]): Window => ({ from, to: from + length }));

const policy = fc.record({
  start: fc.integer({ min: 0, max: NOW + 50 }),
  settle: fc.integer({ min: 0, max: 120 }),
  align: fc.integer({ min: 1, max: 40 }),
  overlap: fc.integer({ min: 0, max: 150 }),
  maxWindow: fc.integer({ min: 1, max: 200 }),
});

export const scene = fc.record({
  policy,
  coverage: fc.array(span, { maxLength: 8 }).map(coverageOf),
  now: fc.constant(NOW),
  learned: fc.integer({ min: 1, max: 250 }),
});
