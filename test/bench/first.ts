import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Instant } from '../../src/core/instant.ts';
import { startRedis } from '../kit/redis.ts';
import type { RunningSimulator } from '../kit/simulator.ts';
import { mostInAnySecond } from '../kit/sliding-second.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { WrongData } from './bench.ts';
import type { BenchOptions, Measure, QueueName } from './bench.ts';
import { between, count } from './counted.ts';
import type { Working } from './counted.ts';
import { READER } from './dataset.ts';
import { allDue } from './many-sources.ts';
import { arrivals, main, openRig, startPlant } from './rig.ts';
import type { Rig, Room } from './rig.ts';
import { chosen } from './schedule.ts';
import { usageOf } from './usage.ts';

interface Load {
  readonly sources: number;
  readonly queue: QueueName;
  readonly slow?: boolean;
}

const LOADS: readonly Load[] = [
  { sources: 10_000, queue: 'Redis' },
  { sources: 10_000, queue: 'PostgreSQL', slow: true },
];

/** New series of each source. */
const SERIES = 10;

/** First polls and restarts are given up after this time. */
const MOST_MS = 120_000;
const LOOK_MS = 250;

/** From `source apply` of many new sources to their first polls, and a start of the bridge over sources that are all due. */
export async function first(options: BenchOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const rig = await openRig(options);
  stack.defer(() => rig.close());
  const loads = LOADS.map((load) => ({ ...load, sources: options.load ?? load.sources }));
  const measures: Measure[] = [];
  for (const load of chosen(loads, options)) measures.push(...(await measureLoad(rig, load, options)));
  return measures;
}

async function measureLoad(rig: Rig, { sources, queue }: Load, { say }: BenchOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const plant = await startPlant('small-plant.ts', { fields: SERIES });
  stack.defer(() => plant.stop());
  const redis = queue === 'Redis' ? await startRedis() : undefined;
  stack.defer(async () => redis?.stop());
  const room = await rig.room(redis === undefined ? {} : { REDIS_URL: redis.url });
  stack.defer(() => room.close());
  const directory = await makeTempDirectory('sources');
  stack.defer(() => directory.remove());
  const { database, clock } = room.context;
  await database.run('update ml_project set series_quota = $1', [sources * SERIES]);
  const names = Array.from({ length: sources }, (_, index) => `source-${index + 1}`);
  for (const name of names) await writeFile(join(directory.path, `${name}.yaml`), fileOf(name, plant.url));
  const of = `${sources.toLocaleString('en')} sources, ${queue}`;
  const countOf = (bridge: number) =>
    count({
      bridge,
      database,
      postgres: () => rig.databaseCpuSeconds(),
      redis: redis && { pid: redis.process().pid, port: redis.port },
    } satisfies Working);

  const worker = await room.worker();
  const before = await countOf(worker.pid);
  const began = { at: clock.now(), ms: performance.now() };
  const firstPolls = polled(room, sources, began.at);
  const registeredMs = await apply(room, directory.path);
  say(`${of}: registered within ${seconds(registeredMs)} s`);
  const firstMs = (await firstPolls) - began.ms;
  const spent = between(before, await countOf(worker.pid));
  const rss = (usageOf(worker.pid)?.peakRssBytes ?? Number.NaN) / 1e6;
  await checkSeries(room, sources * SERIES);
  say(`${of}: all polled within ${seconds(firstMs)} s`);
  const againMs = await apply(room, directory.path);
  await worker.stop(40_000);

  const firstSecond = await busiestSecond(plant);
  await plant.admin('POST', 'forget');
  await allDue(database, names, clock.now());
  const restarted = { at: clock.now(), ms: performance.now() };
  const again = await room.worker();
  const beforeRestart = await countOf(again.pid);
  const restartMs = (await polled(room, sources, restarted.at)) - restarted.ms;
  const restart = between(beforeRestart, await countOf(again.pid));
  await again.stop(40_000);
  say(`${of}: all polled within ${seconds(restartMs)} s of a start`);

  const cpuMs = ({ bridge, postgres, redis: queueCpu }: typeof spent): number =>
    ((bridge + postgres + queueCpu) * 1_000) / sources;
  return [
    { of, what: 'source apply of a directory', value: registeredMs / 1_000, unit: 's' },
    { of, what: 'all polled, since source apply began', value: firstMs / 1_000, unit: 's', aim: { atMost: 60 } },
    { of, what: 'first polls a second', value: (sources * 1_000) / firstMs, unit: '' },
    { of, what: 'CPU of registration, look and first poll', value: cpuMs(spent), unit: 'ms' },
    { of, what: 'commits of registration, look and first poll', value: spent.commits / sources, unit: '' },
    { of, what: 'statements of registration, look and first poll', value: spent.statements / sources, unit: '' },
    { of, what: 'peak RSS of the bridge', value: rss, unit: 'MB' },
    { of, what: 'source apply without a change', value: againMs / 1_000, unit: 's' },
    { of, what: 'all polled, since a start', value: restartMs / 1_000, unit: 's', aim: { atMost: 30 } },
    { of, what: 'busiest second of the host, first polls', value: firstSecond, unit: 'requests' },
    { of, what: 'busiest second of the host, after a start', value: await busiestSecond(plant), unit: 'requests' },
    { of, what: 'CPU of a poll after a start', value: cpuMs(restart), unit: 'ms' },
    { of, what: 'commits of a poll after a start', value: restart.commits / sources, unit: '' },
  ];
}

/** The most polls that the host of all sources got in any second since it last forgot. */
const busiestSecond = async (plant: RunningSimulator): Promise<number> =>
  mostInAnySecond(Object.values((await arrivals(plant)).askedAt).flatMap((at) => at.map((one) => one / 1_000)));

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

/** A source as an operator writes it: all sensors of a database of its own. */
const fileOf = (name: string, url: string): string => `name: ${name}
project: bench
kind: user-credentials
platform: influxdb
connection:
  url: ${url}
  username: ${READER.username}
  password: ${READER.password}
schedule:
  every: 1h
  settle: 0s
  overlap: 0s
  align: 1ms
options:
  database: ${name}
`;

/** Runs `source apply`. @returns how long it took, ms */
async function apply(room: Room, directory: string): Promise<number> {
  const began = performance.now();
  await promisify(execFile)(process.execPath, [main, 'source', 'apply', directory], {
    env: room.environment,
    maxBuffer: 64 * 1_024 * 1_024,
  });
  return performance.now() - began;
}

/** Waits until every source has been polled since an instant. @returns when that was, on `performance.now()` */
async function polled({ context: { database } }: Room, sources: number, since: Instant): Promise<number> {
  const until = performance.now() + MOST_MS;
  while (performance.now() < until) {
    const row = await database.row<{ polled: number }>(
      `select count(*) as polled from work where kind = 'poll' and well_at >= at_instant($1)`,
      [since],
    );
    if (row?.polled === sources) return performance.now();
    await sleep(LOOK_MS);
  }
  throw new Error(`not all of ${sources} sources were polled within ${MOST_MS / 1_000} s`);
}

async function checkSeries({ context: { database } }: Room, expected: number): Promise<void> {
  const row = await database.row<{ series: number; made: number; read: number }>(
    `select (select count(*) from series) as series, (select series_made from ml_project) as made,
       (select count(distinct series) from reading) as read`,
  );
  if (row?.series === expected && row.made === expected && row.read === expected) return;
  throw new WrongData(`${expected} series were to be made and read: ${JSON.stringify(row)}`);
}
