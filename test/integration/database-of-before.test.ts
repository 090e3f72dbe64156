import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { simulatedInfluxdb } from '../../adapters/platforms/influxdb/simulator.ts';
import { migrationNames } from '../../src/database/migrate.ts';
import { truth } from '../../src/simulator/truth.ts';
import type { TruthSpec } from '../../src/simulator/truth.ts';
import { makeBridge } from '../kit/bridge.ts';
import type { BridgeUnderTest } from '../kit/bridge.ts';
import { useDatabases } from '../kit/databases.ts';
import { startSimulator } from '../kit/simulator.ts';
import { Waiting, eventually } from './daemon-rig.ts';
import { truthOf } from './outbox-rig.ts';
import { SECRET } from './outbox-service-tokens.ts';
import { startService } from './outbox-service.ts';
import type { Service } from './outbox-service.ts';

// A database that the last version before the foundation of the schema left behind in the middle of its work goes on under this
// version: its schema is the foundation, nothing is lost, nothing is doubled, and the outbox arrives. assets/database-before-foundation/README.md says how it was made.

interface World {
  readonly key: string;
  readonly application: { readonly id: string; readonly secret: string };
  readonly account: { readonly username: string; readonly password: string };
  readonly pushed: readonly { sensorId: string; valueName: string; date: string; value: number }[];
  readonly plants: Readonly<Record<string, { platform: string; options: { truth: TruthSpec & { endMs: number } } }>>;
}

const asset = (name: string): Promise<string> =>
  readFile(new URL(`assets/database-before-foundation/${name}`, import.meta.url), 'utf8');

const databases = useDatabases();
let world: World;
let service: Service;
let bridge: BridgeUnderTest;
let client: pg.Client;
const cleanups: (() => Promise<void>)[] = [];

/** The address of a database as the earlier version left it, with the addresses of these servers in it. */
async function restored(addresses: Readonly<Record<string, string>>): Promise<string> {
  let sql = await asset('dump.sql');
  for (const [name, url] of Object.entries(addresses)) sql = sql.replaceAll(`http://${name}.invalid`, url);
  const url = await databases.createEmpty();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
  return url;
}

/** Everything that a migration has to leave as it is. */
async function kept() {
  const rows = async (text: string): Promise<readonly unknown[]> => (await client.query(text)).rows;
  return {
    sources:
      await rows(`select id, name, project_id, kind, platform, config, revision, state, start_at, every_us, settle_us, last_fault
      from source order by id`),
    streams: await rows('select id, source_id, key, selection, covered::text, learned from stream order by id'),
    readings: await rows('select series, at, value, precision, labels from reading order by series, at'),
    series: await rows('select id, project_id, sensor_id, value_name from series order by id'),
    refusals: await refusedPoints(),
    // `again` became one of the kinds of `what`.
    backfills: await rows(
      `select id, source_id, from_at, to_at, state, coalesce((to_jsonb(backfill) ->> 'again')::boolean, to_jsonb(backfill) ->> 'what' = 'all') as again
       from backfill order by id`,
    ),
    outbox: await rows('select project_id, stream_id, readings, series, at, value from outbox order by id'),
    applications: await rows('select id, organisation_id, name from application order by id'),
    remotes: await rows('select project_id, url, organisation, code, application_id, secret from remote'),
    audit: await rows('select at, actor, action, subject, detail from audit order by id'),
    windows: await rows('select count(*)::int as windows, sum(readings)::int as readings from window_log'),
  };
}

/** The kept refusals; those of a remote service stand with their stream and their project. */
async function refusedPoints(): Promise<unknown[]> {
  const { rows } = await client.query(
    `select stream_id, reason, sensor, variable, hour + interval '30 minutes' + point * interval '1 microsecond' as at
     from refused_hour cross join unnest(points) as point
     union all select null, reason, sensor, variable, at from refusal where project_id is not null order by 1, 2, 3, 4, 5`,
  );
  return rows;
}

