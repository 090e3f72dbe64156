import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seriesName } from '../../adapters/platforms/influxdb/series-name.ts';
import type { Http } from '../../src/platform/contract.ts';
import { quoteName } from '../kit/influx-client.ts';
import { type Influx, startInflux } from '../kit/influx.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { makePlant } from '../kit/plant.ts';
import { differencesOf, type Point } from '../kit/point.ts';
import { type Proxy, startProxy } from '../kit/proxy.ts';
import { connect, disconnect, identify, reading, type Row, rowsOf, sensorsOf } from './influxdb-http.ts';

// The real server: influxd 1.6.7 from Debian, set to cut every answer that is not chunked after 5,000 rows.
const from = Date.UTC(2026, 0, 1) * 1_000;
const second = 1_000_000;
const same = { missing: 0, unexpected: 0, changed: 0, repeated: 0, examples: [] };
const plant = makePlant({ points: 60_000, fromUs: from, days: 2, series: 12 });

let influx: Influx;
let proxy: Proxy;
let http: Http;

beforeAll(async () => {
  influx = await startInflux({ databases: ['plant', 'bulk', 'doomed', 'secret'], maxRowLimit: 5_000 });
  proxy = await startProxy({ port: Number(new URL(influx.url).port) });
  await influx.query(`REVOKE READ ON "secret" FROM ${quoteName(influx.reader.username)}`);
  for (const batch of plant.batches()) await influx.write(batch, 'bulk', 'u');
  http = connect(influx.url, influx.reader);
});

afterAll(async () => {
  await disconnect();
  await proxy.close();
  await influx.stop();
  assertNothingLeaked();
});

const pointOf = (group: string, names: ReadonlyMap<string, Point['tags']>, [sensor, field, at, value]: Row): Point => ({
  measurement: group,
  tags: names.get(sensor) ?? { unknown: sensor },
  field,
  at,
  value: value as Point['value'],
});

const nameOf = ({ measurement, tags }: Pick<Point, 'measurement' | 'tags'>): string =>
  seriesName({ measurement, tags: Object.entries(tags) });

describe('identify', () => {
  test('returns the product and its clock', async () => {
    const { product, clock } = await identify(http);
    expect(product).toBe('InfluxDB 1.6.7');
    expect(Math.abs((clock ?? 0) - Date.now() * 1_000)).toBeLessThan(60 * second);
  });

  test('refuses a wrong password', async () => {
    const stranger = connect(influx.url, { ...influx.reader, password: 'wrong' });
    await expect(identify(stranger)).rejects.toMatchObject({ fault: { code: 'credentials-rejected', right: false } });
  });

  test('refuses a user without the right to read, and its remedy works', async () => {
    const reader = connect(influx.url, influx.reader);
    const error = await identify(reader, { database: 'secret' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ fault: { code: 'credentials-rejected', right: true } });
    const grant = /GRANT READ ON .*? TO "[^"]*"/.exec((error as { remedy: string }).remedy)?.[0] ?? 'no remedy';
    await influx.query(grant);
    await expect(identify(reader, { database: 'secret' })).resolves.toMatchObject({ product: 'InfluxDB 1.6.7' });
  });

  test('refuses a database that does not exist', async () => {
    const administrator = connect(influx.url, influx.admin);
    const wanted = { fault: { code: 'config-invalid', path: 'options.database' } };
    await expect(identify(administrator, { database: 'nope' })).rejects.toMatchObject(wanted);
    await expect(sensorsOf(administrator, { database: 'nope' })).rejects.toMatchObject(wanted);
    const window = { from, to: from + second };
    await expect(rowsOf(reading(administrator, { database: 'nope' }, 'pump', window))).rejects.toMatchObject(wanted);
    await expect(identify(http, { database: 'nope' })).rejects.toMatchObject({
      fault: { code: 'credentials-rejected', right: true },
      remedy: expect.stringContaining('SHOW DATABASES') as unknown,
    });
  });

  test('refuses a retention policy that does not exist', async () => {
    const wanted = { fault: { code: 'config-invalid', path: 'options.retentionPolicy' } };
    await expect(identify(http, { retentionPolicy: 'nope' })).rejects.toMatchObject(wanted);
    const window = { from, to: from + second };
    await expect(rowsOf(reading(http, { retentionPolicy: 'nope' }, 'pump', window))).rejects.toMatchObject(wanted);
  });
});

