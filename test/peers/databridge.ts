import { SECOND } from '../../src/core/instant.ts';
import { VERSION } from '../../src/version.ts';
import type { RunningProcess } from '../kit/process.ts';
import { startRedis } from '../kit/redis.ts';
import { dueFrom, registerMany } from '../bench/many-sources.ts';
import { registerDataset, startBackfillOf } from '../bench/pull-once.ts';
import { isInstalled } from '../kit/installed.ts';
import type { Rig, Room } from '../bench/rig.ts';
import { cpuSecondsOfGroup } from '../bench/usage.ts';
import type { Peer, Running } from './peer.ts';
import { bridgeRows } from './rows.ts';

/** Between this and its registration no source is due. */
const UNTIL_FIRST = SECOND;

export const databridge: Peer = {
  name: 'databridge',
  version: `databridge ${VERSION}`,
  setup: 'one `databridge worker`, queue in Redis; a backfill for the past, a source for each target',
  async history({ rig, dataset, platform, windowReadings }) {
    const { room, running, start } = await open(rig, { DATABRIDGE_WINDOW_READINGS: String(windowReadings) });
    const { database } = room.context;
    await registerDataset(room, dataset, platform, windowReadings);
    await start();
    return {
      ...running,
      begin: async () => void (await startBackfillOf(database, dataset)),
      async done() {
        const row = await database.row<{ done: boolean }>(
          'select bool_and(covered @> tstzrange(at_instant($1), at_instant($2))) as done from stream',
          [dataset.from, dataset.to],
        );
        return row?.done === true;
      },
    };
  },
  async polls({ rig, plant, targets }) {
    const { room, running, start } = await open(rig, {});
    const many = { sources: targets, every: SECOND };
    const names = await registerMany(room, plant, many);
    await start();
    await dueFrom(room.context.database, names, many, room.context.clock.now() + UNTIL_FIRST);
    return running;
  },
  close: () => Promise.resolve(),
};

/** A room with a worker that `start` starts. */
async function open(
  rig: Rig,
  environment: Readonly<Record<string, string>>,
): Promise<{ room: Room; running: Running; start(): Promise<void> }> {
  const redis = isInstalled('redis-server') ? await startRedis() : undefined;
  const room = await rig.room({ ...environment, ...(redis && { REDIS_URL: redis.url }) });
  let worker: RunningProcess | undefined;
  const start = async (): Promise<void> => void (worker = await room.worker());
  const pid = (): number => worker?.pid ?? -1;
  return {
    room,
    start,
    running: {
      pid,
      cpu() {
        const own = cpuSecondsOfGroup(pid());
        const shared = rig.databaseCpuSeconds() + (redis ? cpuSecondsOfGroup(redis.process().pid) : 0);
        return { own, all: own + shared };
      },
      kill9: async () => void (await worker?.kill9()),
      startAgain: start,
      stored: (visit) => bridgeRows(room.context.database, visit),
      async stop() {
        await room.close();
        await redis?.stop();
      },
    },
  };
}