/** All that a schema says, besides the order of columns and the partitions, one line each. */
const SCHEMA = `
  with named as (
    select oid, relname, reloptions, relkind from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'i', 'I', 'S') and not relispartition)
  select relname || ' ' || relkind::text || ' ' || coalesce(reloptions::text, '') as line from named
  union all select concat_ws(' ', relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage,
      pg_get_expr(adbin, adrelid))
    from named join pg_attribute on attrelid = named.oid and attnum > 0 and not attisdropped and relkind in ('r', 'p')
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
  union all select concat_ws(' ', relname, conname, pg_get_constraintdef(pg_constraint.oid))
    from named join pg_constraint on conrelid = named.oid and contype <> 'n'
  union all select pg_get_indexdef(oid) from named where relkind in ('i', 'I')
  union all select pg_get_triggerdef(pg_trigger.oid) from named join pg_trigger on tgrelid = named.oid and not tgisinternal
  union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
  order by 1`;

async function schemaOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(SCHEMA);
  return rows.map(({ line }) => line);
}

async function freshSchema(): Promise<string[]> {
  const fresh = new pg.Client({ connectionString: await databases.createMigrated() });
  await fresh.connect();
  try {
    return await schemaOf(fresh);
  } finally {
    await fresh.end();
  }
}

/** Each true reading of a plant from `fromMs` on: `sensor value-name at value`. Texts, and booleans unless told, are refused. */
function trueReadings(name: string, fromMs: number, booleans = false): string[] {
  const plant = world.plants[name];
  if (plant === undefined) throw new Error(`there is no plant ${name}`);
  const { truth: spec } = plant.options;
  return spec.devices.flatMap((device) =>
    device.keys.flatMap((key) => {
      const { sensorId, valueName } =
        plant.platform === 'influxdb'
          ? simulatedInfluxdb.seriesOf(device, key)
          : { sensorId: device.id, valueName: key.name };
      return truth(spec, device.id, key.name, fromMs, spec.endMs).flatMap(({ ts, value }) =>
        typeof value === 'number' || (booleans && typeof value === 'boolean')
          ? [lineOf(sensorId, valueName, ts, Number(value))]
          : [],
      );
    }),
  );
}

const lineOf = (sensorId: string, valueName: string, atMs: number, value: number): string =>
  [sensorId, valueName, new Date(atMs).toISOString(), value].join(' ');

async function storedReadings(project: string): Promise<string[]> {
  const { rows } = await client.query<{ sensor_id: string; value_name: string; at_ms: string; value: number }>(
    `select sensor_id, value_name, (instant_of(at) / 1000)::text as at_ms, value
     from reading join series on series.id = series join ml_project on ml_project.id = project_id where code = $1`,
    [project],
  );
  return rows
    .map(({ sensor_id, value_name, at_ms, value }) => lineOf(sensor_id, value_name, Number(at_ms), value))
    .toSorted();
}

/** An operator lets a slow source go faster, so that the test does not take as long as the years since the dump. */
async function hurry(name: string): Promise<void> {
  const { rows } = await client.query<{ config: { schedule: object; connection: object } }>(
    'select config from source where name = $1',
    [name],
  );
  const config = rows[0]?.config;
  await bridge.apply({
    ...config,
    connection: { ...config?.connection, ...world.account },
    schedule: { ...config?.schedule, maxWindow: '7d' },
    pace: { requestsPerSecond: 50, burst: 10, concurrency: 2 },
  });
}

/** Whether every stream of every source is covered from the source's start (or `from`) to the end of the truth. */
async function coveredToTheEnd(endMs: number): Promise<true | Waiting> {
  const { rows } = await client.query<{ done: boolean }>(
    `select name, key, covered::text, covered @> tstzrange(case name when 'south' then '2026-11-20Z' else start_at end, at_instant($1)) as done
     from stream join source on source.id = source_id where retired_at is null`,
    [endMs * 1_000],
  );
  return (rows.length === 7 && rows.every(({ done }) => done)) || new Waiting(rows);
}

