import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { seriesName } from '../../adapters/platforms/influxdb/series-name.ts';
import { makeBridge } from '../kit/bridge.ts';
import type { BridgeUnderTest } from '../kit/bridge.ts';
import { startInflux } from '../kit/influx.ts';
import type { Influx } from '../kit/influx.ts';
import { useDatabases } from '../kit/databases.ts';
import { makePlant } from '../kit/plant.ts';
import { differencesOf } from '../kit/point.ts';
import type { Point } from '../kit/point.ts';
import { fingerprintOf, storedReadings } from '../kit/readings.ts';
import { eventually } from './eventually.ts';

/**
 * InfluxDB 1.x with authentication, a week of history, live writes, and a bridge that is killed again and again. In the end its
 * database holds the points of InfluxDB, each exactly once.
 */

const POINTS = Number(process.env['DATABRIDGE_TEST_POINTS'] ?? 120_000);
const LIVE_SECONDS = Number(process.env['DATABRIDGE_TEST_LIVE_SECONDS'] ?? 20);
const KILLS = Number(process.env['DATABRIDGE_TEST_KILLS'] ?? 3);

const databases = useDatabases();
let influx: Influx;
let bridge: BridgeUnderTest;

beforeEach(async () => {
  influx = await startInflux();
  bridge = await makeBridge({ DATABASE_URL: await databases.createMigrated() });
});

afterEach(async () => {
  await influx.stop();
  await bridge.remove();
});

test('a week of history and live writes survive kills point for point, and a backfill of all of it again changes nothing', async () => {
  const hour = 3_600_000_000;
  const fromUs = Math.floor((Date.now() * 1000) / hour) * hour - 7 * 24 * hour;
  const plant = makePlant({ points: POINTS, fromUs, days: 7 });
  for (const batch of plant.batches()) await influx.write(batch, 'plant', 'u');
  await influx.write([`live,pump=P0 flow=0 ${fromUs}`], 'plant', 'u');

  await bridge.succeed('project', 'create', 'pump-hall');
  await bridge.apply({
    name: 'hall-3',
    project: 'pump-hall',
    kind: 'user-credentials',
    platform: 'influxdb',
    connection: { url: influx.url, username: influx.reader.username, password: influx.reader.password },
    options: { database: 'plant' },
    // Points that a busy machine writes late are found by a look back.
    schedule: { every: '1s', settle: '2s', overlap: '30s' },
    // Slow enough that the kills fall into the backfill.
    pace: { requestsPerSecond: 25, burst: 5, concurrency: 2 },
    mapping: { booleans: 'number' },
  });

  const registeredUs = (Math.floor(Date.now() / 1000) + 1) * 1_000_000;
  let daemon = await bridge.up();
  await bridge.succeed('backfill', 'start', 'hall-3', '--from', new Date(fromUs / 1000).toISOString(), '--detach');
  const writer = writeLive(influx, LIVE_SECONDS);
  for (let kill = 0; kill < KILLS; kill += 1) {
    // The last kill falls into live polling. Those before it fall into the backfill, as long as that lasts.
    await sleep(kill < KILLS - 1 ? 1_500 + (kill % 5) * 700 : (LIVE_SECONDS * 1000) / 2);
    await daemon.kill9();
    daemon = await bridge.up();
  }
  // A measurement that did not exist at registration. The next discovery finds it, and its past is filled from there on.
  const late = Array.from(
    { length: 100 },
    (_, index) => `latecomer,line=L1 speed=${index} ${registeredUs + index * 20_000}`,
  );
  await influx.write(late, 'plant', 'u');
  await bridge.succeed('source', 'poll', 'hall-3');
  const live = await writer;
  const lastWritten = Math.max(...live.map((point) => point.at));
  await covered(bridge, { fromUs, registeredUs, toUs: lastWritten + 1 });

  const { client, close } = await bridge.database();
  try {
    const held = await influx.readAll('plant', fromUs, lastWritten + 1);
    expect(held.length).toBe(POINTS + 1 + late.length + live.length);
    expect(new Set(held.map((point) => typeof point.value))).toEqual(new Set(['number', 'string', 'boolean']));
    const expected = held.filter((point) => typeof point.value !== 'string').map((point) => asPoint(readingOf(point)));
    const none = { missing: 0, unexpected: 0, changed: 0, repeated: 0, examples: [] };
    let difference = {};
    await eventually(
      'the stored readings are the points of InfluxDB',
      async () => {
        const stored: Point[] = [];
        for await (const reading of storedReadings(client)) stored.push(asPoint(reading));
        difference = differencesOf(expected, stored);
        return isDeepStrictEqual(difference, none);
      },
      { state: () => JSON.stringify(difference) },
    );

    // A value that is not a number is refused, counted and findable (law 6): each text of InfluxDB exactly once.
    const texts = held.filter((point) => typeof point.value === 'string').length;
    const { rows } = await client.query<{ refused: string }>(
      'select sum(cardinality(points))::text as refused from refused_hour',
    );
    expect(Number(rows[0]?.refused)).toBe(texts);

    const before = await fingerprintOf(client);
    const from = new Date(fromUs / 1000).toISOString();
    const to = new Date(Math.floor(lastWritten / 1000)).toISOString();
    const again = JSON.parse(
      await bridge.succeed('backfill', 'start', 'hall-3', '--from', from, '--to', to, '--what', 'all', '--json'),
    ) as { state: string; share: number };
    expect(again).toMatchObject({ state: 'done', share: 1 });
    expect(await fingerprintOf(client)).toEqual(before);
  } finally {
    await close();
    expect((await daemon.stop(60_000)).code).toBe(0);
  }
}, 900_000);

