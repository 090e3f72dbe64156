import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useDatabases } from '../kit/databases.ts';
import { eventually, startRig } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { device, livingPlant, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// Every connection to a platform asks the list of allowed hosts: of a worker, of `source check` and of `source preview`.

const databases = useDatabases();
let rig: Rig;
let plant: Plant;

beforeAll(async () => {
  rig = await startRig(databases, ['hall'], { DATABRIDGE_EGRESS_HOSTS: '*.cloud.example, 127.0.0.1' });
  plant = await startPlant({ truth: livingPlant([device(1)], 1) });
});

afterAll(async () => {
  await rig.close();
  await plant.stop();
});

const REMEDY = /add localhost to DATABRIDGE_EGRESS_HOSTS/;

test('a worker asks a host of the list, and no other host', async () => {
  const outside = plant.url.replace('127.0.0.1', 'localhost');
  await rig.apply(thingsboard('inside', plant.url), thingsboard('outside', outside));
  await rig.covered('inside', Date.now() - 60_000);
  const refused = await eventually('the fault of the other source', async () => {
    const { fault } = await rig.source('outside');
    return fault ?? false;
  });
  expect(refused).toMatchObject({ code: 'unavailable', why: 'blocked' });
  expect(refused.remedy).toMatch(REMEDY);
});

test('check and preview ask no other host either', async () => {
  const file = join(rig.bridge.home, 'outside.yaml');
  await writeFile(file, JSON.stringify(thingsboard('outside', plant.url.replace('127.0.0.1', 'localhost'))));
  const before = (await plant.log()).length;
  for (const command of [['check'], ['preview', '--from', '10m']]) {
    const [name = '', ...options] = command;
    const { code, stdout, stderr } = await rig.bridge.run('source', name, file, ...options);
    expect(code, name).toBe(1);
    expect(stdout + stderr, name).toMatch(REMEDY);
  }
  const after = await plant.log();
  expect(after.slice(before).filter(({ path }) => path.includes('/login'))).toEqual([]);
});
