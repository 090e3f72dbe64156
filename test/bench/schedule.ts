import { setTimeout as sleep } from 'node:timers/promises';
import { availableParallelism } from 'node:os';
import { formatDuration } from '../../src/core/duration.ts';
import { SECOND } from '../../src/core/instant.ts';
import type { Instant, Microseconds } from '../../src/core/instant.ts';
import { phaseOf } from '../../src/core/schedule.ts';
import { isInstalled } from '../kit/installed.ts';
import type { RunningProcess } from '../kit/process.ts';
import { startRedis } from '../kit/redis.ts';
import type { RunningSimulator } from '../kit/simulator.ts';
import { WrongData, percentile } from './bench.ts';
import type { BenchOptions, Measure, QueueName } from './bench.ts';
import { between, costOf, count } from './counted.ts';
import type { Working } from './counted.ts';
import { floor } from './floor.ts';
import { allDue, dueFrom, registerMany } from './many-sources.ts';
import type { Many } from './many-sources.ts';
import { prometheus } from './prometheus.ts';
import { arrivals, openRig, startPlant } from './rig.ts';
import type { Arrivals, Rig } from './rig.ts';
import { punctualityOf } from './tick-lag.ts';
import { forgetPeak, limitCpu, machine, usageOf } from './usage.ts';

export interface Load extends Many {
  readonly queue: QueueName;
  /** The most memory of the bridge, MB. */
  readonly mostRss: number;
  /** Looks at the planner, not at the polls: more is due than two cores poll in time. */
  readonly planner?: boolean;
  /** All sources are due at the start, as after a restart, and the watch begins when each has polled. */
  readonly allDue?: boolean;
  /** Left out of `--quick`. */
  readonly slow?: boolean;
  /** So many workers in the place of one, of which each gets this share of a core, as hosts of their own would. */
  readonly hosts?: { readonly workers: number; readonly cores: number };
}

const LOADS: readonly Load[] = [
  { sources: 1_000, every: SECOND, queue: 'Redis', mostRss: 400 },
  { sources: 1_000, every: SECOND, queue: 'PostgreSQL', mostRss: 400 },
  { sources: 10_000, every: 10 * SECOND, queue: 'Redis', mostRss: 400 },
  { sources: 10_000, every: 10 * SECOND, queue: 'PostgreSQL', mostRss: 400, slow: true },
  { sources: 100_000, every: 60 * SECOND, queue: 'Redis', mostRss: 600, planner: true },
  { sources: 100_000, every: 60 * SECOND, queue: 'PostgreSQL', mostRss: 600, planner: true, slow: true },
];

/** Time for the first polls, which open all sources at once. */
export const CATCH_UP: Microseconds = 10 * SECOND;

/** The first polls of all sources may take so long. */
const MOST_WARM_UP_MS = 120_000;
const MOST_FIRST_POLLS_MS = 900_000;

/** A poll that began at most this long after the watched time still answers its last due instants. */
export const GRACE: Microseconds = 5 * SECOND;

/**
 * Many small sources on one worker: how late polls begin, and what a poll costs. Beside them a real Prometheus, which scrapes as
 * many targets of the same plant, and the least that a program can do for a poll.
 */
export async function schedule(options: BenchOptions): Promise<Measure[]> {
  const wanted = chosen(LOADS, options);
  const measures = await measureLoads(wanted, options);
  if ((options.load ?? 1_000) !== 1_000) return measures;
  return [...measures, ...(await prometheus(options)), ...(await floor(options))];
}

/** The loads that the options leave, and that this machine has the queue for. */
export function chosen<L extends { sources: number; queue: QueueName; slow?: boolean }>(
  loads: readonly L[],
  { load, queue, quick, say }: BenchOptions,
): L[] {
  const hasRedis = isInstalled('redis-server');
  if (!hasRedis) say('redis-server is not on this machine: no load with Redis is measured');
  return loads.filter(
    (one) =>
      one.sources === (load ?? one.sources) &&
      one.queue === (queue ?? one.queue) &&
      !(quick && one.slow) &&
      (one.queue === 'PostgreSQL' || hasRedis),
  );
}

