import { beforeEach, describe, expect, it } from 'vitest';
import { registry } from '../../src/context-registry.ts';
import { parseHostPaces } from '../../src/core/host-pace.ts';
import { DAY, HOUR, SECOND, formatInstant, parseInstant } from '../../src/core/instant.ts';
import type { Quote } from '../../src/core/quote.ts';
import type { Database } from '../../src/database/database.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { quoteBackfill } from '../../src/source/backfill/quote.ts';
import type { QuotedBackfill } from '../../src/source/backfill/quote.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import type { BackfillRequest } from '../../src/source/backfill/start.ts';
import { backfillState } from '../../src/source/backfill/state.ts';
import { wishesOf } from '../../src/pull/history/wishes.ts';
import { useDatabases } from '../kit/databases.ts';
import { LONGEST_MS, longestStretch } from '../kit/event-loop.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';

// What a backfill would take, before it runs, and one that asks for refused points again.

const databases = useDatabases();
let database: Database;
let source: StoredSource;
let [a, b] = [0, 0];

beforeEach(async () => {
  database = await databases.create();
  source = await storeSource(database);
  [a, b] = [await storeStream(database, source, 'a'), await storeStream(database, source, 'b')];
  const config = {
    name: 'source',
    project: 'project',
    kind: 'user-credentials',
    platform: 'influxdb',
    connection: { url: 'https://plant.example', username: 'reader', password: 'hunter2' },
    options: { database: 'plant' },
    schedule: { every: '1m' },
  };
  await database.run('update source set kind = $1, platform = $2, config = $3', [
    config.kind,
    config.platform,
    JSON.stringify(config),
  ]);
});

const start = (given: Partial<BackfillRequest> = {}): Promise<number> =>
  startBackfill(database, { source: { name: 'source' }, from: 0, to: DAY, requestedBy: 'tester', ...given });

const cover = (streamId: number): Promise<number> =>
  database.run('update stream set covered = tstzmultirange(tstzrange(at_instant(0), at_instant($2))) where id = $1', [
    streamId,
    DAY,
  ]);

