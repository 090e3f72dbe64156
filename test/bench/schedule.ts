import { setTimeout as sleep } from 'node:timers/promises';
import { formatDuration } from '../../src/core/duration.ts';
import { SECOND } from '../../src/core/instant.ts';
import type { Instant, Microseconds } from '../../src/core/instant.ts';
import { nextDue, phaseOf } from '../../src/core/schedule.ts';
import type { Database } from '../../src/database/database.ts';
import { startRedis } from '../kit/redis.ts';
import { WrongData, percentile } from './bench.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { READER } from './dataset.ts';
import { openRig, startPlant } from './rig.ts';
import type { Rig, Room } from './rig.ts';
import { punctualityOf } from './tick-lag.ts';
import { forgetPeak, machine, usageOf } from './usage.ts';

export interface Load {
  readonly sources: number;
  readonly every: Microseconds;
  readonly queue: 'Redis' | 'PostgreSQL';
}

const LOADS: readonly Load[] = [
  { sources: 1_000, every: SECOND, queue: 'Redis' },
  { sources: 10_000, every: 60 * SECOND, queue: 'Redis' },
  { sources: 1_000, every: 10 * SECOND, queue: 'PostgreSQL' },
];

/** Time for the first polls, which open all sources at once. */
export const CATCH_UP: Microseconds = 10 * SECOND;

/** A poll that began at most this long after the watched time still answers its last due instants. */
export const GRACE: Microseconds = 5 * SECOND;

/** Many small sources on one worker: how late polls begin, and what a poll costs. */
export async function schedule(options: BenchOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const rig = await openRig(options);
  stack.defer(() => rig.close());
  const measures: Measure[] = [];
  for (const load of LOADS) measures.push(...(await measureLoad(rig, load, options)));
  return measures;
}

