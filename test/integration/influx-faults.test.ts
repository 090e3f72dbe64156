import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriesName } from '../../adapters/platforms/influxdb/series-name.ts';
import { startHttpFault } from '../kit/http-fault.ts';
import type { HttpFault } from '../kit/http-fault.ts';
import { startInflux } from '../kit/influx.ts';
import type { Influx } from '../kit/influx.ts';
import { useDatabases } from '../kit/databases.ts';
import { differencesOf } from '../kit/point.ts';
import type { Point } from '../kit/point.ts';
import { eventually, startRig, Waiting } from './daemon-rig.ts';
import type { Rig, SourceState } from './daemon-rig.ts';
import { NONE } from './plant-simulator.ts';

// A real InfluxDB on which rights and passwords change, windows hold too much, and points are corrected later.

/** The bridge halves a window of more than four times as many readings. */
const COMFORTABLE = 200;
const MINUTE_US = 60_000_000;
const HOUR_US = 60 * MINUTE_US;
const USER = { username: 'second', password: 'second pa55 "of" the plant' };

const databases = useDatabases();
let rig: Rig;
let influx: Influx;
let httpFault: HttpFault;
let writing: { stop(): Promise<void> };
const nowUs = (): number => Math.floor(Date.now() / 1000) * 1_000_000;

beforeAll(async () => {
  [rig, influx] = await Promise.all([
    startRig(databases, ['hall', 'hall-2'], { DATABRIDGE_WINDOW_READINGS: String(COMFORTABLE) }),
    startInflux({ databases: ['plant', 'dense'], maxRowLimit: 50 }),
  ]);
  httpFault = await startHttpFault(influx.url);
  await influx.query(`CREATE USER "${USER.username}" WITH PASSWORD '${USER.password}'`);
  await influx.query(`GRANT READ ON "plant" TO "${USER.username}"`);
  writing = keepWriting();
});

afterAll(async () => {
  await writing.stop();
  await rig.close();
  await httpFault.close();
  await influx.stop();
});

const source = (name: string, database: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name,
  project: 'hall',
  kind: 'user-credentials',
  platform: 'influxdb',
  connection: { url: httpFault.url, username: influx.reader.username, password: influx.reader.password },
  options: { database },
  schedule: { every: '500ms', start: '1h', settle: '2s', overlap: '4s' },
  pace: { requestsPerSecond: 50, burst: 10, concurrency: 2 },
  ...more,
});

const locked = (password: string): Record<string, unknown> =>
  source('locked', 'plant', { connection: { url: httpFault.url, username: USER.username, password } });

/**
 * Instants of points that are being written, or were stored so late that the source may have asked for their time before: it
 * settles for two seconds.
 */
const late = new Set<number>();
const IN_TIME_MS = 1_000;

/** Writes two points a second, also while the source may not read them. */
function keepWriting(): { stop(): Promise<void> } {
  let running = true;
  const write = async (): Promise<void> => {
    for (let round = 0; running; round += 1) {
      const at = Date.now() * 1000;
      late.add(at);
      await influx.write([`live,pump=P1 flow=${round} ${at}`], 'plant', 'u').then(
        () => Date.now() - at / 1000 < IN_TIME_MS && late.delete(at),
        () => undefined,
      );
      await sleep(500);
    }
  };
  const written = write();
  return {
    async stop() {
      running = false;
      await written;
    },
  };
}

/** Compares the numbers in InfluxDB with the stored readings, both in `[fromUs, toUs)`, but for late ones. */
async function differences(database: string, fromUs: number, toUs: number): Promise<unknown> {
  const held = (await influx.readAll(database, fromUs, toUs)).filter(({ value }) => typeof value === 'number');
  const expected = held.map((point): Point => ({
    measurement: seriesName({ measurement: point.measurement, tags: Object.entries(point.tags) }),
    tags: {},
    field: point.field,
    at: point.at,
    value: point.value,
  }));
  const measurements = [...new Set(expected.map(({ measurement }) => measurement))];
  const { rows } = await rig.client.query<{ measurement: string; field: string; at: string; value: number }>(
    `select sensor_id as measurement, value_name as field, instant_of(at)::text as at, value
     from reading join series on series.id = reading.series join ml_project on ml_project.id = project_id
     where code = 'hall' and sensor_id = any($1) and at >= at_instant($2) and at < at_instant($3)`,
    [measurements, Math.round(fromUs), Math.round(toUs)],
  );
  const found = rows.map((row) => ({ ...row, tags: {}, at: Number(row.at) }));
  const inTime = ({ at }: Point): boolean => !late.has(at);
  return differencesOf(expected.filter(inTime), found.filter(inTime));
}

