import { expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { quietWindows } from '../../src/upkeep/quiet-windows.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';

const databases = useDatabases();

const INSERT = `
  insert into window_log (stream_id, source_id, lane, from_at, to_at, asked_at, requests, bytes, readings, duplicates, revised,
    refused, late, waited_ms, http_ms, normalise_ms, store_ms)
  select $1::int, source_id, $2, at_instant(at - ${SECOND}), at_instant(at), at_instant(at), 1, 10, 2, 1, $4, $5, $6, 1, $7, 0, 0
  from stream, unnest($3::bigint[]) as at where id = $1`;

it('quiet live windows of a minute become one row, and all others keep theirs', async () => {
  const database = await databases.create();
  const often = await storeStream(database, await storeSource(database, 'often', { every: SECOND }));
  const seldom = await storeStream(database, await storeSource(database, 'seldom', { every: MINUTE }));
  const now = Math.floor(Date.now() / 60_000) * MINUTE;
  await partitionsOf(database).ensure('window_log', now - DAY, now + HOUR);
  const log = async (
    stream: number,
    at: readonly number[],
    { lane = 'live', revised = 0, refused = 0, late = 0, http = 5 } = {},
  ): Promise<void> => {
    await database.run(INSERT, [stream, lane, at, revised, refused, late, http]);
  };
  const begin = now - HOUR;
  const minute = Array.from({ length: 60 }, (_, second) => begin + second * SECOND);
  await log(often, minute, { http: 4 });
  await log(often, [begin + 500_000], { http: 68 });
  await log(often, [begin + MINUTE]);
  await log(seldom, [begin, begin + 30 * SECOND]);
  await log(often, minute.slice(0, 3), { lane: 'history' });
  await log(often, [begin + 1_000, begin + 2_000], { revised: 1 });
  await log(often, [begin + 3_000], { refused: 1 });
  await log(often, [begin + 4_000], { late: 1 });
  await log(often, [begin + 5_000], { http: 1_001 });
  await log(often, [now - 9 * MINUTE, now - 9 * MINUTE + SECOND]);

  const sums = `select sum(windows) as windows, sum(requests) as requests, sum(bytes) as bytes, sum(readings) as readings, sum(duplicates) as duplicates,
    round(sum(http_ms * windows)) as http, range_agg(tstzrange(from_at, to_at))::text as time from window_log`;
  const before = await database.row(sums);
  const quiet = quietWindows(database, () => now);
  await quiet.putTogether();
  expect(await database.row(sums)).toEqual(before);
  const rows = await database.rows<{ windows: number; count: number }>(
    'select windows, count(*) as count from window_log group by 1 order by 1',
  );
  expect(rows).toEqual([
    { windows: 1, count: 13 },
    { windows: 61, count: 1 },
  ]);
  expect(
    await database.row(
      `select readings, http_ms as http, slowest_ms as slowest, instant_of(from_at) as from, instant_of(to_at) as to, instant_of(asked_at) as asked
       from window_log where windows > 1`,
    ),
  ).toEqual({
    readings: 122,
    http: expect.closeTo((60 * 4 + 68) / 61, 4) as number,
    slowest: 69,
    from: begin - SECOND,
    to: begin + 59 * SECOND,
    asked: begin,
  });
  // A window that is logged late joins the row of its minute.
  await log(often, [begin + 7_000]);
  await quietWindows(database, () => now).putTogether();
  expect(await database.row('select max(windows) as most, count(*) as rows from window_log')).toEqual({
    most: 62,
    rows: 14,
  });
});
