import type { Worker } from 'bullmq';
import type { Places } from './places.ts';

/**
 * What the workers get to tell the queue which jobs ended, and to close, ms. A worker whose connection was lost and is not back
 * yet never closes (BullMQ 6.7 waits for an event that ioredis does not send while it reconnects).
 */
const CLOSING_MS = 2_000;

/**
 * Takes no new jobs and waits at most `deadlineMs` for those under way, and two seconds more for the workers.
 * @returns whether all jobs ended in time, also where a worker did not close
 */
export async function drainWithin(
  deadlineMs: number,
  kinds: readonly { readonly worker: Pick<Worker, 'close'>; readonly places: Pick<Places, 'ended'> }[],
): Promise<boolean> {
  const deadline = performance.now() + deadlineMs;
  const jobsEnd = (): Promise<boolean> =>
    endsWithin(Math.max(0, deadline - performance.now()), Promise.all(kinds.map(({ places }) => places.ended())));
  const closed = Promise.all(kinds.map(({ worker }) => worker.close()));
  if (!(await jobsEnd())) return false;
  await endsWithin(CLOSING_MS, closed);
  // A worker that was fetching a job has begun it meanwhile.
  return await jobsEnd();
}

/** @returns whether the work ended in time, also where it failed */
export async function endsWithin(deadlineMs: number, work: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => {
    resolve(false);
  }, deadlineMs);
  const done = work.then(
    () => true,
    () => true,
  );
  const inTime = await Promise.race([done, promise]);
  clearTimeout(timer);
  return inTime;
}
