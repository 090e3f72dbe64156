import { beforeEach, describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND, formatInstant } from '../../src/core/instant.ts';
import { registry } from '../../src/context-registry.ts';
import { parseHostPaces } from '../../src/core/host-pace.ts';
import type { Quote } from '../../src/core/quote.ts';
import type { Database } from '../../src/database/database.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { changeBackfill } from '../../src/source/backfill/change.ts';
import { quoteBackfill } from '../../src/source/backfill/quote.ts';
import type { QuotedBackfill } from '../../src/source/backfill/quote.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import type { BackfillRequest } from '../../src/source/backfill/start.ts';
import { backfillState, listBackfills } from '../../src/source/backfill/state.ts';
import { addStreams } from '../../src/pull/change-streams.ts';
import { finishCovered, wishesOf } from '../../src/pull/wishes.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';

const databases = useDatabases();
let database: Database;
let source: StoredSource;
let streams: number[];

beforeEach(async () => {
  database = await databases.create();
  source = await storeSource(database);
  streams = [await storeStream(database, source, 'a'), await storeStream(database, source, 'b')];
});

const start = (given: Omit<Partial<BackfillRequest>, 'source'> & { source?: string } = {}): Promise<number> =>
  startBackfill(database, {
    from: 0,
    to: DAY,
    requestedBy: 'tester',
    ...given,
    source: { name: given.source ?? 'source' },
  });

const cover = (streamId: number, from: number, to: number): Promise<number> =>
  database.run(
    'update stream set covered = covered + tstzmultirange(tstzrange(at_instant($2), at_instant($3))) where id = $1',
    [streamId, from, to],
  );

const [a, b] = [0, 1].map((index) => (): number => streams[index] ?? 0) as [() => number, () => number];

describe('a backfill', () => {
  it('is a wish of every stream, makes their history due and is done when every stream has covered it', async () => {
    const id = await start();
    expect(await database.rows(`select due_at <= now() as due from work where kind = 'history'`)).toEqual([
      { due: true },
      { due: true },
    ]);
    expect(await wishesOf(database, a())).toEqual([
      { id, range: { from: 0, to: DAY }, wanted: [{ from: 0, to: DAY }], order: 'oldest', again: false, done: [] },
    ]);
    await cover(a(), 0, DAY);
    await cover(b(), 0, DAY / 2);
    await finishCovered(database, source.sourceId);
    expect(await backfillState(database, id)).toMatchObject({
      state: 'running',
      streams: 2,
      share: 0.75,
      settlesAt: null,
    });
    await cover(b(), DAY / 2, DAY);
    await finishCovered(database, source.sourceId);
    expect(await backfillState(database, id)).toMatchObject({ state: 'done', share: 1 });
    expect(await wishesOf(database, a())).toEqual([]);
  });

  it('with --what all counts its own progress instead of the coverage', async () => {
    await cover(a(), 0, DAY);
    await cover(b(), 0, DAY);
    const id = await start({ what: 'all' });
    await finishCovered(database, source.sourceId);
    expect(await backfillState(database, id)).toMatchObject({ state: 'running', share: 0 });
    await database.run(
      'update backfill_stream set done = tstzmultirange(tstzrange(at_instant(0), at_instant($1))) where backfill_id = $2',
      [DAY, id],
    );
    await finishCovered(database, source.sourceId);
    expect(await backfillState(database, id)).toMatchObject({ state: 'done', share: 1 });
  });

  it('takes in the streams that a look adds while it starts', async () => {
    let starting: Promise<number> | undefined;
    let hasEnded = false;
    await database.transaction(async (client) => {
      const selection = { group: 'hall', sensors: undefined, variables: undefined };
      await addStreams(client, source.sourceId, [{ key: 'hall', selection, sensors: [], inherits: [] }]);
      starting = start({ what: 'all' }).finally(() => (hasEnded = true));
      starting.catch(() => undefined);
      const isWaiting = async (): Promise<boolean> =>
        (await database.row(
          `select from pg_locks where locktype = 'advisory' and not granted
             and database = (select oid from pg_database where datname = current_database())`,
        )) !== undefined;
      while (!hasEnded && !(await isWaiting()));
    });
    await starting;
    const keys = await database.rows('select key from backfill_stream join stream on stream.id = stream_id order by 1');
    expect(keys).toEqual([{ key: 'a' }, { key: 'b' }, { key: 'hall' }]);
  });

  it('does not wait for retired streams', async () => {
    const id = await start();
    await cover(a(), 0, DAY);
    await database.run('update stream set retired_at = now() where id = $1', [b()]);
    expect(await backfillState(database, id)).toMatchObject({ share: 1 });
    await finishCovered(database, source.sourceId);
    expect(await backfillState(database, id)).toMatchObject({ state: 'done' });
  });

  it('is not done where a change of the source ended all its streams, but by those that come next', async () => {
    const id = await start();
    await database.run(`update stream set retired_at = now(), key = key || '~'`);
    await finishCovered(database, source.sourceId);
    expect(await backfillState(database, id)).toMatchObject({ state: 'running', share: 0 });
    const next = await storeStream(database, source, 'a');
    await database.run('insert into backfill_stream (backfill_id, stream_id) values ($1, $2)', [id, next]);
    await finishCovered(database, source.sourceId);
    expect(await backfillState(database, id)).toMatchObject({ state: 'running' });
    await cover(next, 0, DAY);
    await finishCovered(database, source.sourceId);
    expect(await backfillState(database, id)).toMatchObject({ state: 'done', share: 1 });
  });

  it('that was cancelled asks for nothing more, and cannot be cancelled twice', async () => {
    const id = await start();
    expect(await changeBackfill(database, id, 'cancel', 'tester')).toBe(true);
    expect(await changeBackfill(database, id, 'cancel', 'tester')).toBe(false);
    expect(await wishesOf(database, a())).toEqual([]);
    await cover(a(), 0, DAY);
    await cover(b(), 0, DAY);
    await finishCovered(database, source.sourceId);
    expect(await listBackfills(database)).toMatchObject([{ id, state: 'cancelled' }]);
  });
});

