import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { startInflux } from '../kit/influx.ts';
import type { Influx } from '../kit/influx.ts';
import { startRig } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';

// An operator points a running source to another database of its InfluxDB.

const databases = useDatabases();
let influx: Influx;
let rig: Rig;

beforeAll(async () => {
  [influx, rig] = await Promise.all([startInflux({ databases: ['plant', 'hall', 'copy'] }), startRig(databases)]);
});

afterAll(async () => {
  await rig.close();
  await influx.stop();
});

const source = (database: string): Record<string, unknown> => ({
  name: 'pumps',
  project: 'hall',
  kind: 'user-credentials',
  platform: 'influxdb',
  connection: { url: influx.url, username: influx.reader.username, password: influx.reader.password },
  options: { database },
  schedule: { every: '1s', start: '1h', settle: '1s', overlap: '0s' },
  pace: { requestsPerSecond: 50, burst: 50 },
});

/** Values by instant (µs) of one series in the last 50 minutes. */
type Truth = ReadonlyMap<number, number>;

const truthOf = (offsetUs: number, base: number): Truth => {
  const now = Math.floor(Date.now() / 1000) * 1_000_000;
  return new Map(Array.from({ length: 300 }, (_, index) => [now - (index + 5) * 10_000_000 + offsetUs, base + index]));
};

const write = (database: string, truth: Truth): Promise<void> =>
  influx.write(
    [...truth].map(([at, value]) => `pump flow=${value} ${at}`),
    database,
    'u',
  );

async function stored(): Promise<Truth> {
  const { rows } = await rig.client.query<{ at: string; value: number }>(
    'select instant_of(at) as at, value from reading',
  );
  return new Map(rows.map(({ at, value }) => [Number(at), value]));
}

const union = (...truths: readonly Truth[]): Truth => new Map(truths.flatMap((truth) => [...truth]));

test('every point of the new place is read, unless it is said to hold the same data', async () => {
  const [plant, hall] = [truthOf(0, 0), truthOf(3_000_000, 10_000)];
  await Promise.all([write('plant', plant), write('hall', hall), write('copy', union(plant, hall))]);
  await rig.apply(source('plant'));
  await rig.covered('pumps', Date.now() - 10_000);
  expect(await stored()).toEqual(plant);

  await writeFile(join(rig.bridge.home, 'hall.yaml'), JSON.stringify(source('hall')));
  const dry = await rig.bridge.answer('source', 'apply', '--dry-run', join(rig.bridge.home, 'hall.yaml'));
  expect(dry.code).toBe(3);
  expect(dry.stdout).toBe(`source pumps would be changed
  options.database: plant → hall
  the coverage of 1 stream would end, because options.database changed; new streams begin at the start of the source, and stored readings stay
`);
  await rig.apply(source('hall'));
  await rig.covered('pumps', Date.now() - 10_000);
  expect(await stored()).toEqual(union(plant, hall));

  const streams = async () =>
    (await rig.client.query('select id, retired_at is null as live from stream order by id')).rows;
  const before = await streams();
  expect(before).toMatchObject([{ live: false }, { live: true }]);
  expect(await rig.bridge.apply(source('copy'), '--same-data')).toContain(
    'the coverage of 1 stream is kept: --same-data says that options.database leads to the same data',
  );
  await rig.covered('pumps', Date.now());
  expect(await streams()).toEqual(before);
});

test('sensors that are no longer chosen leave their streams with the apply, before a look', async () => {
  const selections = async (): Promise<unknown> =>
    (await rig.client.query('select selection from stream where retired_at is null order by id')).rows.map(
      ({ selection }) => (selection as { sensors?: string[] }).sensors ?? 'all of the group',
    );
  const choose = (...ids: readonly string[]): Promise<string> =>
    rig.bridge.apply({ ...source('copy'), sensors: ids.map((id) => ({ id, group: 'pump' })) });
  const all = (): Promise<string> => rig.bridge.apply(source('copy'));
  // Without a daemon no look can follow.
  expect((await rig.daemon.stop(60_000)).code).toBe(0);
  expect(await selections()).toEqual(['all of the group']);
  await choose('pump', 'pump,hall=3');
  expect(await selections()).toEqual(['all of the group']);
  await all();
  expect(await selections()).toEqual([]);
  await rig.client.query(
    `insert into stream (source_id, source_revision, key, selection, sensors)
     select id, revision, 'listed', '{"group": "pump", "sensors": ["pump", "pump,hall=3"]}', '[]' from source`,
  );
  await choose('pump');
  expect(await selections()).toEqual([['pump']]);
  await choose('pump,hall=3');
  expect(await selections()).toEqual([]);
});
