import type { Grant, Grants } from './contract.ts';

/** Keeps the grant of one process. */
export function grantsInMemory(): Grants {
  let kept: Grant | undefined;
  let underWay: Promise<Grant> | undefined;
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