describe('a window', () => {
  beforeAll(async () => {
    const nanoseconds = [-1, 0, 999, 1_000, 999_999_000, 999_999_999, 1_000_000_000].map(
      (offset) => BigInt(from) * 1_000n + BigInt(offset),
    );
    const lines = nanoseconds.map((at, index) => `edge value=${index} ${at}`);
    await influx.write([...lines, `edge value=-1 -1500`, `edge value=-2 0`], 'plant', 'ns');
  });

  test('holds its beginning and not its end, to the nanosecond', async () => {
    const rows = await rowsOf(reading(http, {}, 'edge', { from, to: from + second }));
    expect(rows.map(([, , at, value]) => [at - from, value])).toEqual([
      [0, 1],
      [0, 2], // 999 ns later: the same microsecond, in the order of time
      [1, 3],
      [999_999, 4],
      [999_999, 5],
    ]);
  });

  test('of one microsecond holds the points of that microsecond', async () => {
    const rows = await rowsOf(reading(http, {}, 'edge', { from: from + 999_999, to: from + second }));
    expect(rows.map(([, , , value]) => value)).toEqual([4, 5]);
  });

  test('and its neighbour hold the same points as one window over both', async () => {
    const read = async (begin: number, end: number) =>
      await rowsOf(reading(http, {}, 'edge', { from: from + begin, to: from + end }));
    expect([...(await read(-1, 1)), ...(await read(1, second + 1))]).toEqual(await read(-1, second + 1));
  });

  test('at 1970 holds its point', async () => {
    expect(await rowsOf(reading(http, {}, 'edge', { from: 0, to: 1 }))).toEqual([['edge', 'value', 0, -2]]);
  });

  test('without points is empty and not a failure', async () => {
    expect(await rowsOf(reading(http, {}, 'edge', { from: from + 5 * second, to: from + 6 * second }))).toEqual([]);
    expect(await rowsOf(reading(http, {}, 'never heard of', { from, to: from + second }))).toEqual([]);
  });
});

describe('60,000 points', () => {
  test.each([1_000, 50_000])('in pieces of %i are read as they were written, each once', async (chunkSize) => {
    const options = { database: 'bulk', chunkSize };
    const found: Point[] = [];
    const sensors = await sensorsOf(http, options);
    const names = new Map([...plant.points()].map((point) => [nameOf(point), point.tags]));
    expect(new Set(sensors.map(({ id }) => id))).toEqual(new Set(names.keys()));
    for (const group of new Set(sensors.map((sensor) => sensor.group ?? ''))) {
      const rows = await rowsOf(reading(http, options, group, { from: plant.fromUs, to: plant.toUs }));
      found.push(...rows.map((row) => pointOf(group, names, row)));
    }
    expect(found).toHaveLength(60_000);
    expect(differencesOf(plant.points(), found)).toEqual(same);
  });

  test('may be given up after the first one, and InfluxDB stops its query', async () => {
    // 30 MB, far more than the connection buffers, so InfluxDB waits until the reader goes on or closes the connection.
    const line = (index: number): string => `long text="${'x'.repeat(10_000)}" ${from + index}`;
    await influx.write(Array.from({ length: 3_000 }, (_, index) => line(index)).join('\n'), 'plant', 'u');
    for await (const { at } of reading(http, { chunkSize: 1 }, 'long', { from, to: from + second })) {
      expect(at).toEqual([from]);
      break;
    }
    const running = async (): Promise<boolean> =>
      (await influx.query('SHOW QUERIES')).some(({ values }) =>
        values.some(([, query]) => String(query).includes('long')),
      );
    while (await running()) await sleep(20);
    // The next request works.
    expect((await sensorsOf(http)).length).toBeGreaterThan(0);
  });

  test('that break off at any point of the answer are unavailable', async () => {
    const viaProxy = connect(`http://${proxy.host}:${proxy.port}`, influx.reader);
    const [{ group = '' } = {}] = await sensorsOf(http, { database: 'bulk' });
    const read = () =>
      rowsOf(reading(viaProxy, { database: 'bulk', chunkSize: 500 }, group, { from: plant.fromUs, to: plant.toUs }));
    const all = await read();
    const bytes = proxy.bytesToClients();
    for (const share of [0.01, 0.3, 0.6, 0.9, 0.999]) {
      proxy.cut();
      await proxy.set({ truncateAfterBytes: Math.floor(bytes * share) });
      await expect(read(), `after ${share} of the answer`).rejects.toMatchObject({ code: 'unavailable' });
    }
    await proxy.set({});
    expect(await read()).toEqual(all);
  });
});

