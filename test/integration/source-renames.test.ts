import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { startInflux } from '../kit/influx.ts';
import type { Influx } from '../kit/influx.ts';
import type { Answer } from '../kit/bridge.ts';
import { startRig } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { device, differences, livingPlant, NONE, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// An operator changes how sensors and variables of a running source are named.

const truth = livingPlant([device(1), device(2)], 1);

const databases = useDatabases();
let influx: Influx;
let plant: Plant;
let rig: Rig;

beforeAll(async () => {
  [influx, plant, rig] = await Promise.all([
    startInflux(),
    startPlant({ truth }),
    startRig(databases, ['hall', 'presses']),
  ]);
});

afterAll(async () => {
  await rig.close();
  await Promise.all([influx.stop(), plant.stop()]);
});

const pumps = (options: object, sensors: unknown = 'all'): Record<string, unknown> => ({
  name: 'pumps',
  project: 'hall',
  kind: 'user-credentials',
  platform: 'influxdb',
  connection: { url: influx.url, username: influx.reader.username, password: influx.reader.password },
  options: { database: 'plant', ...options },
  sensors,
  schedule: { every: '1s', start: '1h', settle: '1s', overlap: '0s' },
  pace: { requestsPerSecond: 50, burst: 50 },
});

async function apply(source: Record<string, unknown>, ...options: readonly string[]): Promise<Answer> {
  const file = join(rig.bridge.home, 'renamed.yaml');
  await writeFile(file, JSON.stringify(source));
  return await rig.bridge.answer('source', 'apply', ...options, file);
}

/** How the streams of presses look for late data. */
const LOOKS = `select looks_from is not null as bound, look_again <> '{}' as looks from stream where key = 'press' and retired_at is null`;

async function names(project: string): Promise<string[]> {
  const { rows } = await rig.client.query<{ name: string }>(
    `select sensor_id || ' ' || value_name as name from series join ml_project on ml_project.id = project_id where code = $1 order by 1`,
    [project],
  );
  return rows.map(({ name }) => name);
}

test('a tag that names the sensors renames series only where the operator agrees', async () => {
  const now = Date.now() * 1000;
  const halls = Array.from({ length: 21 }, (_, index) => `h${String(index).padStart(2, '0')}`);
  await influx.write(
    halls.map((hall, index) => `pump,hall=${hall} flow=${index} ${now - 60_000_000}`),
    'plant',
    'u',
  );
  await rig.apply(pumps({}));
  await rig.covered('pumps', Date.now() - 10_000);
  const old = halls.map((hall) => `pump,hall=${hall} flow`);
  expect(await names('hall')).toEqual(old);

  const renames = halls.map((hall) => `  pump,hall=${hall} flow → ${hall} pump_flow`);
  const refused = await apply(pumps({ sensorTag: 'hall' }));
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toBe(
    `error: source pumps would get other names for 21 series with readings:\n${renames.slice(0, 20).join('\n')}
  and 1 more; --dry-run lists all
  try: keep the names by sensors[].as and values[].as, or add --rename: readings so far stay under the old names, new ones and those of the last schedule.overlap get the new names, and late data of before now is no longer looked for\n`,
  );
  const dry = await apply(pumps({ sensorTag: 'hall' }), '--dry-run');
  expect(dry.code).toBe(3);
  expect(dry.stdout.split('\n').filter((line) => / flow → /.test(line))).toEqual(renames);
  const document = await apply(pumps({ sensorTag: 'hall' }), '--dry-run', '--json');
  expect(JSON.parse(document.stdout)).toMatchObject([
    {
      move: { coverage: 'begins-anew', fields: ['options.sensorTag'] },
      renames: halls.map((hall) => ({
        from: { sensorId: `pump,hall=${hall}`, valueName: 'flow' },
        to: { sensorId: hall, valueName: 'pump_flow' },
        stored: true,
      })),
    },
  ]);
  expect((await rig.client.query('select revision from source')).rows).toEqual([{ revision: 1 }]);

  expect(await apply(pumps({ sensorTag: 'hall' }), '--rename')).toMatchObject({ code: 0 });
  await rig.covered('pumps', Date.now() - 10_000);
  expect(await names('hall')).toEqual([...halls.map((hall) => `${hall} pump_flow`), ...old]);
  // The tag that a short name leaves out cannot be found again without the platform.
  const back = await apply(pumps({}));
  expect(back.code).toBe(2);
  expect(back.stderr).toContain('  h00 pump_flow → (another name, which only the platform can tell)\n');
});

test('names that the operator gives to sensors and values are compared, too', async () => {
  const chosen = (values: object, as = 'press'): Record<string, unknown> => ({
    ...pumps({}, [{ id: 'press', as, values }]),
    name: 'presses',
    project: 'presses',
  });
  await influx.write(
    ['force', 'f-1', 'f_1'].map((field, index) => `press ${field}=${index} ${Date.now() * 1000 - 60_000_000}`),
    'plant',
    'u',
  );
  const given = { 'f-1': { as: 'first' } };
  await rig.apply(chosen(given));
  await rig.covered('presses', Date.now() - 10_000);
  expect(await names('presses')).toEqual(['press f_1', 'press first', 'press force']);
  const refusal = async (source: Record<string, unknown>): Promise<string[]> => {
    const { code, stderr } = await apply(source);
    return code === 2 ? stderr.split('\n').flatMap((line) => / → .*$/.exec(line)?.input.trim() ?? []) : [];
  };
  expect(await refusal(chosen(given, 'line'))).toEqual([
    'press f_1 → line f_1',
    'press first → line first',
    'press force → line force',
  ]);
  expect(await refusal(chosen({ 'f-1': { as: 'second' }, force: { as: 'first' } }))).toEqual([
    'press first → press second',
    'press force → press first',
  ]);
  // f_1 has the name f_1 now, and the operator gives it to f-1.
  expect(await refusal(chosen({ 'f-1': { as: 'f_1' } }))).toContain('press f_1 → (no name: name-collision)');
  // No name changes with the arithmetic, or where a sensor is not read any more.
  expect(await refusal(chosen({ 'f-1': { as: 'first', scale: 2 } }))).toEqual([]);
  expect(await refusal(chosen({ 'f-1': { as: 'first', unit: 'N' } }))).toEqual([]);
  // Names are compared again before the next poll.
  const another = chosen({ ...given, force: { as: 'N' } });
  expect(await refusal(another)).toEqual(['press force → press N']);
  const looks = async (): Promise<unknown> => (await rig.client.query(LOOKS)).rows;
  await rig.client.query(`update stream set look_again = '{[2026-01-01,2026-02-01)}' where key = 'press'`);
  await apply(chosen({ ...given, force: { unit: 'N' } }));
  expect(await looks()).toEqual([{ bound: false, looks: true }]);
  expect(await apply(another, '--rename')).toMatchObject({ code: 0 });
  expect(await looks()).toEqual([{ bound: true, looks: false }]);
});

test('devices that are named by their names get their whole past under those names, and none twice', async () => {
  await rig.apply(thingsboard('devices', plant.url, { project: 'presses' }));
  await rig.covered('devices', Date.now() - 5_000);
  const named = thingsboard('devices', plant.url, { project: 'presses', options: { sensorId: 'name' } });
  const refused = await apply(named);
  expect(refused.stderr).toContain(`  ${device(1).id} flow → pump-1 flow\n`);
  expect(await apply(named, '--rename')).toMatchObject({ code: 0 });
  const untilMs = Date.now();
  await rig.covered('devices', untilMs);
  const { startMs } = await rig.source('devices');
  for (const { id, name } of truth.devices) {
    const copied = await rig.client.query(
      `select old.at from (select at, value, value_name from reading join series on series.id = reading.series where sensor_id = $1) as old
       left join (select at, value, value_name from reading join series on series.id = reading.series where sensor_id = $2) as new
         using (at, value, value_name) where new.at is null`,
      [id, name],
    );
    expect(copied.rows).toEqual([]);
  }
  expect(
    await differences(rig.client, truth, { fromMs: startMs, toMs: startMs + 3_600_000, project: 'presses' }),
  ).toEqual(NONE);
  const streams = await rig.client.query(
    `select selection #>> '{sensors,0}' as sensor from stream join source on source.id = source_id
     where name = 'devices' and retired_at is null order by 1`,
  );
  expect(streams.rows).toEqual([{ sensor: 'pump-1' }, { sensor: 'pump-2' }]);
});
