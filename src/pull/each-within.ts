/**
 * Takes items one by one from `next` and runs `work` over them, `concurrency` at a time. `next` is asked again
 * whenever a place is free, so it may decide on what the last items brought; undefined ends the run, and so does
 * `stop`, both once all that run have finished. The first error is thrown then too. What was on its way to another
 * place is still worked on after the one, and left alone after the others.
 */
export async function eachWithin<T>(
  concurrency: number,
  next: () => Promise<T | undefined> | T | undefined,
  work: (item: T) => Promise<'go-on' | 'stop'>,
): Promise<void> {
  let ended = false;
  let stopped = false;
  async function place(): Promise<void> {
    while (!ended) {
      try {
        const item = await next();
        // Somebody else stopped while it was on its way.
        if (stopped) return;
        if (item === undefined) ended = true;
        else if ((await work(item)) === 'stop') ended = stopped = true;
      } catch (error) {
        ended = stopped = true;
        throw error;
      }
    }
  }
  const places = await Promise.allSettled(Array.from({ length: Math.max(1, concurrency) }, place));
  const failed = places.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
