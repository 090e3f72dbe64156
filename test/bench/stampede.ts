import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { MILLISECOND, MINUTE } from '../../src/core/instant.ts';
import { LEASE } from '../../src/core/pace.ts';
import type { Database } from '../../src/database/database.ts';
import { isInstalled } from '../kit/installed.ts';
import { logPace } from '../kit/pace-log.ts';
import { startRedis } from '../kit/redis.ts';
import { mostInAnySecond } from '../kit/sliding-second.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { WrongData } from './bench.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { POINT_MS, READER, deviceOf } from './dataset.ts';
import { dueFrom, registerMany } from './many-sources.ts';
import { main, openRig, startPlant } from './rig.ts';
import type { Rig, Room } from './rig.ts';

const SOURCES = 2_000;
const EVERY = MINUTE;
const AWAY_MS = 120_000;

/** All sources are polled again within this time, or the bench fails. */
const MOST_MS = 30 * 60_000;
const LOOK_MS = 250;
const CALM_MS = 10_000;

interface Case {
  readonly name: string;
  readonly hosts: number;
  /** Requests a second that the host may get (`DATABRIDGE_HOST_PACES`). */
  readonly pace?: number;
  /** Left out of `--quick`. */
  readonly slow?: boolean;
}

const CASES: readonly Case[] = [
  { name: 'one host', hosts: 1 },
  { name: '50 hosts', hosts: 50, slow: true },
  { name: 'one host, 100/s', hosts: 1, pace: 100, slow: true },
];

/** The figures of `login-plant.ts`: of the host that had the most of each, and the sums of all hosts. */
interface Figures {
  readonly tokens: number;
  readonly refusedTokens: number;
  readonly refusedPasswords: number;
  readonly requests: number;
  readonly logins: number;
  readonly busiestRequests: number;
  readonly busiestLogins: number;
  readonly busiestTenth: number;
  readonly mostOpen: number;
  readonly seconds: readonly number[];
}

/**
 * Thousands of sources whose platform wants a login, on one worker: what their hosts get at the moments at which all of them are due,
 * beside the steady state. The sources of a host share a user. The bench fails where a source stays away, logs in more
 * often than it needs, or asks above the pace of its host, and where the readings in the end are not those of the platform.
 */
export async function stampede(options: BenchOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const rig = await openRig(options);
  stack.defer(() => rig.close());
  const measures: Measure[] = [];
  for (const one of CASES.filter(({ slow }) => !(options.quick && slow))) {
    measures.push(...(await measureCase(rig, one, options)));
  }
  return measures;
}

