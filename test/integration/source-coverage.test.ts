import { beforeEach, describe, expect, it } from 'vitest';
import type { BucketState } from '../../src/core/buckets.ts';
import { coverageOf } from '../../src/core/coverage.ts';
import { HOUR, MINUTE, SECOND, formatInstant } from '../../src/core/instant.ts';
import { multirangeOf } from '../../src/database/multirange.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { reportCoverage } from '../../src/source/coverage-report.ts';
import type { CoverageReport } from '../../src/source/coverage-report.ts';
import { useDatabases } from '../kit/databases.ts';
import { BORDER, makeGround } from './commit-ground.ts';
import type { Ground } from './commit-ground.ts';
import { dueHistories } from '../kit/work.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';

// Twelve hours of a source in buckets of an hour, which lie on both sides of the end of a month. Every row is written directly,
// so the truth of each bucket is known.

const databases = useDatabases();
const BEGIN = BORDER - 6 * HOUR;
let ground: Ground;

const hours = (...ranges: readonly (readonly [number, number])[]) =>
  coverageOf(ranges.map(([from, to]) => ({ from: BEGIN + from * HOUR, to: BEGIN + to * HOUR })));

async function store(key: string, sensors: readonly string[], covered: ReturnType<typeof hours>, list = true) {
  const { database, source } = ground;
  const selection = list ? { sensors } : { group: key };
  const row = await database.row<{ id: number }>(
    `insert into stream (source_id, key, selection, sensors, covered) values ($1, $2, $3, $4, $5) returning id`,
    [
      source.sourceId,
      key,
      JSON.stringify(selection),
      JSON.stringify(sensors.map((id) => ({ id }))),
      multirangeOf(covered),
    ],
  );
  return row?.id ?? 0;
}

/** Stores a reading of the sensor at each of these hours. */
async function read(sensor: string, sensorId: string, ...at: readonly number[]): Promise<void> {
  const { database, source } = ground;
  const series = await database.row<{ id: number }>(
    `insert into series (project_id, sensor_id, value_name, owner) values ($1, $2, 'value', 'source') returning id`,
    [source.projectId, sensorId],
  );
  await database.run(
    `insert into series_name (source_id, sensor_id, value_name, holder) values ($1, $2, 'value', $3)`,
    [source.sourceId, sensorId, JSON.stringify([sensor, 'value'])],
  );
  await database.run(
    'insert into reading (series, at, value) select $1, at_instant(at), 1 from unnest($2::bigint[]) as at',
    [series?.id, at.map((hour) => Math.round(BEGIN + hour * HOUR))],
  );
}

const report = (more: { sensor?: string; mostStreams?: number } = {}): Promise<CoverageReport> =>
  reportCoverage(
    ground.database,
    { id: ground.source.sourceId, projectId: ground.source.projectId, name: 'source', organisation: 'default' },
    { range: { from: BEGIN, to: BEGIN + 12 * HOUR }, cut: { most: 12 }, mostStreams: 9, ...more },
  );

const LETTERS: Readonly<Record<BucketState, string>> = {
  data: 'd',
  empty: 'e',
  missing: 'm',
  asking: 'a',
  failed: 'f',
  refused: 'r',
  'before-start': ' ',
  'not-due': '.',
};

const drawn = ({ streams }: CoverageReport): Record<string, string> =>
  Object.fromEntries(streams.map(({ key, states }) => [key, states.map((state) => LETTERS[state]).join('')]));

beforeEach(async () => {
  ground = await makeGround(databases);
  const { database, streamId, source } = ground;
  await database.run('update stream set retired_at = now() where id = $1', [streamId]);
  await database.run('update source set start_at = at_instant($2) where id = $1', [source.sourceId, BEGIN + HOUR]);
  await partitionsOf(database).ensure('reading', BEGIN, BEGIN + 12 * HOUR);
});

