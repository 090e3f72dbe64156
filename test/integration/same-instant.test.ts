import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatInstant, parseInstant } from '../../src/core/instant.ts';
import { startInflux } from '../kit/influx.ts';
import type { Influx } from '../kit/influx.ts';
import { useDatabases } from '../kit/databases.ts';
import { startRig } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';

// A real InfluxDB that holds several events of a sensor in one microsecond, because it counts in nanoseconds, and several series
// of one sensor. Every event becomes a reading, a repeat or a refusal that is counted once.

const SECOND_US = 1_000_000;
const MINUTE_US = 60 * SECOND_US;
/** InfluxDB splits the range into windows of an hour and less. */
const MINUTES = 100;

interface Event {
  /** The series: two production lines share the pump. */
  readonly line: string;
  readonly at: number;
  /** Nanoseconds after `at`. */
  readonly ns: number;
  readonly value: number;
}

const databases = useDatabases();
const fromUs = Math.floor(Date.now() / 60_000) * MINUTE_US - (MINUTES + 2) * MINUTE_US;
let rig: Rig;
let influx: Influx;

/** Up to four events of two series in one microsecond of each minute; some of them are equal. */
const events = Array.from({ length: MINUTES }, (_, minute) =>
  Array.from({ length: 1 + (minute % 4) }, (__, index): Event => ({
    line: minute % 3 === 0 && index % 2 === 1 ? 'L2' : 'L1',
    at: fromUs + minute * MINUTE_US,
    ns: 100 * index,
    value: minute % 5 === 0 ? 7 : index % 3,
  })),
).flat();

/** The fate of each event by the plainest code: series follow each other by name, and the last event of an instant stays. */
function fate(): { kept: Event[]; repeats: number; refused: Event[] } {
  const kept: Event[] = [];
  const refused: Event[] = [];
  let repeats = 0;
  for (const [, all] of Map.groupBy(events, ({ at }) => at)) {
    const inOrder = all.toSorted((one, other) => one.line.localeCompare(other.line) || one.ns - other.ns);
    const last = inOrder.pop() as Event;
    kept.push(last);
    for (const earlier of inOrder) {
      if (earlier.value === last.value && earlier.line === last.line) repeats += 1;
      else refused.push(earlier);
    }
  }
  return { kept, repeats, refused };
}

const expected = fate();

beforeAll(async () => {
  [rig, influx] = await Promise.all([startRig(databases), startInflux()]);
  const lines = events.map(
    ({ line, at, ns, value }) => `press,pump=P1,line=${line} load=${value} ${at}${String(ns).padStart(3, '0')}`,
  );
  await influx.write(lines, 'plant', 'ns');
  await rig.apply({
    name: 'hall',
    project: 'hall',
    kind: 'user-credentials',
    platform: 'influxdb',
    connection: { url: influx.url, username: influx.reader.username, password: influx.reader.password },
    options: { database: 'plant', sensorTag: 'pump' },
    // Looks for late data ask for covered time again, at instants of their own, and would count its repeats again.
    schedule: { every: '500ms', start: '3h', settle: '1s', overlap: '4s', lookBackAtMost: '0s' },
    pace: { requestsPerSecond: 50, burst: 10, concurrency: 2 },
  });
  await rig.covered('hall', Date.now());
});

afterAll(async () => {
  await rig.close();
  await influx.stop();
});

const stored = async (): Promise<string[]> => {
  const { rows } = await rig.client.query<{ line: string }>(
    `select concat_ws(' ', sensor_id, value_name, instant_of(at), value, label_set.labels) as line
     from reading join series on series.id = series left join label_set on label_set.id = reading.labels order by at`,
  );
  return rows.map(({ line }) => line);
};

interface Shown {
  readonly refused24h: number;
  readonly repeats24h: number;
  readonly readings24h: number;
  readonly refusals: readonly {
    readonly reason: string;
    readonly refused: number;
    readonly examples: readonly unknown[];
  }[];
}

const show = async (): Promise<Shown> =>
  JSON.parse(await rig.bridge.succeed('source', 'show', 'hall', '--json')) as Shown;

const truth = expected.kept.map(({ line, at, value }) => `P1 press_load ${at} ${value} {line=${line}}`);

test('of several events in one microsecond the last is stored, and each other one is a repeat or a refusal', async () => {
  expect(expected.kept.length + expected.repeats + expected.refused.length).toBe(events.length);
  expect(Math.min(expected.repeats, expected.refused.length)).toBeGreaterThan(10);
  expect(await stored()).toEqual(truth);
  const { refusals, ...sums } = await show();
  expect(sums).toMatchObject({
    readings24h: expected.kept.length,
    refused24h: expected.refused.length,
    repeats24h: expected.repeats,
    outside24h: 0,
  });
  expect(refusals).toMatchObject([{ reason: 'same-instant', refused: expected.refused.length }]);
});

test('a refusal is kept with the instant and the value, under the names of the platform', async () => {
  const { series } = JSON.parse(await rig.bridge.succeed('source', 'refusals', 'hall', '--json')) as {
    series: { first: string; last: string; examples: { at: string; raw: string }[] }[];
  };
  const instants = expected.refused.map(({ at }) => at);
  const [first, last] = [Math.min(...instants), Math.max(...instants)].map((at) => formatInstant(at));
  const names = { reason: 'same-instant', sensor: 'P1', variable: 'press.load' };
  expect(series).toMatchObject([{ ...names, refused: expected.refused.length, first, last }]);
  expect(series[0]?.examples).toHaveLength(3);
  for (const { at, raw } of series[0]?.examples ?? []) {
    const here = expected.refused.filter((event) => event.at === parseInstant(at));
    expect(here.map(({ value }) => `${value}`)).toContain(raw);
  }
});

test('time that is read again counts no refusal again and changes no reading', async () => {
  const from = new Date(fromUs / 1000).toISOString();
  const to = new Date(fromUs / 1000 + MINUTES * 60_000).toISOString();
  await rig.bridge.succeed('backfill', 'start', 'hall', '--from', from, '--to', to, '--what', 'all');
  expect(await stored()).toEqual(truth);
  const { refusals, ...sums } = await show();
  expect(refusals).toMatchObject([{ reason: 'same-instant', refused: expected.refused.length }]);
  expect(sums.repeats24h).toBe(2 * expected.repeats);
});

test('the log of windows says how many points were sent more than once', async () => {
  const { rows } = await rig.client.query<{ repeats: number; refused: number }>(
    `select sum(repeats)::int as repeats, sum(refused)::int as refused from window_log`,
  );
  expect(rows).toEqual([{ repeats: 2 * expected.repeats, refused: 2 * expected.refused.length }]);
  expect(await rig.bridge.succeed('source', 'show', 'hall')).toMatch(/^stream .* refused +repeats +outside +late /m);
});
