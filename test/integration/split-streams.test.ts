import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { DAY, HOUR, SECOND, parseInstant } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import type { Samples } from '../../src/platform/contract.ts';
import type { Bridge } from '../../src/pull/bridge.ts';
import { addStreams } from '../../src/pull/sensors/change-streams.ts';
import { look } from '../../src/pull/sensors/discovery.ts';
import type { PlannedStream } from '../../src/pull/sensors/stream-plan.ts';
import { poll } from '../../src/pull/poll.ts';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { storeSource } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';
import { dueLooks } from '../kit/work.ts';

// A group with more series than a window may hold, on a real database. A window of these tests holds 1,000 readings in comfort
// and 4,000 at most.

const databases = useDatabases();
const begin = parseInstant('2026-03-01T00:00:00Z') ?? 0;
const signal = new AbortController().signal;
let database: Database;
let stored: StoredSource;
let now: number;
let sensors: string[];
let asked: { sensors: number; from: number; to: number }[];

beforeEach(async () => {
  database = await databases.create();
  stored = await storeSource(database, 'source', { every: HOUR });
  now = begin + 10 * SECOND;
  asked = [];
});

const named = (count: number): string[] => Array.from({ length: count }, (_, index) => `s${index}`);

/** The truth: each sensor has a value every 5 s, the number of seconds since the begin. */
function* samplesIn(names: readonly string[], from: number, to: number): Generator<Samples> {
  const at: number[] = [];
  for (let instant = Math.ceil(from / (5 * SECOND)) * 5 * SECOND; instant < to; instant += 5 * SECOND) at.push(instant);
  if (at.length === 0) return;
  const values = at.map((instant) => (instant - begin) / SECOND);
  for (const sensor of names) yield { sensor, variable: 'flow', at, values };
}

function process(): Bridge {
  const policy = { start: begin, settle: 0, align: SECOND, overlap: 0, maxWindow: DAY };
  const source = openSourceOf(stored, {
    policy,
    read: ({ from, to }, { sensors: chosen = sensors }) => {
      asked.push({ sensors: chosen.length, from, to });
      return samplesIn(chosen, from, to);
    },
  });
  const platform = {
    ...source.platform,
    facts: { ...source.platform.facts, sensorsPerRead: Infinity, namesVariables: false },
    *sensors() {
      for (const id of sensors) yield { id, group: 'hall', variables: ['flow'] };
    },
  };
  const opened = { ...source, platform, config: { ...source.config, sensors: 'all' } } as unknown as typeof source;
  return bridgeOf(database, { source: opened, now: () => now, workerId: randomUUID() });
}

async function lookNow(): Promise<void> {
  await dueLooks(database);
  await look(process(), stored.sourceId, signal);
}

async function pollUntilCovered(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) {
    await database.run('update stream set retry_at = null');
    await poll(process(), stored.sourceId, signal);
    const row = await database.row<{ left: number }>(
      `select count(*) as left from stream where retired_at is null and not covered @> tstzrange(at_instant($1), at_instant($2))`,
      [begin, now],
    );
    if (row?.left === 0) return;
  }
  const faults = await database.rows('select key, last_fault from stream where retired_at is null limit 3');
  throw new Error(`not covered after 30 polls: ${JSON.stringify(faults)}`);
}

const stored5s = () =>
  database.rows<{ readings: number; series: number; wrong: number }>(
    `select count(*) as readings, count(distinct series) as series,
       count(*) filter (where value <> (instant_of(at) - $1) / 1000000) as wrong from reading`,
    [begin],
  );

test('a group with more series than a window can hold is read in parts, every reading once', async () => {
  sensors = named(4_500);
  await lookNow();
  await pollUntilCovered();
  expect(await stored5s()).toEqual([{ readings: 9_000, series: 4_500, wrong: 0 }]);
  for (const one of asked) expect(one.sensors).toBeLessThanOrEqual(200);
});

test('a group that grows too large goes on from the coverage and the backfills it had', async () => {
  sensors = named(800);
  await lookNow();
  await pollUntilCovered();
  await database.run(
    `insert into backfill (source_id, from_at, to_at, what, state, requested_by) values ($1, at_instant($2), at_instant($3), 'all', 'running', 'test')`,
    [stored.sourceId, begin, begin + 10 * SECOND],
  );
  await database.run(
    `insert into backfill_stream (backfill_id, stream_id, done)
     select backfill.id, stream.id, tstzmultirange(tstzrange(at_instant($1), at_instant($2))) from backfill, stream`,
    [begin, begin + 4 * SECOND],
  );
  await database.run('update stream set look_again = tstzmultirange(tstzrange(at_instant($1), at_instant($2)))', [
    begin + SECOND,
    begin + 3 * SECOND,
  ]);
  sensors = named(1_100);
  await lookNow();
  const parts = await database.rows<{ covered: number[][]; done: number[][]; again: number[][]; sensors: number }>(
    `select instants_of(covered) as covered, instants_of(done) as done, instants_of(look_again) as again,
       jsonb_array_length(selection -> 'sensors') as sensors
     from stream join backfill_stream on stream_id = stream.id where retired_at is null order by stream.id`,
  );
  const inherited = {
    covered: [[begin, begin + 10 * SECOND]],
    done: [[begin, begin + 4 * SECOND]],
    again: [[begin + SECOND, begin + 3 * SECOND]],
  };
  expect(parts).toEqual([
    ...Array.from({ length: 5 }, () => ({ ...inherited, sensors: 200 })),
    { ...inherited, sensors: 100 },
  ]);
  asked = [];
  now += 10 * SECOND;
  await pollUntilCovered();
  for (const { from } of asked) expect(from).toBeGreaterThanOrEqual(begin + 10 * SECOND);
  // The 300 new series have no readings of the time before the group was read in parts: the stream read them from the start.
  expect(await stored5s()).toEqual([{ readings: 800 * 2 + 1_100 * 2, series: 1_100, wrong: 0 }]);
});

test('streams that a look and a poll add at the same time get keys of their own', async () => {
  const selection = { group: undefined, sensors: ['pump'], variables: undefined };
  const planned: PlannedStream = { key: 'pump', selection, sensors: [], inherits: [] };
  const add = () => database.transaction(async (client) => await addStreams(client, stored.sourceId, [planned]));
  const added = (await Promise.all([add(), add(), add()])).flat();
  expect(added.map(({ key }) => key).toSorted()).toEqual(['pump', 'pump#2', 'pump#3']);
});
