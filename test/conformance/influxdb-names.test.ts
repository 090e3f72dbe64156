import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seriesName } from '../../adapters/platforms/influxdb/series-name.ts';
import type { Http } from '../../src/platform/contract.ts';
import { quoteName } from '../kit/influx-client.ts';
import { type Influx, startInflux } from '../kit/influx.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { linePrefix } from '../kit/line-protocol.ts';
import type { Point } from '../kit/point.ts';
import { connect, disconnect, reading, type Row, rowsOf, sensorsOf } from './influxdb-http.ts';

const from = Date.UTC(2026, 0, 1) * 1_000;
const window = { from, to: from + 1_000_000 };

/** InfluxDB itself refuses `/` and a backslash in the name of a database. */
const strange = `a "b" 'c'; DROP DATABASE plant--`;

let influx: Influx;
let http: Http;

beforeAll(async () => {
  influx = await startInflux({ databases: ['plant', 'names', 'alike', strange] });
  http = connect(influx.url, influx.reader);
});

afterAll(async () => {
  await disconnect();
  await influx.stop();
  assertNothingLeaked();
});

/**
 * Names that people and attackers use. Without a backslash before `,`, `=`, `"` or space, which line protocol cannot
 * write.
 */
const awkward = [
  'hall 3, north',
  `"quoted" and 'quoted'`,
  'C:\\plant\\temp',
  'a=b,c=d',
  'Überdruck 🔥 値',
  `x" OR "a" = 'b`,
  `'; DROP MEASUREMENT "victim"; --`,
  '"; DROP DATABASE "plant',
  '/.*/',
  '*',
  'tab\there',
  'time::tag',
  '$p${q}%20&#+',
  'n\\n',
];

async function readNames(): Promise<{ whole: Row[]; alone: Row[] }> {
  const sensors = await sensorsOf(http, { database: 'names' });
  const whole: Row[] = [];
  const alone: Row[] = [];
  for (const group of new Set(sensors.map((sensor) => sensor.group ?? ''))) {
    whole.push(...(await rowsOf(reading(http, { database: 'names' }, group, window))));
  }
  for (const { id, group = '' } of sensors) {
    alone.push(...(await rowsOf(reading(http, { database: 'names' }, group, window, [id]))));
  }
  return { whole, alone };
}

const nameOf = ({ measurement, tags }: Pick<Point, 'measurement' | 'tags'>): string =>
  seriesName({ measurement, tags: Object.entries(tags) });

const sorted = (rows: readonly Row[]): string[] => rows.map((row) => JSON.stringify(row)).toSorted();

describe('nasty names', () => {
  test('of measurements, tags and fields are read as written, together and one by one', async () => {
    const unit = fc.constantFrom('a', 'Z', ' ', ',', '=', '"', "'", '\\', ';', 'é', '🔥', '-');
    const sayable = (name: string) => !/\\([\\,= "]|$)/.test(name) && !/^[\s#_]/.test(name);
    const made = fc.sample(fc.string({ unit, minLength: 1, maxLength: 8 }).filter(sayable), { numRuns: 60, seed: 7 });
    const names = [...new Set([...awkward, ...made])];
    await influx.write(`victim value=1 ${from}`, 'plant', 'u');
    const expected: Row[] = [];
    for (const [index, name] of names.entries()) {
      const other = names[(index + 1) % names.length] as string;
      const points = [
        { measurement: name, tags: {}, field: other },
        { measurement: 'named by tags', tags: { [name]: other, kind: name }, field: 'value' },
        { measurement: other, tags: { [other]: name }, field: name },
      ];
      for (const point of points) await influx.write(`${linePrefix(point)}${index} ${from + index}`, 'names', 'u');
      expected.push(...points.map((point): Row => [nameOf(point), point.field, from + index, index]));
    }
    const { whole, alone } = await readNames();
    expect(sorted(whole)).toEqual(sorted(expected));
    expect(sorted(alone)).toEqual(sorted(expected));
    expect(await influx.query('SELECT * FROM "victim"', 'plant')).toHaveLength(1);
  });

  test('of databases and retention policies', async () => {
    const policy = 'two "years"';
    await influx.query(
      `CREATE RETENTION POLICY ${quoteName(policy)} ON ${quoteName(strange)} DURATION 17520h REPLICATION 1`,
    );
    const options = { database: strange, retentionPolicy: policy };
    expect(await sensorsOf(http, options)).toEqual([]);
    expect(await rowsOf(reading(http, options, 'pump', window))).toEqual([]);
    expect(await sensorsOf(http)).not.toEqual([]);
  });
});

describe('series that are alike', () => {
  beforeAll(async () => {
    const lines = [
      'temp value=1',
      'temp,sensor=S1 value=2',
      'temp,sensor=S1,unit=C value=3',
      'temp,sensor=S2,unit=C value=4',
      'pressure,sensor=S1 value=5',
      'same,sensor=S1 sensor=6,value=7',
      'same,sensor=S2 sensor=8',
    ];
    await influx.write(
      lines.map((line) => `${line} ${from}`),
      'alike',
      'u',
    );
  });

  const read = async (given: object, group: string, sensors: readonly string[]) =>
    (await rowsOf(reading(http, { database: 'alike', ...given }, group, window, sensors))).map(
      ([sensor, variable, , value]) => [sensor, variable, value],
    );

  test('a sensor differs from sensors that have more tags', async () => {
    expect(await read({}, 'temp', ['temp,sensor=S1'])).toEqual([['temp,sensor=S1', 'value', 2]]);
    expect(await read({}, 'temp', ['temp'])).toEqual([['temp', 'value', 1]]);
    expect(await read({}, 'temp', ['temp', 'temp,sensor=S2,unit=C'])).toEqual([
      ['temp', 'value', 1],
      ['temp,sensor=S2,unit=C', 'value', 4],
    ]);
  });

  test('a tag differs from the field of the same name', async () => {
    expect(await read({}, 'same', ['same,sensor=S1'])).toEqual([
      ['same,sensor=S1', 'sensor', 6],
      ['same,sensor=S1', 'value', 7],
    ]);
  });

  test('one tag may name the sensor over all measurements', async () => {
    const sensors = await sensorsOf(http, { database: 'alike', sensorTag: 'sensor' });
    expect(sensors).toContainEqual({ id: 'S1', group: 'temp', variables: ['temp.value'] });
    expect(sensors).toContainEqual({ id: 'S1', group: 'pressure', variables: ['pressure.value'] });
    expect(sensors).toContainEqual({ id: 'temp,sensor=', group: 'temp', variables: ['value'] });
    const given = { sensorTag: 'sensor' };
    expect(await read(given, 'pressure', ['S1'])).toEqual([['S1', 'pressure.value', 5]]);
    expect(await read(given, 'temp', ['S2', 'temp,sensor='])).toEqual([
      ['temp,sensor=', 'value', 1],
      ['S2', 'temp.value', 4],
    ]);
  });
});
