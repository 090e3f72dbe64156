import { kinds } from '../../../adapters/kinds.ts';
import type { Sealing } from '../../../src/access/sealing.ts';
import type { Database } from '../../../src/database/database.ts';
import type { History } from './deeds.ts';
import { BEGIN, clearGround } from './ground.ts';
import { judge } from './judge.ts';
import { startNeighbour } from './neighbour.ts';
import { openPlant } from './plant.ts';
import type { Run, Try } from './scene.ts';
import { siteOf } from './site.ts';
import { setModelTime, timeFrom } from './time.ts';
import { startWorker } from './worker.ts';
import type { Worker } from './worker.ts';

/** Runs one history to its end and throws, in plain words, at the first difference to the model. */
export async function runHistory(database: Database, sealing: Sealing, history: History): Promise<void> {
  await clearGround(database);
  const time = await timeFrom(database, BEGIN);
  setModelTime(time);
  const tries: Try[] = [];
  const plant = await openPlant(time, {
    platform: 'scripted',
    seed: history.seed,
    dense: history.dense,
    sensorsPerRead: history.sensorsPerRead,
    refused: (password) => tries.push({ what: 'refused', password }),
  });
  for (let sensor = 0; sensor < history.sensors; sensor += 1) plant.sensors.set(`s${sensor}`, 0);
  const broken = new Set(history.sensors > 1 && history.broken !== 'none' ? ['s0'] : []);
  for (const sensor of broken) {
    if (history.broken !== 'none') plant.faults.push({ kind: history.broken, until: Infinity, sensor });
  }
  const neighbour = history.neighbour
    ? await startNeighbour({ database, sealing, time, seed: history.seed })
    : undefined;
  const run: Run = {
    history,
    database,
    time,
    plant,
    neighbour: neighbour?.plant,
    applied: [],
    broken,
    clockMoved: false,
    tries,
    lostNotes: 0,
  };
  const registry = {
    platforms: [plant.platform, ...(neighbour === undefined ? [] : [neighbour.plant.platform])],
    kinds,
  };
  const start = (): Promise<Worker> =>
    startWorker({ database, sealing, time, registry, windowReadings: history.dense ? 1_000 : 60 });
  const site = await siteOf(run, { sealing, registry, start, neighbour });
  try {
    await site.apply(history.first);
    for (const deed of history.deeds) await site.perform(deed);
    await site.settle();
    run.lostNotes = site.lostNotes();
    await judge(run);
  } finally {
    await site.close();
    setModelTime(undefined);
    await plant.close();
    await neighbour?.plant.close();
  }
}
