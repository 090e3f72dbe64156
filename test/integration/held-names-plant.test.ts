import { afterAll, beforeAll, expect, test } from 'vitest';
import type pg from 'pg';
import { truth } from '../../src/simulator/truth.ts';
import type { DeviceSpec, TruthSpec } from '../../src/simulator/truth.ts';
import { makeBridge } from '../kit/bridge.ts';
import type { BridgeUnderTest } from '../kit/bridge.ts';
import { useDatabases } from '../kit/databases.ts';
import type { RunningProcess } from '../kit/process.ts';
import { Waiting, eventually } from './daemon-rig.ts';
import { HOUR_MS, device, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// A plant is connected to a locked project. The operator reads which names are held back, releases them, and runs the backfill that
// the bridge proposes.

const endMs = Math.floor(Date.now() / 60_000) * 60_000 - 5 * 60_000;
const plain = (number: number): DeviceSpec => ({
  ...device(number),
  keys: [{ name: 'flow', kind: 'number', everyMs: 60_000 }],
});
const spec: TruthSpec = { seed: 5, firstMs: endMs - HOUR_MS, endMs, devices: [plain(1), plain(2)] };
const [first, second] = spec.devices.map(({ id }) => id) as [string, string];

const databases = useDatabases();
let bridge: BridgeUnderTest;
let plant: Plant;
let daemon: RunningProcess;
let client: pg.Client;
let close: () => Promise<void>;

beforeAll(async () => {
  [bridge, plant] = await Promise.all([
    databases.createMigrated().then((url) => makeBridge({ DATABASE_URL: url })),
    startPlant({ truth: spec }),
  ]);
  ({ client, close } = await bridge.database());
  await bridge.succeed('project', 'create', 'hall');
  await bridge.succeed('project', 'lock', 'hall');
  daemon = await bridge.up();
});

afterAll(async () => {
  await daemon.stop(60_000);
  await close();
  await bridge.remove();
  await plant.stop();
});

const trueLines = (ids: readonly string[]): string[] =>
  ids
    .flatMap((id) =>
      truth(spec, id, 'flow', spec.firstMs, endMs).map(({ ts, value }) => `${id} ${ts * 1000} ${value as number}`),
    )
    .toSorted();

async function storedLines(): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(
    `select concat_ws(' ', sensor_id, instant_of(at), value) as line from reading join series on series.id = series`,
  );
  return rows.map(({ line }) => line).toSorted();
}

interface Released {
  readonly released: number;
  readonly repairs: readonly { readonly points: number; readonly command: string }[];
}

test('a released name has all readings of the truth after the backfill, and a held one has none', async () => {
  await bridge.apply(
    thingsboard('hall', plant.url, {
      schedule: { every: '1s', start: '2h', settle: '1s', maxWindow: '7m', overlap: '5m' },
      pace: { requestsPerSecond: 20, burst: 4, concurrency: 2 },
    }),
  );
  await eventually('all time is covered', async () => {
    const { rows } = await client.query<{ done: boolean }>(
      `select stream.covered @> tstzrange(start_at, at_instant($1)) as done from stream join source on source.id = source_id`,
      [endMs * 1_000],
    );
    return (rows.length > 0 && rows.every(({ done }) => done)) || new Waiting(rows);
  });
  expect(await storedLines()).toEqual([]);
  const { names } = JSON.parse(await bridge.succeed('project', 'names', 'hall', '--json')) as {
    names: { sensorId: string; source: string; refused: number }[];
  };
  expect(names.map(({ sensorId, source, refused }) => ({ sensorId, source, refused }))).toEqual(
    [first, second].toSorted().map((sensorId) => ({ sensorId, source: 'hall', refused: trueLines([sensorId]).length })),
  );
  for (const ids of [[first], [first, second]]) {
    const asked = ids.length === 1 ? [first] : ['--all'];
    const released = JSON.parse(await bridge.succeed('project', 'release', 'hall', ...asked, '--json')) as Released;
    expect(released).toMatchObject({ released: 1, repairs: [{ points: 60 }] });
    for (const { command } of released.repairs) await bridge.succeed(...command.split(' ').slice(1));
    expect(await storedLines()).toEqual(trueLines(ids));
  }
  expect(JSON.parse(await bridge.succeed('source', 'refusals', 'hall', '--json'))).toMatchObject({ series: [] });
});
