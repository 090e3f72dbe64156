import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import pg from 'pg';
import { openDatabase } from '../../src/database/database.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { parseInstant } from '../../src/core/instant.ts';
import { dropOldLogs } from '../../src/upkeep/housekeeping.ts';
import { useDatabases } from '../kit/databases.ts';
import { startSimulator } from '../kit/simulator.ts';
import type { RunningSimulator } from '../kit/simulator.ts';
import { eventually, startRig } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { ACCOUNT, NONE, device, differences, thingsboard } from './plant-simulator.ts';

// The processes of the bridge run in a zone with half hours and daylight saving, and the database in another one.

const HOST_ZONE = 'America/St_Johns';
const DATABASE_ZONE = 'Australia/Lord_Howe';
/** Changes of either zone; in 1988 the clocks of St. John's went two hours forward, a minute after midnight. */
const CHANGES = ['2025-03-09T05:30:00Z', '2025-11-02T04:30:00Z', '2025-04-05T15:00:00Z', '1988-04-03T03:31:00Z'];
const HOUR_MS = 3_600_000;

const databases = useDatabases();
let rig: Rig | undefined;
let simulator: RunningSimulator | undefined;

afterEach(async () => {
  await rig?.close();
  await simulator?.stop();
  [rig, simulator] = [undefined, undefined];
});

/** A database with a time zone of its own; the answer is its address. */
async function createInZone(): Promise<string> {
  const url = await databases.createMigrated();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`alter database ${new URL(url).pathname.slice(1)} set timezone to '${DATABASE_ZONE}'`);
  await client.end();
  return url;
}

/** All words of a text that look like a date with a time, or a time of day with a zone. */
const timesIn = (text: string): string[] => text.match(/\b\d{4}-\d\d-\d\dT[^\s/",]+|\b\d\d:\d\d:\d\d[^\s/",]*/g) ?? [];

const isUtc = (time: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(time);

it('hosts and databases in local time poll and backfill over time changes, and print UTC', async () => {
  const nowMs = Math.floor(Date.now() / 1000) * 1000;
  const live = device(1);
  const old = device(2, 60_000, ['flow']);
  const truth = { seed: 3, firstMs: Date.UTC(1988, 3, 1), liveFromMs: nowMs, devices: [live, old] };
  simulator = await startSimulator({ name: 'thingsboard', accounts: [ACCOUNT], truth });
  rig = await startRig({ ...databases, createMigrated: createInZone }, ['hall'], { TZ: HOST_ZONE });
  const { bridge, client } = rig;
  const source = (name: string, number: 1 | 2, more: object): Record<string, unknown> =>
    thingsboard(name, simulator?.url ?? '', {
      sensors: [{ id: (number === 1 ? live : old).id }],
      schedule: { every: '1s', start: '1m', settle: '1s', overlap: '0s', ...more },
    });
  await rig.apply(source('live', 1, {}), source('old', 2, {}));
  for (const change of CHANGES) {
    const at = Date.parse(change);
    const [from, to] = [new Date(at - HOUR_MS).toISOString(), new Date(at + HOUR_MS).toISOString()];
    await bridge.succeed('backfill', 'start', 'old', '--from', from, '--to', to);
    expect(
      await differences(client, truth, { fromMs: Date.parse(from), toMs: Date.parse(to), devices: [old] }),
    ).toEqual(NONE);
    const printed = await bridge.succeed('readings', 'hall', '--from', from, '--to', to, '--format', 'ndjson');
    expect(printed.trim().split('\n')).toHaveLength(120);
    for (const line of printed.trim().split('\n')) {
      const { date } = JSON.parse(line) as { date: string };
      expect(isUtc(date)).toBe(true);
      expect(Date.parse(date)).toBeGreaterThanOrEqual(Date.parse(from));
      expect(Date.parse(date)).toBeLessThan(Date.parse(to));
    }
  }
  // A date without a time is a day of UTC.
  const day = await bridge.succeed('readings', 'hall', '--from', '2025-11-02', '--to', '2025-11-03', '--format', 'csv');
  expect(day.match(/2025-11-02T0[345]:\d\d:00Z/g)).toHaveLength(120);
  expect(day.trim().split('\n')).toHaveLength(121);

  const untilMs = Date.now();
  await rig.covered('live', untilMs);
  const { startMs } = await rig.source('live');
  expect(await differences(client, truth, { fromMs: startMs, toMs: untilMs, devices: [live] })).toEqual(NONE);

  const texts = [
    await bridge.succeed('source', 'show', 'old'),
    await bridge.succeed('source', 'show', 'live', '--json'),
    await bridge.succeed('source', 'list', '--json'),
    await bridge.succeed('backfill', 'list'),
    await bridge.succeed('backfill', 'list', '--json'),
    await bridge.succeed('audit', 'list'),
    await bridge.succeed('audit', 'list', '--json'),
    (await bridge.run('doctor')).stdout,
  ];
  const times = texts.flatMap(timesIn);
  expect(times.length).toBeGreaterThan(20);
  expect(times.filter((time) => !isUtc(time))).toEqual([]);

  const { rows } = await client.query<{ name: string; days: string[] }>(
    `select tableoid::regclass::text as name, array_agg(distinct to_char(asked_at at time zone 'UTC', 'YYYY_MM_DD')) as days
     from window_log group by 1`,
  );
  expect(rows.map(({ name, days }) => [`window_log_${days.join()}`, name])).toEqual(
    rows.map(({ name }) => [name, name]),
  );
  const months = await client.query<{ wrong: string }>(
    `select tableoid::regclass::text as wrong from reading
     where tableoid::regclass::text not in ('reading_early', 'reading_' || to_char(at at time zone 'UTC', 'YYYY_MM'))`,
  );
  expect(months.rows).toEqual([]);
});

it('quiet hours follow their own zone, whatever the zones of host and database are', async () => {
  simulator = await startSimulator({
    name: 'thingsboard',
    accounts: [ACCOUNT],
    truth: { seed: 3, firstMs: Date.now() - 2 * HOUR_MS, liveFromMs: Date.now(), devices: [device(1)] },
  });
  rig = await startRig({ ...databases, createMigrated: createInZone }, ['hall'], { TZ: HOST_ZONE });
  const hourInTokyo = (at: number): string => new Date(at + 9 * HOUR_MS).toISOString().slice(11, 16);
  const nowMs = Date.now();
  const pace = (from: number, to: number): object => ({
    requestsPerSecond: 50,
    quietHours: [{ from: hourInTokyo(from), to: hourInTokyo(to), zone: 'Asia/Tokyo' }],
  });
  await rig.apply(
    thingsboard('quiet', simulator.url, { pace: pace(nowMs - HOUR_MS, nowMs + HOUR_MS) }),
    thingsboard('busy', simulator.url, { pace: pace(nowMs + 4 * HOUR_MS, nowMs + 20 * HOUR_MS) }),
  );
  await rig.covered('busy', nowMs);
  const { heldUntilMs } = await eventually('the end of the quiet hours', async () => {
    const state = await rig?.source('quiet');
    return state !== undefined && state.heldUntilMs !== null && state;
  });
  // They end with a minute of the wall clock, and the bridge looks again a little before.
  const endMs = Math.floor((nowMs + HOUR_MS) / 60_000) * 60_000;
  expect(heldUntilMs).toBeLessThanOrEqual(endMs);
  expect(heldUntilMs).toBeGreaterThan(endMs - 60_000);
  const show = await rig.bridge.succeed('source', 'show', 'quiet');
  expect(show).toContain(`not asked before ${new Date(heldUntilMs ?? 0).toISOString().slice(0, 16)}`);
});

it('the log on a terminal shows UTC', async () => {
  const log = new URL('../../src/telemetry/log.ts', import.meta.url).href;
  const script = `import { openLog } from '${log}'; (await openLog('info', true)).info('hello'); console.log(new Date().toISOString())`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, TZ: HOST_ZONE },
  });
  const [, shown = ''] = /\[(\d\d:\d\d:\d\d\.\d{3}Z)\]/.exec(stderr) ?? [];
  const now = Date.parse(stdout.trim());
  const day = stdout.slice(0, 10);
  // Around midnight the line was written a day before.
  const ages = [now - Date.parse(`${day}T${shown}`), now - Date.parse(`${day}T${shown}`) + 24 * HOUR_MS];
  expect(ages.some((age) => age >= 0 && age < HOUR_MS)).toBe(true);
});