describe('coverage', () => {
  it('tells data, empty, missing and failed time of each stream as it is, the worst stream first', async () => {
    await store('whole', ['a', 'b'], hours([1, 12]));
    const holes = await store('holes', ['c'], hours([1, 4], [5.5, 8], [9, 12]));
    await read('a', 'a', 1.5, 2, 3.999, 6, 11.5);
    await read('b', 'name-of-b', 0.5, 4, 10);
    await read('c', 'c', 2.5, 5.75, 11.9999);
    await ground.database.run(
      `insert into unreadable (stream_id, from_at, to_at, tries, retry_at, fault) values ($1, at_instant($2), at_instant($3), 1, now(), '{}')`,
      [holes, BEGIN + 8 * HOUR, BEGIN + 8.5 * HOUR],
    );
    const found = await report();
    expect(Object.keys(drawn(found))).toEqual(['holes', 'whole']);
    expect(drawn(found)).toEqual({ whole: ' ddddedeeedd', holes: ' edemmeefeed' });
    expect(found.streams[0]?.time).toEqual({
      covered: 8.5 * HOUR,
      missing: 2 * HOUR,
      failed: HOUR / 2,
      asking: 0,
    });
    const limited = await report({ mostStreams: 1 });
    expect([Object.keys(drawn(limited)), limited.hidden]).toEqual([['holes'], 1]);
  });

  it('says that missing time is being asked while its history is due or a backfill runs, and not while the source is stopped', async () => {
    const { database, source } = ground;
    const id = await store('late', ['a'], hours([6, 8]));
    await database.run(
      `insert into backfill (source_id, from_at, to_at, what, requested_by) values ($1, at_instant($2), at_instant($3), 'missing', 'test')`,
      [source.sourceId, BEGIN, BEGIN + 2 * HOUR],
    );
    expect(drawn(await report())).toEqual({ late: 'aammmmeemmmm' });
    await dueHistories(database, `from stream where id = ${id}`);
    expect(drawn(await report())).toEqual({ late: 'aaaaaaeemmmm' });
    await database.run(`update source set state = 'stopped' where id = $1`, [source.sourceId]);
    expect(drawn(await report())).toEqual({ late: ' mmmmmeemmmm' });
  });

  it('counts the readings and refusals of one sensor, under its name of the platform and of readings', async () => {
    const { database } = ground;
    const id = await store('pair', ['a', 'b'], hours([1, 12]));
    await store('other', ['c'], hours([1, 12]));
    await read('a', 'pump', 2, 2.25, 2.5, 7);
    await read('b', 'b', 3);
    await database.run(
      `insert into refused_hour (stream_id, hour, reason, sensor, variable, points, examples)
       select $1, at_instant($2 + minutes / 60 * 60 * ${MINUTE}::bigint), reason, sensor, 'value', array_agg(point), jsonb_build_array(jsonb_build_array(min(point), 'on'))
       from (select *, (minutes % 60 - 30) * ${MINUTE} as point from (values ('not-a-number', 'a', 241), ('not-a-number', 'a', 250), ('null', 'a', 421), ('not-a-number', 'b', 300)) as given (reason, sensor, minutes)) as points group by 2, 3, 4`,
      [id, BEGIN],
    );
    await database.run(
      `insert into refusal_count (stream_id, reason, hour, refused, kept) values ($1, 'not-a-number', now(), 7, 0)`,
      [id],
    );
    for (const sensor of ['a', 'pump']) {
      const found = await report({ sensor });
      expect(drawn(found)).toEqual({ pair: ' edereereeee' });
      expect(found.streams[0]?.readings).toEqual([0, 0, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
      expect(found.refusals.map(({ reason, refused, first }) => [reason, refused, formatInstant(first)])).toEqual([
        ['not-a-number', 2, formatInstant(BEGIN + 241 * MINUTE)],
        ['null', 1, formatInstant(BEGIN + 421 * MINUTE)],
      ]);
      expect(found.unkept).toBe(7);
    }
    await expect(report({ sensor: 'd' })).rejects.toMatchObject({ code: 'config-invalid' });
    const range = ['--from', formatInstant(BEGIN), '--to', formatInstant(BEGIN + 12 * HOUR)];
    const { stdout } = await databridgeHere(['source', 'coverage', 'source', '--sensor', 'pump', ...range], {
      env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' },
    });
    const [heading, ...lines] = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(heading).toEqual(['sensor', 'stream', 'from', 'to', 'state', 'readings', 'refused']);
    const rows = lines.filter(([sensor, stream]) => sensor === 'pump' && stream === 'pair');
    expect(rows.map(([, , from]) => from).slice(1)).toEqual(rows.map(([, , , to]) => to).slice(0, -1));
    // Neighbours of one state are one row.
    expect(rows.filter(([, , , , state], at) => state === rows[at + 1]?.[4])).toEqual([]);
    expect(rows.reduce((sum, row) => sum + Number(row[5]), 0)).toBe(4);
  });

  it('gives series that no stream lists to the stream of a whole group, and none of another source', async () => {
    const { database } = ground;
    await store('group', [], hours([1, 12]), false);
    await store('listed', ['a'], hours([1, 12]));
    await read('a', 'a', 2);
    await read('new', 'new', 4);
    await read('foreign', 'foreign', 6);
    await database.run(`update series set owner = 'another' where sensor_id = 'foreign'`);
    expect(drawn(await report())).toEqual({ group: ' eeedeeeeeee', listed: ' edeeeeeeeee' });
    expect(drawn(await report({ sensor: 'new' }))).toEqual({ group: ' eeedeeeeeee' });
  });
});

it('newer time than schedule and settle allow is not due, not missing', async () => {
  const { database, source } = ground;
  await database.run(
    `update source set start_at = now() - interval '1 hour', every_us = $2, settle_us = $2 where id = $1`,
    [source.sourceId, 10 * MINUTE],
  );
  const { now } = (await database.row<{ now: number }>('select instant_of(now()) as now')) ?? { now: 0 };
  await store('live', ['a'], [{ from: now - 2 * HOUR, to: now - 19 * MINUTE }]);
  const found = await reportCoverage(
    database,
    { id: source.sourceId, projectId: source.projectId, name: 'source', organisation: 'default' },
    { range: { from: now - HOUR, to: now }, cut: { most: 4_000 }, mostStreams: 1 },
  );
  expect(found.grid.length).toBe(SECOND);
  expect(found.streams[0]?.time).toMatchObject({ missing: 0, asking: 0 });
});
