/**
 * Takes items one by one from `next` and runs `work` over them, `concurrency` at a time. `next` is asked again whenever
 * something was worked on, so it may decide on what the last items brought, also where it had nothing before; undefined
 * ends the run once nobody works any more, and `stop` once all that run have finished. The first error is thrown then
 * too. What was on its way to another place is left alone after a stop.
 */
export async function eachWithin<T>(
  concurrency: number,
  next: () => Promise<T | undefined> | T | undefined,
  work: (item: T) => Promise<'go-on' | 'stop'>,
): Promise<void> {
  const count = Math.max(1, concurrency);
  let idle = 0;
  let ended = false;
  let change = Promise.withResolvers<void>();
  const tell = (): void => {
    change.resolve();
    change = Promise.withResolvers<void>();
    idle = 0;
  };

  async function place(): Promise<void> {
    while (!ended) {
      const changed = change.promise;
      const item = await next();
      // Somebody else stopped while it was on its way.
      if (ended) return;
      if (item !== undefined) {
        if ((await work(item)) === 'stop') ended = true;
        tell();
        continue;
      }
      // Something was worked on while it was asked.
      if (change.promise !== changed) continue;
      idle += 1;
      if (idle === count) {
        ended = true;
        tell();
        return;
      }
      await changed;
    }
  }

  async function safePlace(): Promise<void> {
    try {
      await place();
    } catch (error) {
      ended = true;
      tell();
      throw error;
    }
  }

  const places = await Promise.allSettled(Array.from({ length: count }, safePlace));
  const failed = places.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