async function measureCase(rig: Rig, { name, hosts, pace }: Case, options: BenchOptions): Promise<Measure[]> {
  const { seconds, load: sources = SOURCES, queue, say } = options;
  await using stack = new AsyncDisposableStack();
  const plant = await startPlant('login-plant.ts');
  stack.defer(() => plant.stop());
  const redis = queue !== 'PostgreSQL' && isInstalled('redis-server') ? await startRedis() : undefined;
  stack.defer(async () => redis?.stop());
  const room = await rig.room({
    ...(redis && { REDIS_URL: redis.url }),
    ...(pace !== undefined && { DATABRIDGE_HOST_PACES: `127.0.0.1=${pace}` }),
  });
  stack.defer(() => room.close());
  const directory = await makeTempDirectory('password');
  stack.defer(() => directory.remove());
  const password = join(directory.path, 'password');
  await writeFile(password, READER.password);
  const { database, clock } = room.context;
  const of = `${sources.toLocaleString('en')}, ${name}`;
  const measures: Measure[] = [];

  const told = async (what: string, tookMs?: number): Promise<Figures> => {
    const figures = (await plant.admin('GET', 'figures')) as Figures;
    const { busiestRequests, busiestLogins, busiestTenth, mostOpen, requests, logins } = figures;
    say(`${of}: ${what}: ${JSON.stringify(figures)}`);
    const each = (which: string, value: number, unit: string): Measure => ({
      of,
      what: `${what}: ${which}`,
      value,
      unit,
    });
    measures.push(
      each('requests in the busiest second', busiestRequests, ''),
      each('requests in the busiest 100 ms', busiestTenth, ''),
      each('logins in the busiest second', busiestLogins, ''),
      each('most connections at a time', mostOpen, ''),
      each('requests in all', requests, ''),
      each('logins in all', logins, ''),
    );
    if (tookMs !== undefined) measures.push(each('all polled again', tookMs / 1_000, 's'));
    return figures;
  };
  let steady = Number.NaN;
  /** `logins`: so many are needed at most. */
  const moment = async (what: string, logins: number, act: () => Promise<unknown>): Promise<void> => {
    await plant.admin('POST', 'forget');
    const [since, began] = [clock.now(), performance.now()];
    await act();
    await until(database, `${what}: polled`, sources, POLLED, since);
    const figures = await told(what, performance.now() - began);
    if (figures.tokens > logins) throw new WrongData(`${what}: ${figures.tokens} logins, where ${logins} are needed`);
    if (figures.refusedPasswords > 0)
      throw new WrongData(`${what}: ${figures.refusedPasswords} passwords were refused`);
    if (!Number.isNaN(steady)) ratio(what, figures);
    await sleep(CALM_MS);
  };
  const ratio = (what: string, { busiestRequests }: Figures): void => {
    measures.push({ of, what: `${what}: busiest second : steady`, value: busiestRequests / steady, unit: '×' });
  };

  await register(room, { sources, hosts, password, port: (await plant.admin('GET', 'port')) as { port: number } });
  if (pace !== undefined) await logPace(database.pool);
  let worker: Awaited<ReturnType<Room['worker']>> | undefined;
  await moment('first start', sources, async () => (worker = await room.worker()));
  const first =
    measures.find(({ what }) => what === 'first start: requests in the busiest second')?.value ?? Number.NaN;
  await sleep(EVERY / MILLISECOND);
  await plant.admin('POST', 'forget');
  await sleep(seconds * 1_000);
  steady = (await told('steady')).busiestRequests;
  measures.push({ of, what: 'first start: busiest second : steady', value: first / steady, unit: '×' });

  await plant.admin('POST', 'away');
  await sleep(AWAY_MS);
  await moment('platform back', 0, () => plant.admin('POST', 'back'));

  await command(room, 'pause');
  await sleep(EVERY / MILLISECOND);
  await moment('resume', 0, () => command(room, 'resume'));

  const { password: next } = (await plant.admin('POST', 'rotate')) as { password: string };
  await writeFile(password, next);
  await plant.admin('POST', 'forget');
  await until(database, 'stopped', sources, STOPPED);
  const { refusedPasswords } = await told('key that ended');
  if (refusedPasswords > 2 * hosts) throw new WrongData(`${refusedPasswords} refused passwords of ${hosts} accounts`);
  await moment('new key', sources, () => command(room, 'resume'));

  await moment('kill -9', 0, async () => {
    await worker?.kill9();
    worker = await room.worker();
  });
  await until(database, 'caught up', sources, WHOLE);
  await worker?.stop(40_000);
  await checkReadings(database, sources);
  if (pace !== undefined)
    measures.push({
      of,
      what: 'slots of the host, busiest second',
      value: await checkPace(database, pace),
      unit: 'requests',
    });
  return measures;
}