export async function measureLoads(loads: readonly Load[], options: BenchOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const rig = await openRig(options);
  stack.defer(() => rig.close());
  const measures: Measure[] = [];
  for (const load of loads) measures.push(...(await measureLoad(rig, load, options)).measures);
  return measures;
}

/** Where the details of a watch go: called before and after it, while all servers run. */
export type Look = (working: Working) => Promise<void>;

export async function measureLoad(
  rig: Rig,
  load: Load,
  { seconds, say }: Pick<BenchOptions, 'seconds' | 'say'>,
  looks: { readonly before?: Look; readonly after?: Look } = {},
): Promise<{ measures: Measure[]; polls: number }> {
  await using stack = new AsyncDisposableStack();
  const plant = await startPlant('small-plant.ts');
  stack.defer(() => plant.stop());
  const redis = load.queue === 'Redis' ? await startRedis() : undefined;
  stack.defer(async () => redis?.stop());
  // The bounds go when the room has ended its workers.
  const bounds: (() => void)[] = [];
  stack.defer(() => bounds.forEach((remove) => remove()));
  const room = await rig.room(redis === undefined ? {} : { REDIS_URL: redis.url });
  stack.defer(() => room.close());
  const { database, clock } = room.context;
  const { workers: hosts = 1, cores } = load.hosts ?? {};
  const isOverloaded = load.planner === true || load.hosts !== undefined;
  const of =
    load.hosts === undefined
      ? `${load.sources.toLocaleString('en')} every ${formatDuration(load.every)}, ${load.queue}`
      : `${hosts} ${hosts === 1 ? 'host' : 'hosts'}`;

  const begun = performance.now();
  const names = await registerMany(room, plant.url, load);
  const workers: RunningProcess[] = [];
  for (let host = 0; host < hosts; host += 1) workers.push(await room.worker(load.planner === true ? 'up' : 'worker'));
  if (cores !== undefined) for (const { pid } of workers) bounds.push(limitCpu(pid, cores));
  await dueFrom(database, names, load, clock.now() + SECOND);
  if (load.allDue === true) await allDue(database, names, clock.now());
  say(`${of}: registered within ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  // Every source polls before the measurement starts, so connections are open and sources are parsed as in later hours.
  const began = performance.now();
  const leastMs = (load.every + CATCH_UP) / 1_000;
  const mostMs = load.planner === true ? leastMs : load.allDue === true ? MOST_FIRST_POLLS_MS : MOST_WARM_UP_MS;
  let [warm, warmAt] = [0, began];
  while (performance.now() - began < (warm < names.length ? mostMs : leastMs)) {
    await sleep(1_000);
    if (warm < names.length) [warm, warmAt] = [await warmIn(plant), performance.now()];
  }

  const working: Working = {
    bridge: workers.map(({ pid }) => pid),
    database,
    postgres: () => rig.databaseCpuSeconds(),
    redis: redis && { pid: redis.process().pid, port: redis.port },
  };
  await looks.before?.(working);
  await plant.admin('POST', 'forget');
  for (const { pid } of workers) forgetPeak(pid);
  const stepsBefore = load.planner === true ? await plannerSteps(room.metricsUrl) : [];
  const busy = machine();
  const before = await count(working);
  const from = clock.now();
  await sleep(seconds * 1_000);
  const to = clock.now();
  const spent = between(before, await count(working));
  const coresBusy = busy.busySince();
  const rss = Math.max(...workers.map(({ pid }) => usageOf(pid)?.peakRssBytes ?? Number.NaN)) / 1e6;
  const steps = load.planner === true ? await plannerSteps(room.metricsUrl) : [];
  await looks.after?.(working);
  await sleep(GRACE / 1_000);
  const { askedAt } = await arrivals(plant);
  const { due, done, lags, inTime, unanswered } = punctuality(names, load, { from, to, until: clock.now() }, askedAt);
  await Promise.all(workers.map((worker) => worker.stop(40_000)));
  const { points } = await arrivals(plant);
  const unstored = await unstoredOf(database, points);

  const ms = (share: number): number => percentile(lags, share) / 1_000;
  say(
    `${of}: ${done} of ${due} polls, lag p50 ${ms(0.5).toFixed(0)} p99 ${ms(0.99).toFixed(0)} ms, ${warm} sources were warm`,
  );
  const punctual: Measure[] = [
    {
      of,
      what: 'polled before the next was due',
      value: (inTime * 100) / due,
      unit: '%',
      ...(isOverloaded ? {} : { aim: { atLeast: 99 } }),
      note: `${inTime} of ${due} due; ${done} polls in ${seconds} s, with backlog; ${unanswered} unanswered ${GRACE / SECOND} s later`,
    },
    { of, what: 'polls a second', value: done / seconds, unit: '' },
    { of, what: 'lag p50', value: ms(0.5), unit: 'ms' },
    { of, what: 'lag p99', value: ms(0.99), unit: 'ms', ...(isOverloaded ? {} : { aim: { atMost: 500 } }) },
  ];
  const measures = [
    ...punctual,
    ...costOf(spent, { of, polls: done, seconds, cores: availableParallelism() }),
    { of, what: 'answers that were not stored', value: (unstored * 100) / points, unit: '%', aim: { atMost: 1 } },
    { of, what: 'cores busy, with the plant and all else', value: coresBusy, unit: '' },
    { of, what: 'peak RSS', value: rss, unit: 'MB', aim: { atMost: load.mostRss } },
  ];
  if (load.planner === true) {
    const value = quantileOf(steps, stepsBefore, 0.99) * 1_000;
    measures.push({ of, what: 'step of the planner p99', value, unit: 'ms', aim: { atMost: 500 } });
  }
  if (load.allDue === true)
    measures.push({ of, what: 'first polls a second', value: (warm * 1_000) / (warmAt - began), unit: '' });
  return { measures, polls: done };
}

/** Sources that the plant was asked for. */
const warmIn = async (plant: RunningSimulator): Promise<number> => Object.keys((await arrivals(plant)).askedAt).length;

/** The punctuality of all sources together. `askedAt`: when the plant got the question of each, ascending. */
export function punctuality(
  names: readonly string[],
  { every }: Pick<Many, 'every'>,
  watched: { readonly from: Instant; readonly to: Instant; readonly until: Instant },
  askedAt: Arrivals['askedAt'],
): { due: number; done: number; lags: Microseconds[]; inTime: number; unanswered: number } {
  const sum = { due: 0, done: 0, lags: [] as Microseconds[], inTime: 0, unanswered: 0 };
  for (const name of names) {
    const one = punctualityOf({ phase: phaseOf(name, every), every }, watched, askedAt[name] ?? []);
    sum.due += one.due;
    sum.done += one.done;
    sum.inTime += one.inTime;
    sum.unanswered += one.unanswered;
    for (const lag of one.lags) sum.lags.push(lag);
  }
  return sum;
}

/**
 * Points that were answered and not stored: their windows are asked again. More readings than points would be wrong data.
 */
async function unstoredOf(database: Working['database'], points: number): Promise<number> {
  const row = await database.row<{ readings: number }>('select count(*) as readings from reading');
  const readings = row?.readings ?? 0;
  if (readings > points || readings === 0) {
    throw new WrongData(`${points} points were answered, but ${readings} readings are stored`);
  }
  return points - readings;
}

/** How many steps of the planner took at most so many seconds, from its metrics. */
async function plannerSteps(url: string): Promise<(readonly [seconds: number, steps: number])[]> {
  const text = await (await fetch(url)).text();
  const lines = text.matchAll(/^databridge_planner_step_duration_seconds_bucket\{le="([^"]+)".*\} (\d+)$/gm);
  return [...lines].map(([, most = '', steps]) => [most === '+Inf' ? Infinity : Number(most), Number(steps)] as const);
}

/** Between two bounds of the histogram as many are thought to lie everywhere, as Prometheus has it. */
function quantileOf(
  after: Awaited<ReturnType<typeof plannerSteps>>,
  before: Awaited<ReturnType<typeof plannerSteps>>,
  share: number,
): number {
  const steps = after.map(([most, sum], at) => [most, sum - (before[at]?.[1] ?? 0)] as const);
  const wanted = (steps.at(-1)?.[1] ?? 0) * share;
  const at = steps.findIndex(([, sum]) => sum >= wanted);
  const [low, below] = steps[at - 1] ?? [0, 0];
  const [high, sum] = steps[at] ?? [Number.NaN, Number.NaN];
  return low + ((high - low) * (wanted - below)) / (sum - below);
}
