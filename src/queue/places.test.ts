import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { placesOf } from './places.ts';
import type { JobPlace } from './places.ts';

const PATIENCE_MS = 1;

/** An answer that a test gives when it likes. */
const answer = (): PromiseWithResolvers<void> => Promise.withResolvers<void>();

/** Runs a job that waits for one answer. `ended`: the job; `free`: its place. */
function waiting(
  places: ReturnType<typeof placesOf>,
  work: (place: JobPlace) => Promise<void>,
): { ended: Promise<void>; free: Promise<void>; isFree: () => boolean } {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let isFree = false;
  const free = places
    .round([undefined], async (_item, place) => {
      try {
        await work(place);
      } finally {
        resolve();
      }
    })
    .finally(() => (isFree = true));
  return { ended, free, isFree: () => isFree };
}

test('a job that works keeps its place, however long it takes, and so does one whose answers are quick', async () => {
  const places = placesOf(2, PATIENCE_MS);
  const work = answer();
  const working = waiting(places, async (place) => {
    for (let asked = 0; asked < 100; asked += 1) await place.waitFor(Promise.resolve());
    await work.promise;
  });
  const other = waiting(places, (place) => place.waitFor(new Promise(() => undefined)));
  await other.free;
  expect(working.isFree()).toBe(false);
  work.resolve();
  await working.free;
});

test('a job that waits for a platform gives its place back, goes on with the answer, and is waited for at the end', async () => {
  const places = placesOf(1, PATIENCE_MS);
  const late = answer();
  const said: string[] = [];
  const job = waiting(places, async (place) => {
    await place.waitFor(late.promise);
    said.push('went on');
  });
  await job.free;
  expect(said).toEqual([]);
  const ended = places.ended().then(() => said.push('ended'));
  late.resolve();
  await ended;
  expect(said).toEqual(['went on', 'ended']);
});

test('a job of which one request waits and another is answered comes back, and leaves again', async () => {
  const places = placesOf(1, PATIENCE_MS);
  const [never, first, second] = [answer(), answer(), answer()];
  const said: string[] = [];
  const job = waiting(places, async (place) => {
    const hanging = place.waitFor(never.promise);
    await place.waitFor(first.promise);
    said.push('first');
    await place.waitFor(second.promise);
    said.push('second');
    await hanging;
  });
  await job.free;
  first.resolve();
  await vi.waitFor(() => expect(said).toEqual(['first']));
  // It left again, because the place of late answers is free for another job.
  const lateAnswer = answer();
  const other = waiting(places, (place) => place.waitFor(lateAnswer.promise));
  await other.free;
  lateAnswer.resolve();
  await other.ended;
  second.resolve();
  await vi.waitFor(() => expect(said).toEqual(['first', 'second']));
  never.resolve();
  await job.ended;
  await places.ended();
});

test('an error of the platform reaches the job, and one of the job is thrown while it has its place', async () => {
  const places = placesOf(1, PATIENCE_MS);
  const late = answer();
  let seen: unknown;
  const job = waiting(places, async (place) => {
    seen = await place.waitFor(late.promise).catch((error: unknown) => error);
  });
  await job.free;
  late.reject(new Error('no answer'));
  await job.ended;
  expect(seen).toEqual(new Error('no answer'));
  await expect(places.round([1], () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
  await places.ended();
});

test('of a round each item has a place while it works, and the round ends beside items that go on working', async () => {
  const places = placesOf(2, PATIENCE_MS);
  const work = answer();
  const began: number[] = [];
  let ended = false;
  const round = places
    .round([1, 2, 3], async (item) => {
      began.push(item);
      await work.promise;
    })
    .then(() => (ended = true));
  await new Promise((resolve) => setTimeout(resolve, 20 * PATIENCE_MS));
  expect([began, ended]).toEqual([[1, 2], false]);
  const stopped = places.round([4], () => Promise.reject(new Error('it began')), AbortSignal.abort());
  work.resolve();
  await Promise.all([round, stopped]);
  expect(began).toEqual([1, 2, 3]);
  const hanging = answer();
  await places.round([5, 6], () => hanging.promise);
  hanging.resolve();
  await places.ended();
});

test('as many jobs work on late answers at a time as there are places', () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 30 }), async (count, jobs) => {
      const places = placesOf(count, PATIENCE_MS);
      const late = answer();
      let working = 0;
      let most = 0;
      const all = Array.from({ length: Math.min(jobs, 20 * count) }, () =>
        waiting(places, async (place) => {
          await place.waitFor(late.promise);
          working += 1;
          most = Math.max(most, working);
          await new Promise((resolve) => setImmediate(resolve));
          working -= 1;
        }),
      );
      await Promise.all(all.map(({ free }) => free));
      late.resolve();
      await Promise.all(all.map(({ ended }) => ended));
      expect(most).toBe(Math.min(count, all.length));
    }),
    { numRuns: 30 },
  ));

test('beyond twenty jobs without a place for each place, a job keeps its place until one of them has ended', async () => {
  const places = placesOf(1, PATIENCE_MS);
  const late = answer();
  const away = Array.from({ length: 20 }, () => waiting(places, (place) => place.waitFor(late.promise)));
  await Promise.all(away.map(({ free }) => free));
  const never = answer();
  const kept = waiting(places, (place) => place.waitFor(never.promise));
  // A later job would give its place back by now.
  await new Promise((resolve) => setTimeout(resolve, 20 * PATIENCE_MS));
  expect(kept.isFree()).toBe(false);
  late.resolve();
  await kept.free;
  never.resolve();
  await places.ended();
});
