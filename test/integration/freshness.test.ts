import { beforeAll, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { platforms } from '../../src/context-platforms.ts';
import { DEFAULT_RULES } from '../../src/alerts/rules.ts';
import { overviewOf } from '../../src/alerts/overview.ts';
import { unwellFinding } from '../../src/alerts/source-findings.ts';
import { judgedSources } from '../../src/source/condition.ts';
import { refreshFreshness } from '../../src/source/freshness.ts';
import type { FoundSource } from '../../src/source/find-source.ts';
import { muteSensor } from '../../src/source/mute.ts';
import { newestReadings } from '../../src/source/newest.ts';
import { measuresOf } from '../../src/source/measures.ts';
import { listSources } from '../../src/source/report.ts';
import { useDatabases } from '../kit/databases.ts';
import { claimAll, storeSource, storeStream } from '../kit/stored-source.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';

// Coverage that grows is not the same as data that come: what the sensors of a source give decides whether it is well.

const databases = useDatabases();
let database: Database;
let now = 0;

beforeAll(async () => {
  database = await databases.create();
  now = (await database.row<{ now: number }>('select instant_of(now()) as now'))?.now ?? 0;
  await partitionsOf(database).ensure('reading', now - 40 * DAY, now);
});

/** A source that is covered up to now, with readings of each sensor at these ages. */
async function sourceWith(name: string, sensors: Readonly<Record<string, readonly number[]>>, covered = DAY) {
  const source = await storeSource(database, name);
  const stream = await storeStream(database, source);
  await database.run(
    'update stream set sensors = $2, covered = tstzmultirange(tstzrange(at_instant($3), at_instant($4))) where id = $1',
    [stream, JSON.stringify(Object.keys(sensors).map((id) => ({ id }))), now - covered, now],
  );
  for (const [sensor, ages] of Object.entries(sensors)) {
    if (ages.length === 0) continue;
    const row = await database.row<{ id: number }>(
      `insert into series (project_id, sensor_id, value_name, owner) values ($1, $2, 'flow', $3) returning id`,
      [source.projectId, `${name}/${sensor}`, name],
    );
    await database.run(
      `insert into series_name (source_id, sensor_id, value_name, holder) values ($1, $2, 'flow', $3)`,
      [source.sourceId, `${name}/${sensor}`, JSON.stringify([sensor, 'flow'])],
    );
    await read(row?.id, ages);
  }
  const newest = Math.min(...Object.values(sensors).flat());
  if (Number.isFinite(newest))
    await database.run('update stream set newest_at = at_instant($2) where id = $1', [stream, now - newest]);
  await claimAll(database, '00000000-0000-0000-0000-000000000001');
  await database.run('update work set well_at = now(), claimed_by = null');
  return { ...source, stream };
}

const read = (series: number | undefined, ages: readonly number[]) =>
  database.run('insert into reading (series, at, value) select $1, at_instant(at), 1 from unnest($2::bigint[]) as at', [
    series,
    ages.map((age) => now - age),
  ]);

/** A look, as if a minute had gone by since the last one. */
async function lookOnce(): Promise<void> {
  await database.run(`update freshness set looked_at = looked_at - interval '1 minute'`);
  while ((await refreshFreshness(database, 2)) > 0);
}

/** Time that is asked for once more, by source. */
const askedAgain = async (): Promise<Record<string, number[][]>> =>
  Object.fromEntries(
    (
      await database.rows<{ name: string; asked: [number, number][] }>(
        `select name, instants_of(look_again) as asked from stream join source on source.id = source_id
         where look_again <> '{}' and exists (select from work where kind = 'history' and work.id = stream.id and due_at <= now())`,
      )
    ).map(({ name, asked }) => [name, asked.map(([from, to]) => [now - from, now - to])]),
  );

/** A look, after which the platform gives the same answer to all that is asked once more, and the look that sees that. */
async function look(): Promise<void> {
  await lookOnce();
  await database.run(`update stream set look_again = '{}' where look_again <> '{}'`);
  await lookOnce();
}

const conditions = async () =>
  Object.fromEntries(
    (await listSources(database)).map((line) => [line.name, `${line.condition} ${line.silence?.silent ?? '-'}`]),
  );

const run = async (...args: string[]): Promise<string> =>
  (
    await databridgeHere(args, {
      env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere', COLUMNS: '200' },
    })
  ).stdout;

const minutely = Array.from({ length: 200 }, (_, at) => (at + 1) * MINUTE);
const later = (ages: readonly number[], by: number) => ages.map((age) => age + by);

it('is silent where a sensor never gave a reading, or none for longer than its own rhythm explains', async () => {
  await sourceWith('all-well', { one: minutely, slow: [4 * HOUR, 6 * HOUR, 8 * HOUR] });
  await sourceWith('never', { one: [] });
  await sourceWith('just-begun', { one: [] }, 10 * MINUTE);
  await sourceWith('one-of-three', { one: minutely, two: later(minutely, HOUR), three: [] });
  await sourceWith('days-old', { one: later(minutely, DAY) }, 2 * DAY);
  await sourceWith('single', { one: [5 * HOUR] });
  expect((await conditions())['never']).toBe('well -');
  await lookOnce();
  // A silence is asked about once more before it is believed, and only there.
  expect(Object.values(await conditions())).toEqual(Array.from({ length: 6 }, () => 'well 0'));
  const rounded = (await askedAgain()) as Record<string, [[number, number]]>;
  expect(Object.keys(rounded).toSorted()).toEqual(['days-old', 'just-begun', 'never', 'one-of-three', 'single']);
  expect(rounded['days-old']?.[0][0]).toBeCloseTo(5 * MINUTE, -7);
  expect(await run('source', 'why', 'never')).toMatch(
    /one should have given readings by its own rhythm [^]* once more/,
  );
  await lookOnce();
  expect(Object.values(await conditions())).toEqual(Array.from({ length: 6 }, () => 'well 0'));
  await database.run(`update stream set look_again = '{}'`);
  await lookOnce();
  expect(await askedAgain()).toEqual({});
  expect(await conditions()).toEqual({
    'all-well': 'well 0',
    never: 'silent 1',
    'just-begun': 'well 0',
    'one-of-three': 'silent 2',
    'days-old': 'silent 1',
    single: 'well 0',
  });

  const { sources } = await measuresOf(database, { platforms }, 60_000);
  expect(sources.filter(({ condition }) => condition === 'silent')).toHaveLength(3);
  const overview = await overviewOf(database, { limits: DEFAULT_RULES.limits, isEmbedded: false });
  expect(overview.conditions).toEqual({ well: 3, silent: 3 });
  // No planner runs here: that is the trouble, and it hides what follows from it.
  expect(overview.troubles.map(({ kind }) => kind)).toEqual(['planner']);
  await database.run(`insert into heartbeat (name, beat_at) values ('planner', now())`);
  const planned = await overviewOf(database, { limits: DEFAULT_RULES.limits, isEmbedded: false });
  expect(planned.troubles).toMatchObject([
    { kind: 'silent', cause: 'sensors without new readings', count: 2, subjects: ['days-old', 'one-of-three'] },
    { kind: 'silent', cause: 'never any reading', count: 1, next: 'databridge source why never' },
  ]);

  const listed = await run('source', 'list');
  expect(listed).toMatch(
    /^default +one-of-three .* silent .* 1m.* 2 of 3 sensors silent, 1 of them has never given a reading$/m,
  );
  expect(listed).toMatch(/^default +never .* never .*its sensor has never given a reading$/m);
  expect(listed).toMatch(/^6 sources: 3 (?:silent, 3 well|well, 3 silent)$/m);
  expect(await run('status')).toMatch(
    /sensors without new readings\n {2}days-old, one-of-three\n {2}next: databridge source why days-old\n! never: never any reading\n/,
  );
  expect(await run('doctor')).toMatch(/3 active sources not well: .*one-of-three \(silent\)/);
  expect(await run('source', 'newest', '--silent', '2h')).toMatch(
    /^never +one +never +–\none-of-three +three +never +–\ndays-old +one +\S+ +1d\S*\nsingle .*\n(?:.*\n)*\n\d sensors of \d sources silent for 2h$/m,
  );
  expect(await run('source', 'newest', 'one-of-three')).toMatch(/^two +\S+ +1h\S* +1m +yes +1$/m);
  expect(await run('source', 'why', 'never')).toMatch(
    /one has never given a reading, though [^]* was asked; a part of\s+that\s+time\s+was\s+asked\s+for\s+twice/,
  );
});

it('learns the rhythm of a sensor from the silence that ends, and not from time that nobody asked for', async () => {
  const { sourceId, stream } = await sourceWith('night', { one: later(minutely, 9 * HOUR) });
  await look();
  expect((await conditions())['night']).toBe('silent 1');
  const series = (await database.row<{ id: number }>(`select id from series where sensor_id = 'night/one'`))?.id;
  await read(series, [1]);
  await look();
  expect((await conditions())['night']).toBe('well 0');
  // It may have been a failure, so it teaches a third of itself, and its whole length when it comes again (core/freshness.ts).
  const gap = async () =>
    (
      await database.row<{ gap: number }>(
        `select (known #>> '{one,1}')::bigint as gap from freshness where source_id = $1`,
        [sourceId],
      )
    )?.gap ?? 0;
  expect(await gap()).toBeGreaterThan(2.9 * HOUR);
  expect(await gap()).toBeLessThan(3.1 * HOUR);
  await database.run("delete from reading where series = $1 and at > now() - interval '8 hours'", [series]);
  // The clock of the database was ahead when it looked last: what it saw then says nothing now.
  await database.run(
    `update freshness set known = jsonb_set(known, '{one,0}', to_jsonb(instant_of(now() + interval '9 hours'))), silent_from = null where source_id = $1`,
    [sourceId],
  );
  await look();
  expect((await conditions())['night']).toBe('silent 1');
  // The bridge was away for a day, and only the live edge was asked since.
  await database.run(
    `update freshness set known = '{"one": [${now - DAY}, ${MINUTE}, null]}', reached_at = at_instant($2) where source_id = $1`,
    [sourceId, now - DAY],
  );
  await database.run(
    "update stream set covered = tstzmultirange(tstzrange(now() - interval '1 hour', now())) where id = $1",
    [stream],
  );
  await read(series, [2 * MINUTE]);
  await database.run(`delete from reading where series = $1 and at between at_instant($2) and at_instant($3)`, [
    series,
    now - DAY + 1,
    now - HOUR,
  ]);
  await look();
  expect(await gap()).toBe(MINUTE);
  expect((await conditions())['night']).toBe('well 0');
});

it('time that was not asked for is no silence, and does not become the rhythm of a sensor', async () => {
  const seldom = await sourceWith('seldom', { hourly: [30 * HOUR, 29 * HOUR, 28 * HOUR] }, 31 * HOUR);
  const cover = (...ranges: readonly (readonly [number, number])[]) =>
    database.run(
      `update stream set covered = (select range_agg(tstzrange(at_instant("from"), at_instant("to")))
         from unnest($2::bigint[], $3::bigint[]) as range ("from", "to")) where id = $1`,
      [seldom.stream, ranges.map(([from]) => now - from), ranges.map(([, to]) => now - to)],
    );
  const look = async (): Promise<Record<string, unknown> | undefined> => {
    await database.run(`update freshness set looked_at = now() - interval '1 hour'`);
    await refreshFreshness(database, 1_000);
    await database.run(`update stream set look_again = '{}'`);
    await database.run(`update freshness set looked_at = now() - interval '1 hour'`);
    await refreshFreshness(database, 1_000);
    return await database.row(
      `select condition, known -> 'hourly' as known from (${judgedSources()}) as judged join freshness on source_id = id where name = 'seldom'`,
    );
  };
  // The bridge was away for a day, and live has asked for the last minutes only: the readings since lie in the hole.
  await cover([31 * HOUR, 27.5 * HOUR], [5 * MINUTE, 0]);
  expect(await look()).toMatchObject({ condition: 'well', known: [now - 28 * HOUR, HOUR, null, false] });
  const series = await database.row<{ id: number }>(`select id from series where sensor_id = 'seldom/hourly'`);
  await read(series?.id, [27 * HOUR, 26 * HOUR]);
  await cover([31 * HOUR, 0]);
  expect(await look()).toMatchObject({
    condition: 'silent',
    known: [now - 26 * HOUR, HOUR, null, true, [expect.any(Number), now, true]],
  });
});

it('a sensor that is muted is silent all the same, and no alert and no verdict counts it until the mute ends', async () => {
  const database = await databases.create();
  const source = await storeSource(database, 'hall');
  const stream = await storeStream(database, source);
  await database.run(
    `update stream set sensors = '[{"id": "one"}, {"id": "two"}]', covered = tstzmultirange(tstzrange(now() - interval '1 day', now())) where id = $1`,
    [stream],
  );
  await claimAll(database, '00000000-0000-0000-0000-000000000001');
  await database.run('update work set well_at = now(), claimed_by = null');
  const told = async () => {
    for (let looks = 0; looks < 2; looks += 1) {
      await database.run(`update freshness set looked_at = now() - interval '1 hour'`);
      await refreshFreshness(database, 10);
      await database.run(`update stream set look_again = '{}'`);
    }
    await database.run(`update freshness set looked_at = now() + interval '1 second'`);
    const [line] = await listSources(database);
    const { now: at } = (await database.row<{ now: number }>('select instant_of(now()) as now')) ?? { now: 0 };
    const finding = line && unwellFinding(line, { now: at, limits: DEFAULT_RULES.limits });
    return [line?.condition, finding?.detail];
  };
  const mute = (sensor: string, length: number) =>
    muteSensor(database, { id: source.sourceId, name: 'hall', organisation: 'default' } as FoundSource, {
      sensor,
      length,
      reason: 'away for repair',
      actor: 'anna',
    });
  await mute('one', DAY);
  expect(await told()).toEqual(['silent', 'no sensor has ever given a reading; 1 of the silent ones muted']);
  await mute('two', DAY);
  expect(await told()).toEqual(['silent', undefined]);
  expect((await newestReadings(database, { id: source.sourceId }))[1]).toMatchObject({
    sensor: 'two',
    silent: true,
    muted: { reason: 'away for repair', by: 'anna' },
  });
  await database.run(`update muted_sensor set muted_until = now() where sensor = 'two'`);
  await mute('one', 0);
  expect(await told()).toEqual(['silent', 'no sensor has ever given a reading']);
  expect((await database.rows('select action, detail from audit order by id')).at(-1)).toMatchObject({
    action: 'source.sensor-muted',
    detail: { sensor: 'one', length: 0, before: [{ sensor: 'one', reason: 'away for repair' }] },
  });
  await expect(mute('three', DAY)).rejects.toThrow('no stream reads a sensor three');
  await expect(mute('one', 400 * DAY)).rejects.toThrow('for a year at most');
});