async function measureLoad(rig: Rig, load: Load, { seconds, say }: BenchOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const plant = await startPlant('point-plant.ts');
  stack.defer(() => plant.stop());
  const environment: Record<string, string> = {};
  if (load.queue === 'Redis') {
    const redis = await startRedis();
    stack.defer(() => redis.stop());
    environment['REDIS_URL'] = redis.url;
  }
  const room = await rig.room(environment);
  stack.defer(() => room.close());
  const { database, clock } = room.context;

  const begun = performance.now();
  const names = await registerMany(room, plant.url, load);
  say(`${load.sources} sources registered in ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  const worker = await room.worker();
  await dueFrom(database, names, load, clock.now() + SECOND);
  // Every source polls before the measurement starts, so connections are open and sources are parsed as in later hours.
  await sleep((load.every + CATCH_UP) / 1_000);

  forgetPeak(worker.pid);
  const busy = machine();
  const before = usageOf(worker.pid);
  const databaseBefore = rig.databaseCpuSeconds();
  const commitsBefore = await commitsIn(database);
  const from = clock.now();
  await sleep(seconds * 1_000);
  const to = clock.now();
  const after = usageOf(worker.pid);
  const databaseCpu = rig.databaseCpuSeconds() - databaseBefore;
  const commits = (await commitsIn(database)) - commitsBefore;
  const coresBusy = busy.busySince();
  await sleep(GRACE / 1_000);
  const { due, done, lags, inTime, unanswered } = await punctuality(database, load, { from, to, until: clock.now() });
  await assertEveryPollStored(database);

  const name = `${load.sources.toLocaleString('en')} every ${formatDuration(load.every)}, ${load.queue}`;
  const cpu = (after?.cpuSeconds ?? Number.NaN) - (before?.cpuSeconds ?? 0);
  const milliseconds = (share: number): number => percentile(lags, share) / 1_000;
  say(
    `${name}: ${done} of ${due} polls, lag p50 ${milliseconds(0.5).toFixed(0)} p99 ${milliseconds(0.99).toFixed(0)} ms`,
  );
  return [
    {
      what: `${name}: polled before the next was due`,
      value: inTime / due,
      unit: '×',
      aim: { atLeast: 0.99 },
      note: `${inTime} of ${due} due; ${done} polls in ${seconds} s, with backlog; ${unanswered} unanswered ${GRACE / SECOND} s later`,
    },
    { what: `${name}: lag p50`, value: milliseconds(0.5), unit: 'ms' },
    { what: `${name}: lag p99`, value: milliseconds(0.99), unit: 'ms', aim: { atMost: 500 } },
    {
      what: `${name}: CPU of the worker`,
      value: (cpu * 1_000) / done,
      unit: 'ms/poll',
      note: `${(cpu / seconds).toFixed(2)} cores; the whole machine ${coresBusy.toFixed(1)}`,
    },
    { what: `${name}: CPU of PostgreSQL`, value: (databaseCpu * 1_000) / done, unit: 'ms/poll' },
    { what: `${name}: commits`, value: commits / done, unit: 'commits/poll' },
    { what: `${name}: peak RSS`, value: (after?.peakRssBytes ?? Number.NaN) / 1e6, unit: 'MB', aim: { atMost: 400 } },
  ];
}

/**
 * Registers the first source as an operator would and copies its rows for the others, because 10,000 are slow otherwise.
 * @returns their names
 */
export async function registerMany(room: Room, url: string, load: Load, prefix = 'source'): Promise<string[]> {
  const { database } = room.context;
  const first = `${prefix}-1`;
  await room.apply(
    {
      name: first,
      connection: { url, ...READER },
      // Each poll asks for one window, which begins where the last one ended.
      schedule: { every: formatDuration(load.every), settle: '0s', overlap: '0s', align: '1ms' },
      pace: { requestsPerSecond: 100, burst: 10, concurrency: 2 },
    },
    ['pumps'],
  );
  const names = Array.from({ length: load.sources - 1 }, (_, index) => `${prefix}-${index + 2}`);
  await database.run(
    `insert into source (name, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us, next_due_at)
     select copy.name, project_id, kind, platform, jsonb_set(config, '{name}', to_jsonb(copy.name)), start_at, every_us, 0, settle_us, next_due_at
     from source, unnest($2::text[]) as copy (name) where source.name = $1`,
    [first, names],
  );
  // Their sensors need different names, because all sources write to one project.
  await database.run(
    `insert into stream (source_id, key, selection, sensors)
     select source.id, 'pumps', jsonb_build_object('group', source.name), '[]' from source where name = any($1)`,
    [names],
  );
  await database.run('analyze source, stream');
  return [first, ...names];
}

/** Puts every source on its grid, with its first due instant after `start` and nothing to catch up. */
export async function dueFrom(
  database: Database,
  names: readonly string[],
  { every }: Load,
  start: Instant,
): Promise<void> {
  await database.run(
    `update source set phase_us = given.phase, next_due_at = at_instant(given.due), start_at = at_instant($4)
     from unnest($1::text[], $2::bigint[], $3::bigint[]) as given (name, phase, due) where source.name = given.name`,
    [
      names,
      names.map((name) => phaseOf(name, every)),
      names.map((name) => nextDue(name, every, start)),
      Math.floor(start / SECOND) * SECOND - SECOND,
    ],
  );
}

/** The punctuality of all sources whose names begin with `prefix`. */
export async function punctuality(
  database: Database,
  { every }: Load,
  watched: { readonly from: Instant; readonly to: Instant; readonly until: Instant },
  prefix = '',
): Promise<{ due: number; done: number; lags: Microseconds[]; inTime: number; unanswered: number }> {
  const rows = await database.rows<{ name: string; asked: Instant[] }>(
    `select source.name, coalesce(array_agg(instant_of(asked_at) order by asked_at) filter (where asked_at is not null), '{}') as asked
     from source left join window_log on source_id = source.id and asked_at >= at_instant($1)
     where starts_with(source.name, $2) group by source.name`,
    [watched.from - SECOND, prefix],
  );
  let due = 0;
  let done = 0;
  let inTime = 0;
  let unanswered = 0;
  const lags: Microseconds[] = [];
  for (const { name, asked } of rows) {
    const one = punctualityOf({ phase: phaseOf(name, every), every }, watched, asked);
    due += one.due;
    done += one.done;
    inTime += one.inTime;
    unanswered += one.unanswered;
    for (const lag of one.lags) lags.push(lag);
  }
  return { due, done, lags, inTime, unanswered };
}

/** The platform has one point in every window, so the readings are as many as the windows. */
async function assertEveryPollStored(database: Database): Promise<void> {
  const row = await database.row<{ windows: number; readings: number; faults: number }>(
    `with windows as materialized (select count(*) as n from window_log where fault is null),
       readings as materialized (select count(*) as n from reading)
     select windows.n as windows, readings.n as readings, (select count(*) from source where last_fault is not null) as faults
     from windows, readings`,
  );
  if (row === undefined || row.faults > 0) throw new WrongData(`${row?.faults} sources met a fault`);
  if (row.windows !== row.readings) throw new WrongData(`${row.windows} windows, but ${row.readings} readings`);
}

/** The commits of all sessions in this database so far; backends report them once a second. */
async function commitsIn(database: Database): Promise<number> {
  const row = await database.row<{ commits: number }>(
    'select xact_commit as commits from pg_stat_database where datname = current_database()',
  );
  return row?.commits ?? Number.NaN;
}