/** Writes a point of every series twice a second, at the current instant, as a plant would. */
async function writeLive(server: Influx, seconds: number): Promise<Point[]> {
  const written: Point[] = [];
  const end = Date.now() + seconds * 1000;
  for (let round = 0; Date.now() < end; round += 1) {
    const at = Date.now() * 1000;
    const points = Array.from({ length: 20 }, (_, pump): Point => {
      const value = Math.round(Math.sin(round / 7 + pump) * 1000) / 10;
      return { measurement: 'live', tags: { pump: `P${pump}` }, field: 'flow', at: at + pump, value };
    });
    const lines = points.map((point) => `live,pump=${point.tags['pump']} flow=${String(point.value)} ${point.at}`);
    await server.write(lines, 'plant', 'u');
    written.push(...points);
    await sleep(500);
  }
  return written;
}

/** Waits until every stream covers its range, the latecomer from registration on. */
async function covered(
  under: BridgeUnderTest,
  range: { fromUs: number; registeredUs: number; toUs: number },
): Promise<void> {
  const { client, close } = await under.database();
  try {
    let rows: { key: string; done: boolean; covered: string }[] = [];
    await eventually(
      'everything is covered',
      async () => {
        ({ rows } = await client.query(
          `select key, covered::text, covered @> tstzrange(
             at_instant(case when key = 'latecomer' then $2::bigint else $1::bigint end), at_instant($3)) as done
           from stream`,
          [range.fromUs, range.registeredUs, range.toUs],
        ));
        return rows.some((row) => row.key === 'latecomer') && rows.every((row) => row.done);
      },
      { state: () => JSON.stringify(rows) },
    );
  } finally {
    await close();
  }
}

const readingOf = (point: Point): { sensorId: string; valueName: string; at: number; value: number } => ({
  sensorId: seriesName({ measurement: point.measurement, tags: Object.entries(point.tags) }),
  valueName: point.field.replaceAll(/[^A-Za-z0-9_]/gu, '_'),
  at: point.at,
  value: Number(point.value),
});

const asPoint = (reading: { sensorId: string; valueName: string; at: number; value: number }): Point => ({
  measurement: reading.sensorId,
  tags: {},
  field: reading.valueName,
  at: reading.at,
  value: reading.value === 0 ? 0 : reading.value,
});
