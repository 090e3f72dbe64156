import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND } from '../../src/core/instant.ts';
import { percentile } from './bench.ts';
import { dueFrom, registerMany } from './many-sources.ts';
import { arrivals, startPlant } from './rig.ts';
import type { Room } from './rig.ts';
import { CATCH_UP, GRACE, punctuality } from './schedule.ts';

const LIVE = { sources: 100, every: SECOND };

/** What polls, in words. */
export const LIVE_NOTE = '100 sources once a second, each with a window of one point';

/** Small sources that a worker polls, beside which other work can be watched. */
export interface Live extends AsyncDisposable {
  /** Does some work, and tells how late the polls that were due meanwhile began: the 99th of a hundred, ms. */
  during<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly p99: number }>;
}

/** Starts them, and waits until all have polled. */
export async function startLive(room: Room): Promise<Live> {
  const plant = await startPlant('small-plant.ts');
  const { database, clock } = room.context;
  const names = await registerMany(room, plant.url, LIVE);
  const worker = await room.worker();
  await dueFrom(database, names, LIVE, clock.now() + SECOND);
  await sleep((LIVE.every + CATCH_UP) / 1_000);
  return {
    async during(work) {
      await plant.admin('POST', 'forget');
      const from = clock.now();
      const result = await work();
      const to = clock.now();
      await sleep(GRACE / 1_000);
      const { askedAt } = await arrivals(plant);
      const { lags } = punctuality(names, LIVE, { from, to, until: clock.now() }, askedAt);
      return { result, p99: percentile(lags, 0.99) / 1_000 };
    },
    async [Symbol.asyncDispose]() {
      await worker.stop(40_000);
      await plant.stop();
    },
  };
}
