import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startConnectProxy } from '../kit/connect-proxy.ts';
import type { ConnectProxy } from '../kit/connect-proxy.ts';
import { useDatabases } from '../kit/databases.ts';
import { eventually, startRig, Waiting } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { device, livingPlant, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// The only way to the platform is the proxy: `plant.test` resolves nowhere, and the proxy leads each name to this machine.

const databases = useDatabases();
let rig: Rig;
let plant: Plant;
let proxy: ConnectProxy;
let url: string;

beforeAll(async () => {
  proxy = await startConnectProxy('bridge:geheim');
  const setting = proxy.url.replace('//', '//bridge:geheim@');
  rig = await startRig(databases, ['hall'], {
    DATABRIDGE_EGRESS_PROXY: setting,
    DATABRIDGE_EGRESS_HOSTS: 'plant.test,other.test',
    DATABRIDGE_EGRESS_NO_PROXY: 'other.test',
  });
  plant = await startPlant({ truth: livingPlant([device(1)], 1) });
  url = plant.url.replace('127.0.0.1', 'plant.test');
});

afterAll(async () => {
  await rig.close();
  await plant.stop();
  await proxy.close();
});

test('logins, looks and reads of a worker go through the proxy, and what it refuses is no fault of the credentials', async () => {
  await rig.apply(thingsboard('pumps', url));
  await rig.covered('pumps', Date.now() - 60_000);
  const asked = (await plant.log()).map(({ path }) => path);
  expect(asked.some((path) => path.includes('/login'))).toBe(true);
  expect(asked.some((path) => path.includes('/values/timeseries'))).toBe(true);
  // Each connection to the platform is one that the proxy made: tests reach it over the same address only by the proxy. A
  // connection that the proxy is asked for at this moment may not be open yet.
  expect(plant.proxy.opened()).toBeLessThanOrEqual(proxy.asked.length);
  expect(new Set(proxy.asked)).toEqual(new Set([new URL(url).host]));
  expect(proxy.plain()).toBe(0);

  proxy.refuse(407);
  plant.proxy.cut();
  const fault = await eventually('the fault of the source', async () => {
    // A request that was under way met the cut first.
    const { fault } = await rig.source('pumps');
    return fault !== null && 'why' in fault && fault.why === 'proxy' ? fault : new Waiting(fault);
  });
  expect(fault).toMatchObject({ code: 'unavailable', why: 'proxy' });
  expect(fault.message).toContain('407 Proxy Authentication Required');
  expect(fault.remedy).toContain('DATABRIDGE_EGRESS_PROXY');
  expect((await rig.source('pumps')).state).toBe('active');

  proxy.refuse(undefined);
  await rig.bridge.succeed('source', 'poll', 'pumps');
  await rig.covered('pumps', Date.now() - 5_000);
  expect(rig.daemon.output()).not.toContain('geheim');
});

test('check goes through the proxy, and directly to an exception', async () => {
  const check = async (address: string): Promise<string> => {
    const file = join(rig.bridge.home, 'checked.yaml');
    await writeFile(file, JSON.stringify(thingsboard('checked', address)));
    const { stdout, stderr } = await rig.bridge.run('source', 'check', file);
    return stdout + stderr;
  };
  expect(await check(url)).toContain('ThingsBoard');
  expect(await check(url.replace('plant.test', 'other.test'))).toMatch(/other\.test.*the (host name|name server)/);
  // The worker asks the proxy meanwhile, too, and also for the plant alone.
  expect(new Set(proxy.asked)).toEqual(new Set([new URL(url).host]));
});