describe('the end of a backfill', () => {
  it('is the newest settled point of the grid, because windows end there', async () => {
    for (const [align, length] of [
      [null, SECOND],
      ['1m', MINUTE],
      ['1d', DAY],
    ] as const) {
      await database.run(
        `update source set settle_us = 10 * 1e6, config = jsonb_build_object('schedule',
        jsonb_build_object('align', $1::text))`,
        [align],
      );
      const state = await backfillState(database, await start({ to: undefined as never }));
      const now = await database.row<{ now: number }>('select instant_of(now()) as now');
      const to = state?.to ?? NaN;
      expect(to % length).toBe(0);
      expect(to).toBeLessThanOrEqual((now?.now ?? 0) - 10 * SECOND);
      expect(to).toBeGreaterThan((now?.now ?? 0) - 10 * SECOND - length - MINUTE);
    }
  });

  it('is the start of the source where that has not settled yet, because live polls never ask before it', async () => {
    await database.run(`update source set settle_us = 3600 * 1e6, start_at = date_trunc('second', now())`);
    const row = await database.row<{ start: number }>('select instant_of(start_at) as start from source');
    expect(await backfillState(database, await start({ to: undefined as never }))).toMatchObject({
      to: row?.start,
      settlesAt: (row?.start as number) + HOUR,
    });
    expect(await backfillState(database, await start({ to: row?.start as number }))).toMatchObject({ to: row?.start });
    await expect(start({ to: (row?.start as number) + SECOND })).rejects.toMatchObject({ code: 'config-invalid' });
  });

  it('is refused where it has not settled yet or is not after --from', async () => {
    const now = await database.row<{ now: number }>('select instant_of(now()) as now');
    await expect(start({ to: (now?.now ?? 0) + HOUR })).rejects.toMatchObject({ code: 'config-invalid' });
    await expect(start({ from: DAY, to: DAY })).rejects.toMatchObject({ code: 'config-invalid' });
    expect(await listBackfills(database)).toEqual([]);
  });
});

/** Gives the source a configuration. */
async function configure(): Promise<void> {
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
}

describe('a quote', () => {
  beforeEach(configure);
  const quote = (given: Partial<BackfillRequest> = {}): Promise<QuotedBackfill> =>
    quoteBackfill(database, registry, { source: { name: 'source' }, from: 0, to: DAY, ...given }, 10_000);

  it('says what is still to be asked for, and which backfills ask for it already', async () => {
    await cover(a(), 0, DAY);
    const other = await start({ from: HOUR });
    expect(await quote()).toMatchObject({ from: 0, to: DAY, besides: [other], quote: { timeSeconds: 86_400 } });
    expect(await backfillState(database, await start())).toMatchObject({ leftSeconds: 86_400 });
    await cover(b(), 0, DAY);
    const none = { expected: 0, least: 0, most: 0 };
    expect((await quote()).quote).toMatchObject({
      streams: 2,
      timeSeconds: 0,
      windows: 0,
      requests: none,
      seconds: none,
    });
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
      [a(), source.sourceId, HOUR],
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
  await configure();
  const replay = (...args: readonly string[]) =>
    databridgeHere(['refusals', 'replay', 'source', ...args], {
      env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' },
    });
  expect(await replay()).toMatchObject({ code: 0, stdout: 'nothing of source is refused\n' });
  await database.run(
    `insert into refused_hour (stream_id, hour, sensor, variable, reason, points, examples)
     select $1, at_instant(hour * $2::bigint), 's', 'v', 'not-a-number', '{1}', '[]' from unnest(array[5, 3]) as hour`,
    [b(), HOUR],
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
  expect(await wishesOf(database, b())).toMatchObject([
    { again: true, wanted: [3, 5].map((hour) => ({ from: hour * HOUR, to: (hour + 1) * HOUR })) },
  ]);
});

it('a backfill of a source that is unknown or not active is refused', async () => {
  await expect(start({ source: 'nowhere' })).rejects.toMatchObject({ code: 'config-invalid' });
  await database.run(`update source set state = 'paused'`);
  await expect(start()).rejects.toMatchObject({ remedy: 'databridge source resume source' });
});
