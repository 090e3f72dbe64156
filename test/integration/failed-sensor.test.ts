import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { coverageOf, subtract } from '../../src/core/coverage.ts';
import { contractBroken, rightMissing } from '../../src/core/errors.ts';
import type { BridgeError } from '../../src/core/errors.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import type { FailedSensor, Samples, Selection } from '../../src/platform/contract.ts';
import { history } from '../../src/pull/history/history.ts';
import { poll } from '../../src/pull/poll.ts';
import { reportSource } from '../../src/source/report.ts';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { storeSource } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';
import { dueHistories } from '../kit/work.ts';

// Sensors that fail inside the answer for many, on a real database. The platform is a function: each sensor has a point every
// minute, and one that is gone fails in every answer until it is back.

const databases = useDatabases();
const signal = new AbortController().signal;
const BEGIN = Math.floor(Date.now() / 3_600_000) * HOUR + HOUR;
const START = BEGIN - 3 * HOUR;

interface Plant {
  readonly database: Database;
  readonly stored: StoredSource;
  readonly sensors: readonly string[];
  readonly gone: Set<string>;
  readonly asked: (readonly string[])[];
  /** The process dies where it would write the next window. */
  dies: boolean;
  error: (sensor: string) => BridgeError;
  now: number;
}

async function startPlant(count: number): Promise<Plant> {
  const database = await databases.create();
  const stored = await storeSource(database);
  const sensors = Array.from({ length: count }, (_, index) => `s${index}`);
  await database.run(
    `insert into stream (source_id, key, selection, sensors) values ($1, 's0', jsonb_build_object('sensors', $2::jsonb),
       (select jsonb_agg(jsonb_build_object('id', id)) from jsonb_array_elements($2::jsonb) as id))`,
    [stored.sourceId, JSON.stringify(sensors)],
  );
  await database.run('update source set discovered_at = $1', [new Date(Date.now() + 1e11)]);
  const error = (sensor: string): BridgeError => contractBroken(`there is no ${sensor}`);
  return { database, stored, sensors, gone: new Set(), asked: [], dies: false, error, now: BEGIN };
}

function* answer(plant: Plant, chosen: readonly string[], from: number, to: number): Generator<Samples | FailedSensor> {
  plant.asked.push(chosen);
  const at: number[] = [];
  for (let each = Math.ceil(from / MINUTE) * MINUTE; each < to; each += MINUTE) at.push(each);
  for (const sensor of chosen) {
    if (plant.gone.has(sensor)) yield { sensor, failed: plant.error(sensor) };
    else yield { sensor, variable: 'flow', at, values: at.map(() => 1) };
  }
}

function processOf(plant: Plant) {
  const source = openSourceOf(plant.stored, {
    policy: { start: START, settle: 0, align: SECOND, overlap: 0, maxWindow: DAY },
    read: ({ from, to }, { sensors = [] }: Selection) => answer(plant, sensors, from, to),
  });
  const bridge = bridgeOf(plant.database, { source, now: () => plant.now, workerId: randomUUID() });
  const prepareReadings: typeof bridge.prepareReadings = async (...given) => {
    if (plant.dies) throw Object.assign(new Error('killed'), { code: 'ECONNRESET' });
    return await bridge.prepareReadings(...given);
  };
  return { ...bridge, prepareReadings };
}

/** Both lanes once, an hour later unless told. */
async function turn(plant: Plant, later = HOUR): Promise<void> {
  plant.now += later;
  await plant.database.run('update source set held_until = null');
  await dueHistories(plant.database, 'from stream where retired_at is null');
  const ended = (): undefined => undefined;
  await poll(processOf(plant), plant.stored.sourceId, signal).catch(ended);
  for (const { id } of await streamsOf(plant)) await history(processOf(plant), id, signal).catch(ended);
}

interface StreamRow {
  readonly id: number;
  readonly key: string;
  readonly sensors: readonly string[];
  readonly covered: readonly (readonly [number, number])[];
}

const streamsOf = ({ database }: Plant): Promise<StreamRow[]> =>
  database.rows<StreamRow & Record<string, unknown>>(
    `select id, key, selection -> 'sensors' as sensors, instants_of(covered) as covered from stream where retired_at is null order by id`,
  );

/** Points of covered time that are not stored. The last failure of law 1 would show here. */
async function lost(plant: Plant): Promise<string[]> {
  const rows = await plant.database.rows<{ point: string }>(
    `select concat(sensor_id, ' ', instant_of(at)) as point from reading join series on series.id = series`,
  );
  const held = new Set(rows.map(({ point }) => point));
  const points: string[] = [];
  for (const { sensors, covered } of await streamsOf(plant)) {
    for (const [from, to] of covered)
      for (let at = Math.ceil(from / MINUTE) * MINUTE; at < to; at += MINUTE)
        points.push(...sensors.map((sensor) => `${sensor} ${at}`));
  }
  return points.filter((point) => !held.has(point));
}

