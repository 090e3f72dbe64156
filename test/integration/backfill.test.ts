import { beforeEach, describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { changeBackfill } from '../../src/source/backfill/change.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import type { BackfillRequest } from '../../src/source/backfill/start.ts';
import { backfillState, listBackfills } from '../../src/source/backfill/state.ts';
import { addStreams } from '../../src/pull/sensors/change-streams.ts';
import { finishCovered, wishesOf } from '../../src/pull/history/wishes.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';

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
    // What is forgotten later is no part of it, and nobody walks through it again.
    await database.run(`update stream set covered = '{}'`);
    expect(await backfillState(database, id)).toMatchObject({ state: 'done', share: 1, leftSeconds: 0 });
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

it('a backfill of a source that is unknown or not active is refused', async () => {
  await expect(start({ source: 'nowhere' })).rejects.toMatchObject({ code: 'config-invalid' });
  await database.run(`update source set state = 'paused'`);
  await expect(start()).rejects.toMatchObject({ remedy: 'databridge source resume source' });
});
