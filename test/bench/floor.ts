import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../kit/process.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { between, costOf, count } from './counted.ts';
import { arrivals, openRig, startPlant } from './rig.ts';
import { forgetPeak, usageOf } from './usage.ts';

const SOURCES = 1_000;
const WARM_UP_MS = 5_000;

/** The least that a program of this language can do for a poll that is stored in this PostgreSQL; see `floor-poller.ts`. */
export async function floor({ seconds, profile, say }: BenchOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const rig = await openRig({ profile });
  stack.defer(() => rig.close());
  const plant = await startPlant('small-plant.ts');
  stack.defer(() => plant.stop());
  const room = await rig.room();
  stack.defer(() => room.close());
  const file = fileURLToPath(new URL('floor-poller.ts', import.meta.url));
  const poller = await startProcess({
    name: 'floor-poller',
    command: process.execPath,
    args: [file, plant.url, room.url, String(SOURCES)],
    ready: (running) => running.output().includes('polls'),
  });
  stack.defer(async () => void (await poller.stop()));
  await sleep(WARM_UP_MS);

  const working = { bridge: poller.pid, database: room.context.database, postgres: () => rig.databaseCpuSeconds() };
  await plant.admin('POST', 'forget');
  forgetPeak(poller.pid);
  const before = await count(working);
  await sleep(seconds * 1_000);
  const spent = between(before, await count(working));
  const rss = (usageOf(poller.pid)?.peakRssBytes ?? Number.NaN) / 1e6;
  const polls = Object.values((await arrivals(plant)).askedAt).flat().length;
  say(`floor: ${polls} polls in ${seconds} s`);
  const of = `floor, ${SOURCES.toLocaleString('en')} every 1s`;
  return [
    { of, what: 'polls a second', value: polls / seconds, unit: '' },
    ...costOf(spent, { of, polls, seconds, cores: availableParallelism() }),
    { of, what: 'peak RSS', value: rss, unit: 'MB' },
  ];
}
