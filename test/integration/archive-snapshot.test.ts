import { expect, it } from 'vitest';
import { DAY } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { binnedReadings } from '../../src/ingest/binned-readings.ts';
import { pushedSeriesOf } from '../../src/ingest/pushed-series.ts';
import { bucketsWithData, readingsByBucket } from '../../src/source/coverage-buckets.ts';
import { useDatabases } from '../kit/databases.ts';
import { BEGIN, HISTORY, RANGE, archiveGround, moveAll, write } from './archive-ground.ts';
import type { Point } from './archive-ground.ts';

const databases = useDatabases();
const ground = () => archiveGround(databases);

/** The same database, with work beside each first statement of a transaction that reads rows: nothing of it is in the snapshot. */
function meddled(database: Database, meddle: () => Promise<void>): Database {
  return {
    ...database,
    transaction: (work) =>
      database.transaction(async (client) => {
        const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
        let isFirst = true;
        const meddling = new Proxy(client, {
          get: (target, name) =>
            name === 'query'
              ? async (...args: unknown[]) => {
                  const answer = await query(...args);
                  if (isFirst && /from reading\b/.test(String(args[0]))) {
                    isFirst = false;
                    await meddle();
                  }
                  return answer;
                }
              : (Reflect.get(target, name) as unknown),
        });
        return await work(meddling);
      }),
  };
}

it('sums rows and files of one instant, whatever is written and moved between the looks at them', async () => {
  const { database, projectId, directory } = await ground();
  await write(database, projectId, HISTORY);
  const [series] = await database.rows<{ id: number }>(`select id from series where sensor_id = 'a'`);
  const ids = [series?.id ?? 0];
  const range = { from: BEGIN, to: BEGIN + DAY };
  const edges = [range.from, range.to];
  await database.run(`update series set owner = ''`);
  let turns = 0;
  const meddling = meddled(database, async () => {
    turns += 1;
    // Late and revised readings of the day, which the next run merges.
    await write(database, projectId, [{ ...(HISTORY[0] as Point), value: -turns }]);
    if (turns % 2 === 1) expect(await moveAll(database)).toEqual([turns === 1 ? 'moved' : 'merged']);
  });
  const wanted = { projectId, range, sensor: 'a', after: undefined, limit: 10 };
  for (let round = 0; round < 2; round += 1) {
    expect(await readingsByBucket(meddling, ids, edges)).toEqual([24]);
    expect((await pushedSeriesOf(meddling, wanted, 10_000)).map(({ count }) => count)).toEqual([24]);
    const chart = { sensorId: 'a', valueName: 'value', range, bins: 1 };
    expect((await binnedReadings(meddling, projectId, chart))?.bins).toMatchObject([{ count: 24 }]);
    const cells = { edges, held: new Map([[1, JSON.stringify(ids)]]), ids: [1], buckets: [0] };
    expect([...(await bucketsWithData(meddling, cells))]).toEqual([0]);
  }
  expect(turns).toBe(8);
  // So a process without the setting counts what was there when it began, and no day is no day.
  const without: Database = { ...database, archive: undefined };
  await expect(readingsByBucket(without, ids, edges)).rejects.toMatchObject({ code: 'config-invalid' });
  await directory.remove();
});

it('sums more late readings than are held at a time', async () => {
  const { database, projectId, directory } = await ground();
  await write(database, projectId, [...HISTORY, { ...(HISTORY[0] as Point), at: BEGIN + 2 * DAY }]);
  await moveAll(database);
  const [series] = await database.rows<{ id: number }>(`select id from series where sensor_id = 'a'`);
  const id = series?.id ?? 0;
  // Half of the late ones revise what is in no file, and one each day what is.
  for (const day of [BEGIN, BEGIN + DAY])
    await database.run(
      'insert into reading (series, at, value) select $1, at_instant($2::bigint + n), 1 from generate_series(0, 29999) as n on conflict do nothing',
      [id, day],
    );
  expect(await readingsByBucket(database, [id], [BEGIN, BEGIN + DAY, RANGE.to])).toEqual([30_023, 30_001]);
  await directory.remove();
});
