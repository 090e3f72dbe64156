import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eachWithin } from './each-within.ts';

/** Lets all promises run that are ready. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('eachWithin', () => {
  it('works on every item once, in order, and on at most `concurrency` at a time', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -1, max: 6 }),
        fc.nat(20),
        fc.scheduler(),
        async (concurrency, items, scheduler) => {
          let taken = 0;
          let running = 0;
          let most = 0;
          const done: number[] = [];
          const run = eachWithin(
            concurrency,
            () => (taken < items ? taken++ : undefined),
            async (item) => {
              running += 1;
              most = Math.max(most, running);
              await scheduler.schedule(Promise.resolve(item));
              running -= 1;
              done.push(item);
              return true;
            },
          );
          await scheduler.waitFor(run);
          expect(done.toSorted((one, other) => one - other)).toEqual(
            Array.from({ length: items }, (_, index) => index),
          );
          expect(most).toBe(Math.min(items, Math.max(1, concurrency)));
        },
      ),
      { numRuns: 200 },
    ));

  it('begins no item after a stop, not even one that `next` returns later, and waits for the work under way', async () => {
    const arrivals: ((item: string | undefined) => void)[] = [];
    const { promise: slow, resolve: finishSlow } = Promise.withResolvers<void>();
    const worked: string[] = [];
    let ended = false;
    const run = eachWithin(
      3,
      () => new Promise<string | undefined>((resolve) => arrivals.push(resolve)),
      async (item) => {
        worked.push(item);
        if (item === 'slow') await slow;
        return item !== 'stop';
      },
    ).then(() => {
      ended = true;
    });
    arrivals[0]?.('slow');
    await settle();
    arrivals[1]?.('stop');
    await settle();
    arrivals[2]?.('late');
    await settle();
    expect(worked).toEqual(['slow', 'stop']);
    expect(ended).toBe(false);
    finishSlow();
    await run;
    expect(arrivals).toHaveLength(3);
  });

  it('works on an item that `next` returns while another runner finds none', async () => {
    const arrivals: ((item: string | undefined) => void)[] = [];
    const worked: string[] = [];
    const run = eachWithin(
      2,
      () => new Promise<string | undefined>((resolve) => arrivals.push(resolve)),
      async (item) => {
        worked.push(item);
        return true;
      },
    );
    arrivals[0]?.(undefined);
    await settle();
    arrivals[1]?.('late');
    await settle();
    // Both runners call `next` again, because the finished item may have brought more.
    arrivals[2]?.(undefined);
    arrivals[3]?.('more');
    await settle();
    arrivals[4]?.(undefined);
    arrivals[5]?.(undefined);
    await run;
    expect(worked).toEqual(['late', 'more']);
    expect(arrivals).toHaveLength(6);
  });

  it('throws the first error when all work has ended', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let others = 0;
    const items = ['bad', 'good'];
    const run = eachWithin(
      2,
      () => items.shift(),
      async (item) => {
        if (item === 'bad') throw new Error('first');
        await promise;
        others += 1;
        return true;
      },
    );
    const caught = run.catch((error: unknown) => error);
    await settle();
    resolve();
    expect(await caught).toMatchObject({ message: 'first' });
    expect(others).toBe(1);
  });

  it('throws an error of `next`, synchronous or not', async () => {
    const sync = eachWithin(
      1,
      () => {
        throw new Error('sync');
      },
      () => Promise.resolve(true),
    );
    await expect(sync).rejects.toThrow('sync');
    const later = eachWithin(
      2,
      () => Promise.reject(new Error('later')),
      () => Promise.resolve(true),
    );
    await expect(later).rejects.toThrow('later');
  });
});
