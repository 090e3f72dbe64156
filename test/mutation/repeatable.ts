import type { Parameters } from 'fast-check';
import { vi } from 'vitest';

/** A surviving mutant costs as many runs as all properties that reach it have together. */
const MOST_RUNS = 60;

// Every property has the same seed in each run, so that a mutant does not live or die by luck; fewer runs than in the unit
// tests, so that the score is a lower bound; and no search for the smallest counterexample, because any will do.
vi.mock('fast-check', async (importOriginal) => {
  const original = await importOriginal<{ default: Assertions }>();
  const assert: Assertions['assert'] = (property, given) =>
    original.default.assert(property, {
      ...given,
      seed: 1,
      endOnFailure: true,
      numRuns: Math.min(given?.numRuns ?? MOST_RUNS, MOST_RUNS),
    });
  return { ...original, default: { ...original.default, assert } };
});

interface Assertions {
  assert(property: unknown, given?: Parameters): Promise<void> | void;
}
