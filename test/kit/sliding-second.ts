/**
 * The largest number of events within any second: `(t - 1,000 ms, t]` for every t, so that events exactly 1,000 ms
 * apart are never counted together.
 * @param atMs instants in any order, fractions allowed
 */
export function mostInAnySecond(atMs: readonly number[]): number {
  const sorted = atMs.toSorted((one, other) => one - other);
  let first = 0;
  let most = 0;
  for (const [index, at] of sorted.entries()) {
    while ((sorted[first] ?? at) <= at - 1_000) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