async function pushAgain(api: string): Promise<unknown> {
  const { application, pushed } = world;
  const basic = Buffer.from(`${application.id}:${application.secret}`).toString('base64');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const granted = await fetch(`${api}/v0/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, ...form },
    body: 'grant_type=client_credentials',
  });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const answer = await fetch(`${api}/v0/organisations/default/data/press-shop`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(pushed),
  });
  return await answer.json();
}

beforeAll(async () => {
  world = JSON.parse(await asset('world.json')) as World;
  service = await startService();
  cleanups.push(service.close);
  const addresses: Record<string, string> = { service: service.url };
  for (const [name, { platform, options }] of Object.entries(world.plants)) {
    const simulator = await startSimulator({ name: platform, ...options });
    cleanups.push(simulator.stop);
    addresses[name] = simulator.url;
  }
  const environment = { DATABRIDGE_KEY: world.key, DATABRIDGE_APPLICATION_SECRET: SECRET };
  bridge = await makeBridge({ DATABASE_URL: await restored(addresses), ...environment });
  cleanups.push(bridge.remove);
  const opened = await bridge.database();
  client = opened.client;
  cleanups.push(opened.close);
});

afterAll(async () => {
  for (const cleanUp of cleanups.toReversed()) await cleanUp();
});

test('a database of before the foundation becomes one with it, keeps everything it holds, and its work goes on', async () => {
  const before = await kept();
  const { stdout } = await bridge.run('doctor');
  expect(stdout).toMatch(
    new RegExp(String.raw`✓ schema {4}${migrationNames().at(-1)}, of 20\S+ by databridge \d+\.\S+; this is \d`),
  );
  expect(await kept()).toEqual(before);
  const schema = await freshSchema();
  expect(schema.length).toBeGreaterThan(400);
  expect(await schemaOf(client)).toEqual(schema);

  const daemon = await bridge.up();
  // Noted now, because a process's output is kept up to a length, and its log grows.
  const api = await eventually('the API', () => /"url":"(http:[^"]+)"/.exec(daemon.output())?.[1] ?? false);
  await bridge.succeed('source', 'resume', 'east');
  await hurry('south');
  await hurry('west');
  await bridge.succeed('source', 'resume', 'west');
  const { endMs } = world.plants['north']?.options.truth ?? { endMs: 0 };
  await eventually('every source is covered', () => coveredToTheEnd(endMs));
  await eventually('the backfill is done', async () => {
    const { rows } = await client.query<{ state: string }>('select state from backfill');
    return rows.every(({ state }) => state === 'done') || new Waiting(rows);
  });
  expect(await pushAgain(api)).toMatchObject({ accepted: 0, duplicates: world.pushed.length, revised: 0 });

  const startOf = (name: string): number => {
    const found = before.sources.find((source) => (source as { name: string }).name === name) as { start_at: Date };
    return found.start_at.getTime();
  };
  const pushed = world.pushed.map(({ sensorId, valueName, date, value }) =>
    lineOf(sensorId, valueName, Date.parse(date), value),
  );
  const north = trueReadings('north', startOf('north'));
  const east = trueReadings('east', startOf('east'));
  const south = trueReadings('south', Date.UTC(2026, 10, 20), true);
  const west = trueReadings('west', startOf('west'));
  expect(await storedReadings('press-shop')).toEqual([...pushed, ...north, ...east].toSorted());
  expect(await storedReadings('kiln')).toEqual([...south, ...west].toSorted());
  await delivered();
});

/** That the service holds exactly the readings of the project that is pushed on. */
async function delivered(): Promise<void> {
  await eventually('the outbox is empty', async () => {
    const { rows } = await client.query<{ waiting: number }>('select count(*)::int as waiting from outbox');
    return rows[0]?.waiting === 0 || new Waiting(rows);
  });
  const rows = async <Row extends object>(text: string): Promise<Row[]> =>
    (await client.query<Row>(text, ['press-shop'])).rows;
  expect(service.stored()).toEqual(await truthOf({ rows }));
  expect(service.violations).toEqual([]);
}
