interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The listed points in `[fromMs, toMs)`. Points of one instant keep their order, or have the opposite one with `DESC`. */
export function listedPoints<Point extends { readonly ts: number }>(
  listed: readonly Point[],
  { fromMs, toMs }: Stretch,
  order: 'ASC' | 'DESC',
): readonly Point[] {
  const found = listed.slice(firstAtOrAfter(listed, fromMs), firstAtOrAfter(listed, toMs));
  return order === 'ASC' ? found : found.toReversed();
}

/** Finds the place by bisection, because the pages of a long list are asked for one by one. */
function firstAtOrAfter(listed: readonly { readonly ts: number }[], atMs: number): number {
  let [low, high] = [0, listed.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((listed[middle]?.ts ?? Infinity) < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