const sourceThat = (name: string, holds: (state: SourceState) => boolean): Promise<SourceState> =>
  eventually(name, async () => {
    const state = await rig.source(name);
    return holds(state) ? state : new Waiting(state);
  });

async function complete(name: string, database: string): Promise<void> {
  const untilMs = Date.now();
  await rig.covered(name, untilMs);
  const { startMs } = await rig.source(name);
  expect(await differences(database, startMs * 1000, untilMs * 1000)).toEqual(NONE);
}

test('windows that hold too much or are refused with 413 are halved until they fit, and grow again afterwards', async () => {
  const edge = nowUs();
  const lines = Array.from({ length: 6 * 60 }, (_, minute) => `pump flow=${minute} ${edge - minute * MINUTE_US}`);
  // Six hours of one point a minute, and 3,000 points within five minutes in the middle of them.
  const dense = Array.from(
    { length: 3_000 },
    (_, index) => `pump flow=${index}.5 ${edge - 3 * HOUR_US + index * 100_000 + 1}`,
  );
  await influx.write([...lines, ...dense], 'dense', 'u');
  // The two answers after discovery are too large for a proxy on the way.
  let queries = 0;
  httpFault.next(2, { status: 413, body: 'too large' }, ({ url }) => url.startsWith('/query') && (queries += 1) > 1);
  await rig.apply(source('dense', 'dense', { schedule: { every: '500ms', start: '6h', settle: '2s', overlap: '0s' } }));
  await rig.covered('dense', Date.now());
  await complete('dense', 'dense');
  const { rows } = await rig.client.query<{ us: number; readings: number; isOlder: boolean }>(
    `select (instant_of(to_at) - instant_of(from_at))::float8 as us, readings, to_at <= at_instant($1) as "isOlder" from window_log
     join source on source.id = source_id where name = 'dense' and lane = 'history' order by asked_at`,
    [edge - 3 * HOUR_US],
  );
  expect(Math.max(...rows.map(({ readings }) => readings))).toBeLessThanOrEqual(COMFORTABLE * 4);
  // Two answers of 413 quarter the first hour; the dense stretch needs windows of a minute or two; then they grow again.
  expect(rows[0]?.us).toBeLessThanOrEqual(HOUR_US / 2);
  // A longer window may reach a little way into the dense stretch, so the first full one need not be short.
  const full = rows.filter(({ readings }) => readings > COMFORTABLE / 2);
  const shortest = Math.min(...full.map(({ us }) => us));
  expect(shortest).toBeLessThan(3 * MINUTE_US);
  // The newest time comes first, so what is older than the dense stretch is asked for after it.
  const older = rows.filter(({ isOlder }) => isOlder).map(({ us }) => us);
  expect(Math.max(...older)).toBeGreaterThan(2 * shortest);
  const { streams } = await rig.source('dense');
  expect(streams).toMatchObject([{ failures: 0, fault: null }]);
  expect(streams[0]?.learnedUs).toBeLessThan(6 * HOUR_US);
  expect(rig.complaints('dense')).toEqual([]);
  expect(httpFault.requests.filter(({ status }) => status === 413)).toHaveLength(2);
});

test('a password changed at run time stops the source after one confirmed refusal, and the new one fills the gap', async () => {
  await influx.write([`live,pump=P1 flow=1 ${nowUs() - 10 * MINUTE_US}`], 'plant', 'u');
  await rig.apply(locked(USER.password));
  await complete('locked', 'plant');
  await influx.query(`SET PASSWORD FOR "${USER.username}" = 'another pa55'`);
  const stopped = await sourceThat('locked', ({ state }) => state === 'stopped');
  expect(stopped.fault).toMatchObject({
    code: 'credentials-rejected',
    right: false,
    remedy: expect.stringMatching(/./),
  });
  await sleep(1_500);
  expect(httpFault.requests.filter(({ status }) => status === 401).length).toBe(2);
  await rig.apply(locked('another pa55'));
  await complete('locked', 'plant');
  expect(await rig.source('locked')).toMatchObject({ state: 'active', failures: 0, fault: null });
});

