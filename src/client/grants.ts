import type { PushGrant, PushGrantStore } from './contract.ts';

/** Keeps the grant of one process. */
export function grantsInMemory(): PushGrantStore {
  let kept: PushGrant | undefined;
  let underWay: Promise<PushGrant> | undefined;
  return {
    current: () => Promise.resolve(kept),
    replace(stale, obtain) {
      if (kept !== undefined && kept.accessToken !== stale?.accessToken) return Promise.resolve(kept);
      underWay ??= obtain(kept)
        .then((grant) => (kept = grant))
        .finally(() => (underWay = undefined));
      return underWay;
    },
  };
}
