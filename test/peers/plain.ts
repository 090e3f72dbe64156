import { startProcess } from '../kit/process.ts';
import type { ProcessOptions, RunningProcess } from '../kit/process.ts';
import { windowOf } from '../bench/pull-once.ts';
import { READER, SPACING } from '../bench/dataset.ts';
import type { Rig, Room } from '../bench/rig.ts';
import { cpuSecondsOfGroup } from '../bench/usage.ts';
import { targetName, targetSensor } from './peer.ts';
import type { HistoryJob, PollsJob, Running, RunningHistory, Told } from './peer.ts';
import { environmentOf, makePlainTables, plainDone, plainRows } from './rows.ts';
import type { PlainSensor } from './rows.ts';

/** How to start a program that knows nothing but its environment. */
export type Start = (environment: NodeJS.ProcessEnv) => Promise<ProcessOptions>;

/** Such a program fetches the past into tables as an integrator would make them. */
export async function plainHistory(
  { rig, dataset, platform, windowReadings }: HistoryJob,
  start: Start,
): Promise<RunningHistory> {
  const sensors = dataset.series.map(({ measurement, sensorId }) => ({ measurement, name: sensorId }));
  const { room, running, begin } = await open(rig, sensors, start, {
    platform,
    measurements: [...new Set(dataset.series.map(({ measurement }) => measurement))],
    from: dataset.from,
    to: dataset.to,
    window: windowOf(windowReadings),
  });
  return { ...running, begin, done: () => plainDone(room.context.database, dataset.to - SPACING) };
}

/** Such a program follows the present, with a window of at most an hour. */
export async function plainPolls({ rig, plant, targets }: PollsJob, start: Start): Promise<Running> {
  const numbers = Array.from({ length: targets }, (_, index) => index + 1);
  const sensors = numbers.map((number) => ({ measurement: targetName(number), name: targetSensor(number) }));
  const { running, begin } = await open(rig, sensors, start, {
    platform: { url: plant, ...READER },
    measurements: numbers.map(targetName),
    from: Date.now() * 1_000,
    window: 3_600_000_000,
  });
  await begin();
  return running;
}

async function open(
  rig: Rig,
  sensors: readonly PlainSensor[],
  start: Start,
  told: Omit<Told, 'database'>,
): Promise<{ room: Room; running: Running; begin(): Promise<void> }> {
  const room = await rig.room();
  await makePlainTables(room.context.database, sensors);
  const options = await start(environmentOf({ ...told, database: room.url }));
  let program: RunningProcess | undefined;
  const begin = async (): Promise<void> => void (program = await startProcess(options));
  const pid = (): number => program?.pid ?? -1;
  return {
    room,
    begin,
    running: {
      pid,
      cpu() {
        const own = cpuSecondsOfGroup(pid());
        return { own, all: own + rig.databaseCpuSeconds() };
      },
      kill9: async () => void (await program?.kill9()),
      startAgain: begin,
      stored: (visit) => plainRows(room.context.database, visit),
      async stop() {
        await program?.stop();
        await room.close();
      },
    },
  };
}
