import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { DAY, HOUR, SECOND, parseInstant } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import type { Samples } from '../../src/platform/contract.ts';
import type { Bridge } from '../../src/pull/bridge.ts';
import { look } from '../../src/pull/sensors/discovery.ts';
import { history } from '../../src/pull/history/history.ts';
import { poll } from '../../src/pull/poll.ts';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { storeSource } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';
import { dueLooks } from '../kit/work.ts';

// Two streams read some sensors of a group each, and have read different time. The operator takes all sensors, so that one
// stream reads the group whole. Its history has to ask for exactly what one of the two had not. All times are in seconds since
// the begin; the bridge knows the first minute.

type Ranges = readonly (readonly [from: number, to: number])[];

const MINUTE_LONG: Ranges = [[0, 60]];

const databases = useDatabases();
const begin = parseInstant('2026-03-01T00:00:00Z') ?? 0;
const now = begin + 60 * SECOND;
const signal = new AbortController().signal;
let database: Database;
let stored: StoredSource;

beforeEach(async () => {
  database = await databases.create();
  stored = await storeSource(database, 'source', { every: HOUR });
});

/** Each sensor has a value every 5 s. */
function* samplesIn(from: number, to: number): Generator<Samples> {
  const at: number[] = [];
  for (let instant = Math.ceil(from / (5 * SECOND)) * 5 * SECOND; instant < to; instant += 5 * SECOND) at.push(instant);
  if (at.length > 0) for (const sensor of ['s0', 's1']) yield { sensor, variable: 'flow', at, values: at.map(() => 1) };
}

function process(): Bridge {
  const policy = { start: begin, settle: 0, align: SECOND, overlap: 0, maxWindow: DAY };
  const source = openSourceOf(stored, { policy, read: ({ from, to }) => samplesIn(from, to) });
  const platform = {
    ...source.platform,
    facts: { ...source.platform.facts, sensorsPerRead: Infinity, namesVariables: false },
    *sensors() {
      for (const id of ['s0', 's1']) yield { id, group: 'hall', variables: ['flow'] };
    },
  };
  const opened = { ...source, platform, config: { ...source.config, sensors: 'all' } } as unknown as typeof source;
  return bridgeOf(database, { source: opened, now: () => now, workerId: randomUUID() });
}

const multirange = (ranges: Ranges): string =>
  `{${ranges.map(([from, to]) => `[${[from, to].map((at) => new Date((begin + at * SECOND) / 1000).toISOString()).join(',')})`).join(',')}}`;

/** A stream that reads one sensor of the group; the answer is its id. */
async function storeListed(sensor: string, covered: Ranges, again: Ranges = []): Promise<number> {
  const row = await database.row<{ id: number }>(
    `insert into stream (source_id, source_revision, key, selection, sensors, covered, look_again)
     values ($1, 1, $2, jsonb_build_object('group', 'hall', 'sensors', jsonb_build_array($2::text)), '[]', $3, $4) returning id`,
    [stored.sourceId, sensor, multirange(covered), multirange(again)],
  );
  return row?.id ?? 0;
}

async function lookNow(): Promise<void> {
  await dueLooks(database);
  await database.run('update source set discovered_at = now()');
  await look(process(), stored.sourceId, signal);
}

/** Polls, runs the history of the one stream that is left, if it is due, and gives the seconds whose points are stored then. */
async function secondsAsked(): Promise<number[]> {
  await poll(process(), stored.sourceId, signal);
  const due = await database.rows<{ id: number }>(`select id from work where kind = 'history' and due_at <= now()`);
  for (const { id } of due) await history(process(), id, signal);
  const rows = await database.rows<{ at: number; sensors: number }>(
    'select instant_of(at) as at, count(*)::int as sensors from reading group by 1 order by 1',
  );
  for (const { sensors } of rows) expect(sensors).toBe(2);
  return rows.map(({ at }) => (at - begin) / SECOND);
}

const inSeconds = (ranges: readonly (readonly number[])[]): number[][] =>
  ranges.map((range) => range.map((at) => (at - begin) / SECOND));

const left = async (): Promise<{ key: string; covered: number[][]; again: number[][] }[]> =>
  (
    await database.rows<{ key: string; covered: number[][]; again: number[][] }>(
      `select key, instants_of(covered) as covered, instants_of(look_again) as again from stream where retired_at is null`,
    )
  ).map(({ key, covered, again }) => ({ key, covered: inSeconds(covered), again: inSeconds(again) }));

test('a stream that takes over from several covers what all of them had covered, and the rest is asked for', async () => {
  await storeListed('s0', [
    [0, 10],
    [20, 60],
  ]);
  await storeListed('s1', [[0, 40]]);
  await lookNow();
  const covered = [
    [0, 10],
    [20, 40],
  ];
  expect(await left()).toEqual([{ key: 'hall', covered, again: [] }]);
  expect(await secondsAsked()).toEqual([10, 15, 40, 45, 50, 55]);
  expect(await left()).toEqual([{ key: 'hall', covered: MINUTE_LONG, again: [] }]);
});

test('a stream that takes over from one that covered nothing covers nothing', async () => {
  await storeListed('s0', MINUTE_LONG);
  await storeListed('s1', []);
  await lookNow();
  expect(await left()).toEqual([{ key: 'hall', covered: [], again: [] }]);
});

test('time that any of them was to look at once more is looked at by the new one, without anybody asking', async () => {
  await storeListed('s0', MINUTE_LONG, [[5, 15]]);
  await storeListed('s1', MINUTE_LONG, [[50, 55]]);
  await lookNow();
  const again = [
    [5, 15],
    [50, 55],
  ];
  expect(await left()).toEqual([{ key: 'hall', covered: MINUTE_LONG, again }]);
  expect(await secondsAsked()).toEqual([5, 10, 50]);
  expect(await left()).toEqual([{ key: 'hall', covered: MINUTE_LONG, again: [] }]);
});

test('a running backfill goes on with what one of them had not done, and ends', async () => {
  const [s0, s1] = [await storeListed('s0', MINUTE_LONG), await storeListed('s1', MINUTE_LONG)];
  await database.run(
    `insert into backfill (source_id, from_at, to_at, what, requested_by) values ($1, at_instant($2), at_instant($3), 'all', 'test')`,
    [stored.sourceId, begin, now],
  );
  for (const [id, done] of [
    [s0, [[0, 30]]],
    [s1, [[10, 60]]],
  ] as const) {
    await database.run('insert into backfill_stream (backfill_id, stream_id, done) select id, $1, $2 from backfill', [
      id,
      multirange(done),
    ]);
  }
  await lookNow();
  const done = await database.rows<{ done: number[][] }>(
    'select instants_of(done) as done from backfill_stream join stream on stream.id = stream_id where retired_at is null',
  );
  expect(done.map((row) => inSeconds(row.done))).toEqual([[[10, 30]]]);
  expect(await secondsAsked()).toEqual([0, 5, 30, 35, 40, 45, 50, 55]);
  expect(await database.rows('select state from backfill')).toEqual([{ state: 'done' }]);
});