describe('a quote', () => {
  const quote = (given: Partial<BackfillRequest> = {}): Promise<QuotedBackfill> =>
    quoteBackfill(database, registry, { source: { name: 'source' }, from: 0, to: DAY, ...given }, 10_000);

  it('says what is still to be asked for, and which backfills ask for it already', async () => {
    await cover(a);
    const other = await start({ from: HOUR });
    expect(await quote()).toMatchObject({ from: 0, to: DAY, besides: [other], quote: { timeSeconds: 86_400 } });
    expect(await backfillState(database, await start())).toMatchObject({ leftSeconds: 86_400 });
    await cover(b);
    const none = { expected: 0, least: 0, most: 0 };
    expect((await quote()).quote).toMatchObject({
      streams: 2,
      timeSeconds: 0,
      windows: 0,
      requests: none,
      seconds: none,
    });
  });

  it('of hundreds of thousands of stretches keeps no other work waiting', async () => {
    await database.run(
      `insert into stream (source_id, key, selection, sensors, covered)
       select $1, 's' || n, '{}', '[]', (select range_agg(tstzrange(day, day + interval '20 hours')) from generate_series(timestamptz '2025-01-01Z', '2025-12-31Z', interval '1 day') as day)
       from generate_series(1, 400) as n`,
      [source.sourceId],
    );
    await database.run('update stream set retired_at = now() where id = any($1)', [[a, b]]);
    const [from, to] = ['2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'].map((text) => parseInstant(text) ?? 0);
    let windows = 0;
    let least = Infinity;
    for (let measured = 0; measured < 3 && least >= LONGEST_MS; measured += 1) {
      const longest = await longestStretch(async () => {
        ({ windows } = (await quote({ from: from as number, to })).quote);
      });
      least = Math.min(least, longest);
    }
    expect(windows).toBeGreaterThanOrEqual(400 * 365);
    expect(least).toBeLessThan(LONGEST_MS);
  });

  it('of a range without data expects no readings, and a request for each window all the same', async () => {
    const quoted = async () => (await quote()).quote;
    const unknown = await quoted();
    expect(unknown).toMatchObject({ basis: 0, readings: { expected: 0 }, requests: { least: unknown.windows } });
    expect(unknown.windows).toBeGreaterThan(0);
    await partitionsOf(database).ensure('window_log', (Date.now() - 3_600_000) * 1_000, Date.now() * 1_000);
    await database.run(
      `insert into window_log (stream_id, source_id, lane, from_at, to_at, asked_at, requests, bytes, readings, duplicates, revised, refused, late,
         waited_ms, http_ms, normalise_ms, store_ms)
       select $1, $2, 'history', at_instant(hour * $3::bigint), at_instant((hour + 1) * $3::bigint), now() - interval '1 minute', 1, 200, 0, 0, 0, 0, 0, 0, 40, 1, 1
       from generate_series(100, 199) as hour`,
      [a, source.sourceId, HOUR],
    );
    // Both streams are judged by the windows of the one.
    const seen = await quoted();
    expect(seen).toMatchObject({ basis: 100, readings: { expected: 0, most: 0 }, requests: { least: seen.windows } });
    expect(seen.bytes.expected).toBe(2 * 24 * 200);
  });

  it('of a range that has not settled, or lies in the future, is refused with the end that there is', async () => {
    const now = (await database.row<{ now: number }>('select instant_of(now()) as now'))?.now ?? 0;
    await expect(quote({ to: now + HOUR })).rejects.toMatchObject({
      code: 'config-invalid',
      remedy: expect.stringMatching(/^leave --to out to go up to \d{4}-/) as string,
    });
    await expect(quote({ from: now + HOUR, to: undefined })).rejects.toThrow('--from is not before --to');
    await expect(quote({ from: now + HOUR, to: now + 2 * HOUR })).rejects.toMatchObject({ code: 'config-invalid' });
  });

  it('is bounded by the pace of its host, of which the live polls of all its sources leave a part', async () => {
    const other = await storeSource(database, 'other');
    await database.run(
      `update source set config = (select config from source where name = 'source') || '{"connection": {"url": "https://plant.example:8443"}}' where id = $1`,
      [other.sourceId],
    );
    const counts = `${Math.floor(Date.now() / 60_000)}|360,100,,7`;
    await database.run(`insert into pace (source_id, state, requests) values ($1, '{}', $2)`, [other.sourceId, counts]);
    const quoteWith = async (pace: string): Promise<Quote> =>
      (
        await quoteBackfill(
          database,
          registry,
          { source: { name: 'source' }, from: 0, to: DAY },
          10_000,
          parseHostPaces(pace),
        )
      ).quote;
    const bounded = await quoteWith('plant.example=0.5');
    expect(bounded).toMatchObject({ requestsPerSecond: 0.4, liveWaitSeconds: 2 });
    expect(bounded.seconds?.expected).toBe(Math.ceil(bounded.requests.expected / 0.4));
    expect((await quoteWith('plant.example=0.1')).seconds).toBeNull();
    expect(await quoteWith('elsewhere.example=0.5')).toEqual((await quote()).quote);
  });

  it('over a start that moved has the range that a start then gets', async () => {
    await database.run(`update source set settle_us = 3600 * 1e6`);
    for (const moved of [
      `date_trunc('second', now())`,
      `date_trunc('second', now()) - interval '30 days'`,
      `'epoch'`,
    ]) {
      await database.run(`update source set start_at = ${moved}`);
      const { from, to, quote: quoted } = await quote({ to: undefined });
      const state = await backfillState(database, await start({ to }));
      expect(state).toMatchObject({ from, to, leftSeconds: quoted.timeSeconds });
      // Time before the start is asked for, too, because an operator asked for it.
      expect(quoted.timeSeconds).toBe((2 * (to - from)) / SECOND);
    }
  });
});

it('refusals replay begins with the first hour of which points are refused', async () => {
  const replay = (...args: readonly string[]) =>
    databridgeHere(['refusals', 'replay', 'source', ...args], {
      env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' },
    });
  expect(await replay()).toMatchObject({ code: 0, stdout: 'nothing of source is refused\n' });
  await database.run(
    `insert into refused_hour (stream_id, hour, sensor, variable, reason, points, examples)
     select $1, at_instant(hour * $2::bigint), 's', 'v', 'not-a-number', '{1}', '[]' from unnest(array[5, 3]) as hour`,
    [b, HOUR],
  );
  const { code, stdout } = await replay('--sensor', 'b', '--detach', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    what: 'refused',
    from: formatInstant(3 * HOUR),
    streams: 1,
    state: 'running',
    quoted: { timeSeconds: 7_200 },
  });
  expect(await wishesOf(database, b)).toMatchObject([
    { again: true, wanted: [3, 5].map((hour) => ({ from: hour * HOUR, to: (hour + 1) * HOUR })) },
  ]);
});
