import { setTimeout as sleep } from 'node:timers/promises';
import type { Microseconds } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import { assertStored } from './checksum.ts';
import { MEASUREMENTS, SERIES, SPACING } from './dataset.ts';
import type { Dataset } from './dataset.ts';
import type { Rig, Room } from './rig.ts';
import { forgetPeak, machine, usageOf } from './usage.ts';

/** The connection of a source that reads the dataset. */
export interface Platform {
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

/** The measures of a backfill of the dataset. */
export interface Pulled {
  readonly readingsPerSecond: number;
  readonly cpuSecondsPerMillion: number;
  readonly peakRssMegabytes: number;
  /** Of the whole machine, during the backfill. */
  readonly coresBusy: number;
  /** The times of an average window, in words. */
  readonly window: string;
}

/**
 * Lets a new installation with one worker backfill the dataset. Throws `WrongData` if the stored readings are not the
 * dataset.
 */
export async function pullOnce(
  rig: Rig,
  dataset: Dataset,
  platform: Platform,
  windowReadings: number,
): Promise<Pulled> {
  const room = await rig.room({ DATABRIDGE_WINDOW_READINGS: String(windowReadings) });
  const { database } = room.context;
  try {
    await registerDataset(room, dataset, platform, windowReadings);
    const worker = await room.worker();
    await sleep(1_000);
    forgetPeak(worker.pid);
    const busy = machine();
    const before = usageOf(worker.pid);
    await startBackfillOf(database, dataset);
    const seconds = await untilCovered(database, dataset);
    const after = usageOf(worker.pid);
    const coresBusy = busy.busySince();
    await assertStored(database, dataset);
    const readings = dataset.pointsPerSeries * dataset.series.length;
    return {
      readingsPerSecond: readings / seconds,
      cpuSecondsPerMillion: ((after?.cpuSeconds ?? Number.NaN) - (before?.cpuSeconds ?? 0)) / (readings / 1e6),
      peakRssMegabytes: (after?.peakRssBytes ?? Number.NaN) / 1e6,
      coresBusy,
      window: await averageWindow(database),
    };
  } finally {
    await room.close();
  }
}

/** Registers the source `bench`, which reads the dataset, and is not due within the next hour. */
export async function registerDataset(
  room: Room,
  dataset: Dataset,
  platform: Platform,
  windowReadings: number,
): Promise<void> {
  await room.apply(
    {
      name: 'bench',
      connection: { ...platform },
      schedule: { every: '1h' },
      pace: { requestsPerSecond: 100_000, burst: 100_000, concurrency: 4 },
    },
    [...new Set(dataset.series.map(({ measurement }) => measurement))],
  );
  // The bridge learns the length of a window during the first windows; this installation knows it already.
  await room.context.database.run('update stream set learned = $1', [
    JSON.stringify({ length: windowOf(windowReadings) }),
  ]);
}

/** The length of a window of a measurement that has so many readings, µs. */
export const windowOf = (readings: number): Microseconds => Math.round((readings * SPACING * MEASUREMENTS) / SERIES);

/** Begins the backfill of the dataset by the source `bench`. */
export const startBackfillOf = (database: Database, { from, to }: Dataset): Promise<unknown> =>
  startBackfill(database, { source: { name: 'bench' }, from, to, requestedBy: 'bench' });

/** Waits for the last row. @returns the seconds from the first question to then */
export async function untilCovered(database: Database, { from, to }: Dataset): Promise<number> {
  for (;;) {
    const row = await database.row<{ done: boolean; seconds: number; fault: string | null }>(
      `select (select bool_and(covered @> tstzrange(at_instant($1), at_instant($2))) from stream) as done,
         extract(epoch from clock_timestamp() - (select min(asked_at) from window_log))::float8 as seconds,
         (select coalesce(source.last_fault, stream.last_fault)::text from stream join source on source.id = source_id
          where coalesce(source.last_fault, stream.last_fault) is not null limit 1) as fault`,
      [from, to],
    );
    if (typeof row?.fault === 'string') throw new Error(`the bridge met a fault: ${row.fault}`);
    if (row?.done) return row.seconds;
    await sleep(20);
  }
}

async function averageWindow(database: Database): Promise<string> {
  const row = await database.row<Record<string, number>>(
    `select count(*) as windows, avg(readings)::float8 as readings, avg(waited_ms)::float8 as waited, avg(http_ms)::float8 as http,
       avg(normalise_ms)::float8 as normalise, avg(store_ms)::float8 as store from window_log`,
  );
  const { windows = 0, readings = 0, waited = 0, http = 0, normalise = 0, store = 0 } = row ?? {};
  return (
    `${windows} of ${Math.round(readings)}, waited ${waited.toFixed(0)}, http ${http.toFixed(0)}, ` +
    `normalise ${normalise.toFixed(1)}, store ${store.toFixed(0)} ms`
  );
}