const holesOf = (stream: StreamRow | undefined, to: number) =>
  subtract([{ from: START, to }], coverageOf((stream?.covered ?? []).map(([from, end]) => ({ from, to: end }))));

it('one deleted sensor among 100 leaves the other 99 covered, and its hole is read when it is back', async () => {
  const plant = await startPlant(100);
  for (let round = 0; round < 4; round += 1) await turn(plant);
  const before = plant.now;
  plant.gone.add('s0');
  for (let round = 0; round < 3; round += 1) await turn(plant);

  const [others, own, ...more] = await streamsOf(plant);
  expect(more).toEqual([]);
  expect(own).toMatchObject({ key: 's0#2', sensors: ['s0'] });
  expect(others?.sensors).toHaveLength(99);
  expect(holesOf(others, plant.now)).toEqual([]);
  expect(holesOf(own, plant.now)).toEqual([{ from: before, to: plant.now }]);
  expect(await lost(plant)).toEqual([]);
  const shown = await reportSource(plant.database, plant.stored.sourceId);
  expect(shown?.fault).toMatchObject({ code: 'contract-broken', message: 'there is no s0' });
  expect(shown?.streamReports).toMatchObject([
    { key: 's0', sensors: 99, fault: null },
    { key: 's0#2', sensors: 1, fault: { message: 'there is no s0' } },
  ]);

  plant.gone.clear();
  for (let round = 0; round < 12; round += 1) await turn(plant);
  for (const stream of await streamsOf(plant)) expect(holesOf(stream, plant.now)).toEqual([]);
  expect(await lost(plant)).toEqual([]);
});

it('a kill after the failed sensor was set apart covers nothing, and nothing is lost', async () => {
  const plant = await startPlant(5);
  for (let round = 0; round < 3; round += 1) await turn(plant);
  const before = plant.now;
  plant.gone.add('s3');
  plant.dies = true;
  await turn(plant);
  const streams = await streamsOf(plant);
  expect(streams.map(({ sensors }) => sensors)).toEqual([['s0', 's1', 's2', 's4'], ['s3']]);
  for (const stream of streams) expect(holesOf(stream, plant.now)).toEqual([{ from: before, to: plant.now }]);
  plant.dies = false;
  plant.gone.clear();
  for (let round = 0; round < 12; round += 1) await turn(plant);
  for (const stream of await streamsOf(plant)) expect(holesOf(stream, plant.now)).toEqual([]);
  expect(await lost(plant)).toEqual([]);
});

it('a sensor that the credentials may not read stops neither its source nor the others', async () => {
  const plant = await startPlant(3);
  plant.error = (sensor) => rightMissing(`no right to ${sensor}`, 'ask for the right');
  plant.gone.add('s1');
  for (let round = 0; round < 3; round += 1) await turn(plant);
  const shown = await reportSource(plant.database, plant.stored.sourceId);
  expect(shown).toMatchObject({ state: 'active', fault: { code: 'contract-broken', remedy: 'ask for the right' } });
  const [others] = await streamsOf(plant);
  expect(holesOf(others, plant.now)).toEqual([]);
});

it('sensors that all fail leave their stream as it is, uncovered', async () => {
  const plant = await startPlant(3);
  for (const sensor of plant.sensors) plant.gone.add(sensor);
  for (let round = 0; round < 3; round += 1) await turn(plant);
  expect(await streamsOf(plant)).toMatchObject([{ sensors: plant.sensors, covered: [] }]);
});

it('whatever sensors go and come back, and whenever the process dies, covered time is stored and all time is read in the end', async () => {
  const step = fc.record({
    gone: fc.subarray(['s0', 's1', 's2', 's3', 's4', 's5']),
    dies: fc.boolean(),
    later: fc.constantFrom(MINUTE, 10 * MINUTE, HOUR),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
      const plant = await startPlant(6);
      for (const { gone, dies, later } of steps) {
        plant.gone.clear();
        for (const sensor of gone) plant.gone.add(sensor);
        plant.dies = dies;
        await turn(plant, later);
        expect(await lost(plant)).toEqual([]);
      }
      plant.gone.clear();
      plant.dies = false;
      for (let round = 0; round < 12; round += 1) await turn(plant);
      const streams = await streamsOf(plant);
      expect(streams.flatMap(({ sensors }) => sensors).toSorted()).toEqual(plant.sensors);
      for (const stream of streams) expect(holesOf(stream, plant.now)).toEqual([]);
      expect(await lost(plant)).toEqual([]);
    }),
    { numRuns: 4 },
  );
}, 300_000);