it('every session counts in UTC, so a day lasts 24 hours and the log of windows ends with a day of UTC', async () => {
  const database = await openDatabase({
    url: await createInZone(),
    poolSize: 2,
    applicationName: 'tests',
    patient: false,
  });
  try {
    const hours = `select extract(epoch from timestamptz '2025-10-05T00:00:00+10:30' + interval '1 day' - timestamptz '2025-10-05T00:00:00+10:30')::int / 60 as minutes`;
    expect(await database.row(hours)).toEqual({ minutes: 1_440 });
    const dedicated = await database.dedicated();
    expect((await dedicated.query('show timezone')).rows).toEqual([{ TimeZone: 'UTC' }]);
    // Neither does a session compile a statement over all sources, which takes longer than the statement.
    await database.run(`do $$ begin execute format('alter database %I set jit = on', current_database()); end $$`);
    const another = await database.dedicated();
    for (const one of [dedicated, another]) {
      expect((await one.query('show jit')).rows).toEqual([{ jit: 'off' }]);
      await one.end();
    }

    const startOfToday = (): number => parseInstant(new Date().toISOString().slice(0, 10) + 'T00:00:00Z') ?? NaN;
    const today = startOfToday();
    const DAY = 86_400_000_000;
    for (const age of [0, 1, 2, 3])
      await partitionsOf(database).ensure('window_log', today - age * DAY, today - age * DAY + 1);
    await dropOldLogs(database, 2);
    const left = await database.rows<{ name: string }>(
      `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'window_log'::regclass order by 1`,
    );
    const names = [2, 1, 0].map(
      (age) => `window_log_${new Date((today - age * DAY) / 1000).toISOString().slice(0, 10).replaceAll('-', '_')}`,
    );
    // A midnight during the test makes the oldest one too old.
    const possible = startOfToday() === today ? [names] : [names, names.slice(1)];
    expect(possible).toContainEqual(left.map(({ name }) => name));
  } finally {
    await database.close();
  }
});
