import { configureGlobal } from 'fast-check';

// The same seed in each run, so that a mutant does not live or die by luck; and no search for the smallest counterexample,
// because a killed mutant needs none.
configureGlobal({ seed: 20_261_122, endOnFailure: true });