describe('values', () => {
  test('of every type come as they were written, without rounding', async () => {
    await influx.write(
      [
        `kinds float=0,integer=9007199254740993i,boolean=true,string="1.5" ${from}`,
        `kinds float=-1e-300,integer=-9223372036854775808i ${from + 1}`,
        `kinds float=123456789012345680000,integer=9007199254740991i,boolean=false ${from + 2}`,
      ],
      'plant',
      'u',
    );
    const rows = await rowsOf(reading(http, {}, 'kinds', { from, to: from + second }));
    const values = Object.groupBy(rows, ([, variable]) => variable);
    const of = (variable: string) => values[variable]?.map(([, , at, value]) => [at - from, value]);
    expect(of('float')).toEqual([
      [0, 0],
      [1, -1e-300],
      [2, 123_456_789_012_345_680_000],
    ]);
    expect(of('integer')).toEqual([
      [0, 9_007_199_254_740_993n],
      [1, -9_223_372_036_854_775_808n],
      [2, 9_007_199_254_740_991],
    ]);
    expect(of('boolean')).toEqual([
      [0, true],
      [2, false],
    ]);
    expect(of('string')).toEqual([[0, '1.5']]);
    const numbers = await rowsOf(reading(http, { skipStringFields: true }, 'kinds', { from, to: from + second }));
    expect(numbers).toEqual(rows.filter(([, variable]) => variable !== 'string'));
  });

  test('of a field whose type changed come once each, for any range of shards', async () => {
    const month = 31 * 86_400 * second;
    const written = ['1.5', '"two"', '3i', 'true'];
    for (const [index, text] of written.entries())
      await influx.write([`moody f=${text} ${from + index * month}`], 'plant', 'u');
    const read = async (begin: number, end: number) => {
      const rows = await rowsOf(reading(http, {}, 'moody', { from: from + begin * month, to: from + end * month }));
      return rows.toSorted(([, , one], [, , other]) => one - other).map(([, , , value]) => value);
    };
    const values = [1.5, 'two', 3, true];
    for (let begin = 0; begin < 4; begin += 1) {
      for (let end = begin + 1; end <= 4; end += 1) {
        expect(await read(begin, end), `${begin} to ${end}`).toEqual(values.slice(begin, end));
      }
    }
  });
});

describe('after a drop', () => {
  test('a measurement is an empty window, and a database is config-invalid', async () => {
    await influx.write([`pump speed=1 ${from}`], 'doomed', 'u');
    const read = () =>
      rowsOf(reading(connect(influx.url, influx.admin), { database: 'doomed' }, 'pump', { from, to: from + second }));
    expect(await read()).toHaveLength(1);
    await influx.query('DROP MEASUREMENT "pump"', 'doomed');
    expect(await read()).toEqual([]);
    await influx.query('DROP DATABASE "doomed"');
    await expect(read()).rejects.toMatchObject({ code: 'config-invalid' });
  });
});
