import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deviceId, plant } from '../../src/simulator/plant.ts';
import { startSimulator } from '../kit/simulator.ts';
import type { RunningSimulator } from '../kit/simulator.ts';
import { connect, disconnect, kept, readAll, sensorsOf, truthOf } from './thingsboard-http.ts';

const pump = deviceId(1);
const spare = deviceId(4);
const spec = plant();
const MINUTE = 60_000_000;
const noon = (spec.firstMs + 12 * 3_600_000) * 1000;
const hour = { from: noon, to: noon + 60 * MINUTE };

afterAll(disconnect);

describe('with a server as the vendor describes it', () => {
  const place = {
    name: 'thingsboard',
    oldPath: 'latest',
    deletedDevice: 'empty',
    unsortedDevices: 'changing',
  } as const;
  const latest = { from: (spec.endMs ?? 0) * 1000 - 10 * MINUTE, to: (spec.endMs ?? 0) * 1000 };
  let simulator: RunningSimulator;
  beforeAll(async () => (simulator = await startSimulator(place)));
  afterAll(async () => await simulator.stop());

  test('every point is read, also of the newest window', async () => {
    const http = connect(simulator.url);
    expect(kept(await readAll(http, {}, pump, hour), hour)).toEqual(truthOf(spec, pump, hour));
    expect(truthOf(spec, pump, latest)['pressure']).toHaveLength(10);
    expect(kept(await readAll(http, {}, pump, latest), latest)).toEqual(truthOf(spec, pump, latest));
  });

  test('the old path is refused, however few points the window has', async () => {
    const http = connect(simulator.url);
    for (const window of [hour, latest, { ...latest, from: latest.to - MINUTE }]) {
      const reading = readAll(http, { history: 'old', keys: ['pressure'] }, pump, window);
      await expect(reading).rejects.toMatchObject({ code: 'unsupported' });
    }
  });

  test('a deleted device is an error, a device without keys is not', async () => {
    const http = connect(simulator.url);
    for (const given of [{}, { keys: ['temperature'] }]) {
      const reading = readAll(http, given, deviceId(99), hour);
      await expect(reading).rejects.toMatchObject({ remedy: expect.stringMatching(/deleted/) });
    }
    expect(await readAll(http, {}, spare, hour)).toEqual({});
  });

  test('250 devices are found once each, though pages without an order change', async () => {
    const large = plant({ deviceCount: 250 });
    const many = await startSimulator({ ...place, truth: large });
    try {
      const sensors = await sensorsOf(connect(many.url));
      expect(sensors.map(({ id }) => id).toSorted()).toEqual(large.devices.map(({ id }) => id).toSorted());
    } finally {
      await many.stop();
    }
  });
});

test('250 devices are found on their pages', async () => {
  const large = plant({ deviceCount: 250 });
  const simulator = await startSimulator({ name: 'thingsboard', truth: large });
  try {
    const http = connect(simulator.url);
    const sensors = await sensorsOf(http, { sensorId: 'name' });
    const names = sensors.map(({ id, group }) => `${id} ${group}`).toSorted();
    expect(names).toEqual(large.devices.map(({ id, name }) => `${name} ${id}`).toSorted());
  } finally {
    await simulator.stop();
  }
});
