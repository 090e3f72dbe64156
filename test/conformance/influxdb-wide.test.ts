import { afterAll, beforeAll, expect, test } from 'vitest';
import { newMeter } from '../../src/platform/connection/index.ts';
import type { Window } from '../../src/core/window.ts';
import { influxdb } from '../../adapters/platforms/influxdb/index.ts';
import { type Influx, startInflux } from '../kit/influx.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { connect, disconnect, optionsOf, type Row, rowsOf, sensorsOf } from './influxdb-http.ts';

const from = Date.UTC(2026, 0, 1) * 1_000;
const window = { from, to: from + 1_000_000 };

let influx: Influx;

beforeAll(async () => {
  influx = await startInflux({ databases: ['plant'] });
});

afterAll(async () => {
  await disconnect();
  await influx.stop();
  assertNothingLeaked();
});

const sorted = (rows: readonly Row[]): string[] => rows.map((row) => JSON.stringify(row)).toSorted();

/** Reads a measurement twice with the options of one open source; the second question knows how dense it is. */
async function readTwice(group: string, range: Window, sensors?: readonly string[]) {
  const meter = newMeter();
  const http = connect(influx.url, influx.reader, meter);
  const options = optionsOf();
  const selection = { group, sensors, variables: undefined };
  const first = await rowsOf(influxdb.read(http, options, selection, range));
  const [bytes, requests] = [meter.bytesIn, meter.requests];
  const second = await rowsOf(influxdb.read(http, options, selection, range));
  return { first, second, bytes, requests: [requests, meter.requests - requests] };
}

test('2,000 fields of which each point has one are read exactly, without a null for each of the others', async () => {
  const count = 4_000;
  const at = (index: number): number => from + index * 10;
  const lines = Array.from({ length: count }, (_, index) => `wide,hall=3 f${index % 2_000}=${index} ${at(index)}`);
  await influx.write(lines, 'plant', 'u');
  const truth = Array.from({ length: count }, (_, index): Row => [
    'wide,hall=3',
    `f${index % 2_000}`,
    at(index),
    index,
  ]);
  const { first, second, bytes, requests } = await readTwice('wide', window);
  expect(sorted(first)).toEqual(sorted(truth));
  expect(sorted(second)).toEqual(sorted(truth));
  // One request lists the fields, then each hundred of them takes one. A row of all fields would have 10,000 bytes of nulls.
  expect(requests).toEqual([21, 20]);
  expect(bytes / count).toBeLessThan(1_000);
});

test('2,000 fields that every point has are read at once from the second window on', async () => {
  const fields = Array.from({ length: 2_000 }, (_, index) => `f${index}`);
  const at = (index: number): number => from + index * 10;
  const lines = Array.from(
    { length: 30 },
    (_, index) => `dense ${fields.map((field, place) => `${field}=${index + place / 10}`).join(',')} ${at(index)}`,
  );
  await influx.write(lines, 'plant', 'u');
  const truth = lines.flatMap((_, index) =>
    fields.map((field, place): Row => ['dense', field, at(index), index + place / 10]),
  );
  const { first, second, requests } = await readTwice('dense', window);
  expect(sorted(first)).toEqual(sorted(truth));
  expect(sorted(second)).toEqual(sorted(truth));
  expect(requests).toEqual([21, 1]);
});

test('a field with a type for each shard is read whole, also among many fields', async () => {
  const shard = 8 * 86_400_000_000;
  const others = Array.from({ length: 150 }, (_, index) => `g${index}=1`).join(',');
  await influx.write([`mixed v=1.5,${others} ${from}`, `mixed v="text" ${from + shard}`], 'plant', 'u');
  await influx.write([`mixed v=true ${from + 2 * shard}`], 'plant', 'u');
  const { first } = await readTwice('mixed', { from, to: from + 3 * shard });
  expect(first.filter(([, variable]) => variable === 'v')).toEqual([
    ['mixed', 'v', from, 1.5],
    ['mixed', 'v', from + shard, 'text'],
    ['mixed', 'v', from + 2 * shard, true],
  ]);
});

test('thousands of chosen sensors are read exactly, also such as lack a tag or have strange values', async () => {
  const strange = ['a/b', 'x|y', '.*', '(', String.raw`\d`, 'Ü 値', '🔥', '^$', "o'clock", '[a-z]'];
  const escaped = (value: string): string => value.replaceAll(/[ ,=]/g, String.raw`\$&`);
  const tags = Array.from({ length: 7_000 }, (_, index) => {
    const sensor = `,sensor=${escaped(strange[index % 40] ?? 's')}${index}`;
    return index % 3 === 0 ? sensor : `,hall=${escaped(strange[index % 7] ?? 'h')}${sensor}`;
  });
  await influx.write(
    tags.map((text, index) => `many${text} v=${index} ${from + index}`),
    'plant',
    'u',
  );
  const all = (await sensorsOf(connect(influx.url, influx.reader))).filter(({ group }) => group === 'many');
  const chosen = all.map(({ id }) => id).filter((_, index) => index % 6 !== 0);
  const whole = await readTwice('many', window);
  const { first, requests } = await readTwice('many', window, chosen);
  expect([all.length, whole.first.length]).toEqual([7_000, 7_000]);
  expect(sorted(first)).toEqual(sorted(whole.first.filter(([sensor]) => chosen.includes(sensor))));
  expect(requests).toEqual([3, 2]);
});
