import type { Grant } from '../contract.ts';

/** The token of one source, shared by all hosts. */
export interface GrantStore {
  /** The kept grant, valid or not. */
  current(): Promise<Grant | undefined>;
  /**
   * Puts another grant in place of `stale`. `obtain` gets the kept grant and runs at most once at a time over all
   * hosts. Where another caller has already replaced `stale`, its grant is returned and `obtain` does not run. An
   * error of
   * `obtain` goes to all callers that wait for it, and the kept grant stays.
   */
  replace(stale: Grant | undefined, obtain: (previous: Grant | undefined) => Promise<Grant>): Promise<Grant>;
  /** Takes the grant out for good. Only where no other process has it. */
  readonly drop?: () => Grant | undefined;
}

/** Keeps the token in this process only: for checks of a source and for tests. */
export function memoryTokens(): GrantStore {
  let kept: Grant | undefined;
  let replacing: Promise<Grant> | undefined;

  return {
    current: async () => kept,
    drop() {
      const dropped = kept;
      kept = undefined;
      return dropped;
    },
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
