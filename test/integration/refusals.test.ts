import { beforeEach, describe, expect, it } from 'vitest';
import type { Batch, Refusal } from '../../src/core/batch.ts';
import { HOUR } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import type { Committed } from '../../src/pull/commit.ts';
import { useDatabases } from '../kit/databases.ts';
import { batchOf, storeStream } from '../kit/stored-source.ts';
import { BORDER, SMALL, columnsFrom, makeGround, refusal } from './commit-ground.ts';
import type { Given, Ground } from './commit-ground.ts';

const databases = useDatabases();
let ground: Ground;
let database: Database;

beforeEach(async () => {
  ground = await makeGround(databases);
  ({ database } = ground);
});

const commit = (given: Given): Promise<Committed> => ground.commit(given);

describe('refusals', () => {
  const window = { from: BORDER, to: BORDER + HOUR };
  const many = (from: number, count: number, more: Partial<Refusal> = {}): Refusal[] =>
    Array.from({ length: count }, (_, index) => refusal(BORDER + from + index, more));
  const counts = (): Promise<Record<string, unknown>[]> =>
    database.rows(
      `select reason, sum(refused)::bigint as refused, sum(kept)::bigint as kept from refusal_count group by 1 order by 1`,
    );
  const rows = (): Promise<Record<string, unknown>[]> =>
    database.rows('select reason, count(*) as rows from refusal group by 1 order by 1');

  it('are counted exactly and kept up to a limit for each stream, reason and hour', async () => {
    const other = await storeStream(database, ground.source, 'other');
    for (let turn = 0; turn < 12; turn += 1) {
      const refusals = [...many(turn * 100, 100), ...many(turn * 100, 3, { reason: 'null' })];
      const { refused } = await commit({ window, batch: batchOf([], refusals) });
      expect(refused).toBe(103);
    }
    await commit({ window, batch: batchOf([], many(0, 5)), stream: other });
    expect(
      await database.rows('select stream_id, reason, count(*) as rows from refusal group by 1, 2 order by 1, 2'),
    ).toEqual([
      { stream_id: ground.streamId, reason: 'not-a-number', rows: 1_000 },
      { stream_id: ground.streamId, reason: 'null', rows: 36 },
      { stream_id: other, reason: 'not-a-number', rows: 5 },
    ]);
    expect(await counts()).toEqual([
      { reason: 'not-a-number', refused: 1_205, kept: 1_005 },
      { reason: 'null', refused: 36, kept: 36 },
    ]);
  });

  it('without a kept point are counted, too', async () => {
    const batch = batchOf([], many(0, 10));
    const more: Batch = {
      ...batch,
      refused: new Map([['not-a-number', 1_000_000]]),
      refusedFirst: new Map([['not-a-number', 999_999]]),
    };
    await commit({ window, batch: more });
    expect(await counts()).toEqual([{ reason: 'not-a-number', refused: 999_999, kept: 10 }]);
    expect(await database.row('select refused from window_log')).toEqual({ refused: 1_000_000 });
  });

  it('of points read again are neither counted nor kept twice, and leave room for new ones', async () => {
    await commit({ window, batch: batchOf([], many(0, 50)) });
    for (let turn = 0; turn < 30; turn += 1) await commit({ window, batch: batchOf([], many(0, 50), 50) });
    expect(await counts()).toEqual([{ reason: 'not-a-number', refused: 50, kept: 50 }]);
    await commit({ window, batch: batchOf([], [...many(0, 50), ...many(50, 20)], 50) });
    expect(await counts()).toEqual([{ reason: 'not-a-number', refused: 70, kept: 70 }]);
    expect(await rows()).toEqual([{ reason: 'not-a-number', rows: 70 }]);
  });

  it('of late points are counted once, in time that was covered before', async () => {
    await commit({ window, batch: batchOf([], many(0, 50)) });
    const late = many(50, 5);
    for (let turn = 0; turn < 3; turn += 1) {
      await commit({ window, batch: batchOf([], [...many(0, 50), ...late], 55) });
    }
    expect(await counts()).toEqual([{ reason: 'not-a-number', refused: 55, kept: 55 }]);
    // Late ones and ones in new time come together.
    await commit({ window, batch: batchOf([], [...many(55, 4), ...many(59, 7)], 4) });
    expect(await counts()).toEqual([{ reason: 'not-a-number', refused: 66, kept: 66 }]);
  });

  it('that were left out are not taken for late ones when they are read again', async () => {
    const first = batchOf([], many(0, 100));
    const more: Batch = {
      ...first,
      refused: new Map([['not-a-number', 150]]),
      refusedFirst: new Map([['not-a-number', 150]]),
    };
    await commit({ window, batch: more });
    await commit({ window, batch: batchOf([], many(50, 100), 100) });
    expect(await counts()).toEqual([{ reason: 'not-a-number', refused: 150, kept: 150 }]);
    // The rest has its rows now, so nothing is left out any more.
    await commit({ window, batch: batchOf([], many(150, 3), 3) });
    expect(await counts()).toEqual([{ reason: 'not-a-number', refused: 153, kept: 153 }]);
  });

  it('without an instant are kept as one row for each variable', async () => {
    const lost = [1, 2, 3].map((number) => refusal(undefined, { raw: `day ${number}`, reason: 'bad-instant' }));
    await commit({ window, batch: batchOf([], lost) });
    expect(await database.rows('select at, raw from refusal')).toEqual([{ at: null, raw: 'day 1' }]);
    expect(await counts()).toEqual([{ reason: 'bad-instant', refused: 3, kept: 1 }]);
  });

  it('may hold any text of a platform: NUL, halves of characters, very long names', async () => {
    const texts = ['nul \0', 'half \ud83d', '\udc00 half', `long ${'ü'.repeat(10_000)}`, '"\\u0000"', 'whole 😀'];
    const odd = texts.flatMap((text) => [
      refusal(BORDER, { sensor: text, reason: 'bad-sensor-id' }),
      refusal(BORDER, { variable: text, reason: 'bad-value-name' }),
      refusal(BORDER, { raw: text.slice(0, 200), sensor: text, variable: text }),
    ]);
    for (const count of [1, SMALL + 1]) {
      await commit({ window, batch: batchOf(columnsFrom(BORDER, count), odd) });
    }
    expect(await rows()).toEqual([
      { reason: 'bad-sensor-id', rows: 6 },
      { reason: 'bad-value-name', rows: 6 },
      { reason: 'not-a-number', rows: 6 },
    ]);
    const kept = await database.rows<{ raw: string }>(`select raw from refusal where reason = 'not-a-number'`);
    expect(kept.map(({ raw }) => raw)).toEqual(
      expect.arrayContaining(['nul ␀', 'half \ufffd', '\ufffd half', '"\\u0000"', 'whole 😀']),
    );
  });
});
