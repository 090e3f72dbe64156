import { setImmediate as letOthersRun } from 'node:timers/promises';

/** So long one piece may keep polls and requests waiting, ms. */
const PIECE_MS = 10;

/** Does short work on each of very many items, and lets others run between pieces of them. */
export async function inPieces<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  let began = performance.now();
  for (const item of items) {
    results.push(work(item));
    if (performance.now() - began < PIECE_MS) continue;
    await letOthersRun();
    began = performance.now();
  }
  return results;
}