test.each([
  {
    loss: 'a right to read that is revoked',
    take: [`REVOKE READ ON "plant" FROM "${USER.username}"`],
    give: [`GRANT READ ON "plant" TO "${USER.username}"`],
  },
  {
    loss: 'a database that is dropped',
    take: ['DROP DATABASE "plant"'],
    give: ['CREATE DATABASE "plant"', `GRANT READ ON "plant" TO "${USER.username}"`],
  },
])('$loss stops the source with a remedy, and the source goes on once it is resumed', async ({ take, give }) => {
  for (const statement of take) await influx.query(statement);
  const stopped = await sourceThat('locked', ({ state }) => state === 'stopped');
  expect(stopped.fault?.code).toMatch(/^(credentials-rejected|config-invalid)$/);
  expect(stopped.fault?.remedy).toMatch(/GRANT READ|SHOW DATABASES/);
  const asked = httpFault.requests.length;
  await eventually('other sources are asked', () => httpFault.requests.length > asked + 2);
  for (const statement of give) await influx.query(statement);
  const fromUs = nowUs();
  await rig.bridge.succeed('source', 'resume', 'locked');
  await sourceThat('locked', ({ state, fault, failures }) => state === 'active' && fault === null && failures === 0);
  const untilMs = Date.now();
  await rig.covered('locked', untilMs);
  expect(await differences('plant', fromUs, untilMs * 1000)).toEqual(NONE);
});

test('a point corrected within the overlap is revised, a future point waits, and the last of two points at one instant counts', async () => {
  await influx.query('CREATE DATABASE "fixes"');
  await influx.query(`GRANT READ ON "fixes" TO "${influx.reader.username}"`);
  const at = nowUs();
  await influx.write(
    [
      `pump,hall=H1 flow=1,state="on",running=true ${at - 8_000_000}`,
      `pump,hall=H1 flow=8 ${at + 400 * 24 * HOUR_US}`,
      // The source ignores the tag firmware, so these are two points of one sensor at one instant.
      `twin,firmware=a flow=1 ${at - 60_000_000}`,
      `twin,firmware=b flow=2 ${at - 60_000_000}`,
    ],
    'fixes',
    'u',
  );
  await rig.apply(
    source('fixes', 'fixes', { schedule: { every: '500ms', start: '1h', settle: '2s', overlap: '30s' } }),
    source('twins', 'fixes', {
      project: 'hall-2',
      options: { database: 'fixes', measurements: ['twin'], ignoreTags: ['firmware'] },
    }),
  );
  const stored = async (sensor: string): Promise<{ at: number; value: number }[]> => {
    const { rows } = await rig.client.query<{ at: string; value: number }>(
      `select instant_of(at)::text as at, value from reading join series on series.id = reading.series where sensor_id = $1 order by 1`,
      [sensor],
    );
    return rows.map((row) => ({ at: Number(row.at), value: row.value }));
  };
  const pump = seriesName({ measurement: 'pump', tags: [['hall', 'H1']] });
  await eventually('the first point', async () => (await stored(pump)).length === 1);
  // From here on the source is polled, so it has the whole overlap for the correction.
  const wrong = nowUs() - 3_000_000;
  await influx.write([`pump,hall=H1 flow=2 ${wrong}`], 'fixes', 'u');
  await eventually('the point to be corrected', async () => (await stored(pump)).length === 2);
  const future = nowUs() + 6_000_000;
  await influx.write([`pump,hall=H1 flow=3 ${wrong}`, `pump,hall=H1 flow=7 ${future}`], 'fixes', 'u');
  await eventually('the correction', async () => {
    const found = await stored(pump);
    return found[1]?.value === 3 || new Waiting(found);
  });
  await eventually('the future', async () => (await stored(pump)).length === 3);
  expect(await stored(pump)).toEqual([
    { at: at - 8_000_000, value: 1 },
    { at: wrong, value: 3 },
    { at: future, value: 7 },
  ]);
  expect(Date.now() * 1000).toBeGreaterThan(future);
  const { rows } = await rig.client.query<{ revised: number; refused: number }>(
    `select sum(revised)::int as revised, (select sum(cardinality(points))::int from refused_hour
       join stream on stream.id = stream_id where source_id = source.id) as refused
     from window_log join source on source.id = source_id where name = 'fixes' group by source.id`,
  );
  expect(rows).toEqual([{ revised: 1, refused: 2 }]);
  await rig.covered('twins', Date.now());
  const { rows: twins } = await rig.client.query<{ value: number; sensor: string }>(
    `select value, sensor_id as sensor from reading join series on series.id = series
     join ml_project on ml_project.id = project_id where code = 'hall-2'`,
  );
  expect(twins).toEqual([{ value: 2, sensor: 'twin' }]);
  const { rows: displaced } = await rig.client.query(
    `select reason, cardinality(points) as refused, sensor, variable, examples -> 0 ->> 1 as raw from refused_hour
     join stream on stream.id = stream_id join source on source.id = source_id where name = 'twins'`,
  );
  expect(displaced).toEqual([{ reason: 'same-instant', refused: 1, sensor: 'twin', variable: 'flow', raw: '1' }]);
});
