import { RefusedQuestion } from './answer.ts';

/**
 * Asks for tags together. Where the product refuses the question, each half is asked for alone, down to the tags that it
 * refuses. `refused` is called for each of those.
 */
export async function* separately<T>(
  tags: readonly string[],
  ask: (tags: readonly string[]) => AsyncIterable<T>,
  refused: (tag: string, reason: string) => Promise<T | undefined>,
): AsyncGenerator<T> {
  try {
    yield* ask(tags);
  } catch (error) {
    if (!(error instanceof RefusedQuestion)) throw error;
    const [first] = tags;
    if (first === undefined || tags.length > 1) {
      const middle = Math.ceil(tags.length / 2);
      for (const half of [tags.slice(0, middle), tags.slice(middle)]) {
        if (half.length > 0) yield* separately(half, ask, refused);
      }
      return;
    }
    const found = await refused(first, error.message);
    if (found !== undefined) yield found;
  }
}
