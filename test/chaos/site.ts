import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { makeBridge } from '../kit/bridge.ts';
import type { BridgeUnderTest } from '../kit/bridge.ts';
import type { TestDatabases } from '../kit/databases.ts';
import { startInflux } from '../kit/influx.ts';
import type { Influx } from '../kit/influx.ts';
import { differencesOf } from '../kit/point.ts';
import type { Difference, Point } from '../kit/point.ts';
import { storedReadings } from '../kit/readings.ts';
import { seriesName } from '../../adapters/platforms/influxdb/series-name.ts';
import { writeLive, writePast } from './live-writer.ts';
import { eventually } from './eventually.ts';

const PAST_US = 1_200_000_000;
const PAST_STEP_US = 10_000_000;

/** The past takes twenty seconds and the edge moves every second, so an outage falls into both. */
export const schedule = { every: '1s', settle: '2s', overlap: '10s', maxWindow: '40s' };
export const pace = { requestsPerSecond: 6, burst: 6, concurrency: 2 };

/** A real InfluxDB that is written to all the time, and databases in which it is registered as the source `hall`. */
export interface Site {
  readonly influx: Influx;
  /** Where the past begins, µs. */
  readonly startUs: number;
  /** Settings every process of this site shares. */
  readonly environment: NodeJS.ProcessEnv;
  /** The source as an operator writes it; `url` where it is reached through something in between. */
  source(changes?: Record<string, unknown>, url?: string): Record<string, unknown>;
  /** A database of the test's own, in which the project and the source are registered already. */
  database(): Promise<RegisteredDatabase>;
  close(): Promise<void>;
}

/** The tests' own way into a database, which goes past a line that is put between it and the bridge. */
export interface RegisteredDatabase {
  readonly url: string;
  readonly port: number;
  readonly client: pg.Client;
  close(): Promise<void>;
}

export async function openSite(databases: TestDatabases): Promise<Site> {
  const influx = await startInflux();
  const startUs = Math.floor((Date.now() * 1000 - PAST_US) / 1_000_000) * 1_000_000;
  await writePast(influx, startUs, Date.now() * 1000, PAST_STEP_US);
  const writer = writeLive(influx);
  const environment = { DATABRIDGE_KEY: randomBytes(32).toString('base64') };
  const source: Site['source'] = (changes = {}, url = influx.url) => ({
    name: 'hall',
    project: 'hall',
    kind: 'user-credentials',
    platform: 'influxdb',
    connection: { url, username: influx.reader.username, password: influx.reader.password },
    options: { database: 'plant' },
    schedule: { ...schedule, start: isoOf(startUs) },
    pace,
    ...changes,
  });

  const template = await databases.createMigrated();
  const registering = await makeBridge({ ...environment, DATABASE_URL: template });
  await registering.succeed('project', 'create', 'hall');
  await registering.apply(source());
  await registering.remove();

  return {
    influx,
    startUs,
    environment,
    source,
    async database() {
      const url = await databases.copy(template);
      const client = new pg.Client({ connectionString: url });
      // The end of the file drops the database of a failed test, and that must not hide why the test failed.
      client.on('error', () => undefined);
      await client.connect();
      return { url, port: Number(new URL(url).port), client, close: () => client.end() };
    },
    async close() {
      await writer.stop();
      await influx.stop();
    },
  };
}

/** As operators write instants. */
export const isoOf = (instantUs: number): string => new Date(instantUs / 1000).toISOString();

/** `databridge up` on a database of the site, with a home of its own. */
export const bridgeOn = (site: Site, environment: NodeJS.ProcessEnv): Promise<BridgeUnderTest> =>
  makeBridge({ ...site.environment, ...environment });

/** Waits until everything from `fromUs` (default: the start of the site) to now is covered, then until the readings agree. */
export async function expectComplete(
  site: Pick<Site, 'influx' | 'startUs'>,
  client: pg.Client,
  { fromUs = site.startUs, withinMs = 900_000 }: { fromUs?: number; withinMs?: number } = {},
): Promise<void> {
  const range = { fromUs, toUs: Date.now() * 1000 };
  const state = (): Promise<string> => stateOf(client);
  await eventually('everything is covered', () => covers(client, range), { withinMs, state });
  let difference: Difference | undefined;
  // On a busy machine a point may be written later than `settle`; the next look back finds it.
  await eventually(
    'the stored readings are what InfluxDB holds',
    async () => {
      difference = await differenceOf(site, client, range);
      return difference.missing + difference.unexpected + difference.changed + difference.repeated === 0;
    },
    { state: async () => `${JSON.stringify(difference, undefined, 1)}\n${await stateOf(client)}` },
  );
}

interface Range {
  readonly fromUs: number;
  readonly toUs: number;
}

export async function covers(client: pg.Client, { fromUs, toUs }: Range): Promise<boolean> {
  const { rows } = await client.query<{ done: boolean }>(
    'select covered @> tstzrange(at_instant($1), at_instant($2)) as done from stream where retired_at is null',
    [fromUs, toUs],
  );
  return rows.length > 0 && rows.every(({ done }) => done);
}

/** Whether every stream is covered up to an instant after the fault, and not beyond the present, as a clock that was ahead leaves it. */
export async function isLive(client: pg.Client, afterUs: number): Promise<boolean> {
  const { rows } = await client.query<{ live: boolean }>(
    'select coalesce(bool_and(upper(covered) > at_instant($1) and upper(covered) <= now()), false) as live from stream where retired_at is null',
    [afterUs],
  );
  return rows[0]?.live === true;
}

/** What the stored readings of a range lack and hold besides those of InfluxDB. */
export async function differenceOf(
  site: Pick<Site, 'influx'>,
  client: pg.Client,
  { fromUs, toUs }: Range,
): Promise<Difference> {
  const held = await site.influx.readAll('plant', fromUs, toUs);
  const expected = held.map((point): Point => {
    const tags = Object.entries(point.tags);
    return { ...point, measurement: seriesName({ measurement: point.measurement, tags }), tags: {} };
  });
  const stored: Point[] = [];
  for await (const { sensorId, valueName, at, value } of storedReadings(client)) {
    // InfluxDB has no negative zero in its answers, PostgreSQL has.
    if (at < toUs) stored.push({ measurement: sensorId, tags: {}, field: valueName, at, value: value + 0 });
  }
  return differencesOf(expected, stored);
}

/** How far the bridge got and what it waits for: for the message of a test that failed. */
export async function stateOf(client: pg.Client): Promise<string> {
  const ask = async (text: string): Promise<string> =>
    (await client.query<{ line: string }>(`select row_to_json(found)::text as line from (${text}) as found`)).rows
      .map(({ line }) => line)
      .join('\n');
  return [
    await ask('select name, state, held_until, failures, last_fault, now() from source'),
    await ask('select key, covered, learned, retry_at, last_fault from stream'),
    await ask('select * from work'),
    await ask('select id, pid, beat_at from worker'),
    await ask('select version, requests, next, leases, state from pace'),
    await ask('select lane, from_at, to_at, asked_at, readings from window_log order by asked_at desc limit 8'),
  ].join('\n');
}
