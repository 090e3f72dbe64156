import type { Grant } from '../contract.ts';

/** The token of one source, shared by all hosts. */
export interface GrantStore {
  /** What is kept at present, whether it is still valid or not. */
  current(): Promise<Grant | undefined>;
  /**
   * Puts another grant in place of `stale`: `obtain` runs at most once at a time over all hosts and is given what is
   * kept. Where somebody else has already replaced `stale`, their grant comes back and `obtain` does not run.
   * What `obtain` throws is thrown to everybody who waits for it, and nothing changes.
   */
  replace(stale: Grant | undefined, obtain: (previous: Grant | undefined) => Promise<Grant>): Promise<Grant>;
}

/** Tokens of this process only, forgotten at its end: for checks of a source and for tests. */
export function memoryTokens(): GrantStore {
  let kept: Grant | undefined;
  let replacing: Promise<Grant> | undefined;

  return {
    current: async () => kept,
    async replace(stale, obtain) {
      if (replacing) return replacing;
      if (kept && kept.token !== stale?.token) return kept;
      replacing = obtain(kept);
      try {
        kept = await replacing;
        return kept;
      } finally {
        replacing = undefined;
      }
    },
  };
}