/** Sources that were registered and never asked: their sensors are to be looked up, each a device of its own. */
async function register(
  room: Room,
  given: {
    readonly sources: number;
    readonly hosts: number;
    readonly password: string;
    readonly port: { readonly port: number };
  },
): Promise<void> {
  const { database, clock } = room.context;
  const names: string[] = [];
  for (let host = 0; host < given.hosts; host += 1) {
    const url = `http://127.0.${host === 0 ? 0 : 1}.${host + 1}:${given.port.port}`;
    const many = { sources: Math.floor((given.sources + host) / given.hosts), every: EVERY };
    names.push(
      ...(await registerMany(room, url, many, `h${host}`, {
        platform: 'thingsboard',
        connection: { url, username: READER.username, password: `\${file:${given.password}}` },
        schedule: { every: '1m', settle: '0s', overlap: '0s', lookBackAtMost: '0s', maxWindow: '1m' },
        options: { devices: [deviceOf(0)], keys: ['value'], history: 'history' },
        pace: {},
      })),
    );
  }
  await database.run('update ml_project set series_quota = $1', [2 * given.sources]);
  await database.run('delete from stream');
  await database.run('delete from work');
  await database.run(
    `update source set config = jsonb_set(config, '{options,devices}', jsonb_build_array(device))
     from unnest($1::text[], $2::text[]) as its (name, device) where source.name = its.name`,
    [names, names.map((_, number) => deviceOf(number + 1))],
  );
  await dueFrom(database, names, { every: EVERY }, clock.now());
  await database.run(`insert into work (kind, id, source_id, due_at) select 'look', id, id, now() from source`);
  await database.run('analyze');
}

const POLLED = `select count(*) as done from work where kind = 'poll' and well_at >= at_instant($1)`;
const STOPPED = `select count(*) as done from source where state = 'stopped'`;
const WHOLE = `select count(*) as done from stream where retired_at is null and covered = tstzmultirange(range_merge(covered))`;

async function until(
  database: Database,
  what: string,
  sources: number,
  statement: string,
  ...values: readonly number[]
): Promise<void> {
  const giveUpAt = performance.now() + MOST_MS;
  for (let done = 0; performance.now() < giveUpAt; await sleep(LOOK_MS)) {
    done = (await database.row<{ done: number }>(statement, values))?.done ?? 0;
    if (done === sources) return;
    if (performance.now() > giveUpAt - LOOK_MS) throw new WrongData(`${what}: ${done} of ${sources} sources`);
  }
}

const command = (room: Room, change: 'pause' | 'resume'): Promise<unknown> =>
  promisify(execFile)(process.execPath, [main, 'source', change, '*'], {
    env: room.environment,
    maxBuffer: 64 * 1_024 * 1_024,
  });

/** Every source has its points from its start to the end of its coverage, and no other. */
async function checkReadings(database: Database, sources: number): Promise<void> {
  const row = await database.row<{ right: number; readings: number }>(
    `with stored as (
       select sensor_id, count(*) as readings, count(*) filter (where value =
         mod((extract(epoch from at) * 1000 / $1)::bigint, 1000) * 100000 + right(sensor_id, 12)::bigint) as as_shown
       from reading join series on series.id = series group by sensor_id),
     expected as (
       select selection, covered = tstzmultirange(tstzrange(start_at, upper(covered))) as whole,
         ceil(extract(epoch from upper(covered)) * 1000 / $1) - ceil(extract(epoch from start_at) * 1000 / $1) as points
       from stream join source on source.id = source_id where retired_at is null)
     select count(*) filter (where whole and points = readings and points = as_shown) as right, sum(readings) as readings
     from expected left join stored on sensor_id = selection -> 'sensors' ->> 0 or sensor_id = selection ->> 'group'`,
    [POINT_MS],
  );
  if (row?.right !== sources) throw new WrongData(`the readings of ${row?.right} of ${sources} sources are right`);
}

/** The most slots in any second, of all sources of the host. */
async function checkPace(database: Database, pace: number): Promise<number> {
  const slots = await database.rows<{ at: number }>(
    `select distinct lease ->> 'id' as id, (lease ->> 'until')::bigint - ${LEASE} as at
     from pace_log, jsonb_array_elements(state -> 'leases') as lease where lease -> 'abandoned' is null`,
  );
  const most = mostInAnySecond(slots.map(({ at }) => at / MILLISECOND));
  if (most > pace) throw new WrongData(`${most} slots of the host in one second, where its pace is ${pace}`);
  return most;
}
