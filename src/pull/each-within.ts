/**
 * Runs `work` over the items of `next`, at most `concurrency` at a time. `next` is called again after every finished item,
 * also where it returned undefined before, so it can decide by the results so far. The run ends when `next` has no item and
 * no work is under way. `work` says whether the run goes on. After a stop or an error no new item is begun; the run ends when the work under way has ended,
 * and then the first error is thrown. An item that `next` returns after a stop is dropped.
 */
export async function eachWithin<T>(
  concurrency: number,
  next: () => Promise<T | undefined> | T | undefined,
  work: (item: T) => Promise<boolean>,
): Promise<void> {
  const count = Math.max(1, concurrency);
  let idle = 0;
  let ended = false;
  let change = Promise.withResolvers<void>();
  const announce = (): void => {
    change.resolve();
    change = Promise.withResolvers<void>();
    idle = 0;
  };

  async function runner(): Promise<void> {
    while (!ended) {
      const changed = change.promise;
      const item = await next();
      // Another runner stopped while `next` was awaited.
      if (ended) return;
      if (item !== undefined) {
        if (!(await work(item))) ended = true;
        announce();
        continue;
      }
      // An item was finished while `next` was awaited, so `next` may have one now.
      if (change.promise !== changed) continue;
      idle += 1;
      if (idle === count) {
        ended = true;
        announce();
        return;
      }
      await changed;
    }
  }

  async function guardedRunner(): Promise<void> {
    try {
      await runner();
    } catch (error) {
      ended = true;
      announce();
      throw error;
    }
  }

  const results = await Promise.allSettled(Array.from({ length: count }, guardedRunner));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
