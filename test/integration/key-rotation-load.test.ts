import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sealedTexts } from '../../src/access/sealed-places.ts';
import { kidOf } from '../../src/access/sealing.ts';
import { useDatabases } from '../kit/databases.ts';
import { freePort } from '../kit/free-port.ts';
import type { RunningProcess } from '../kit/process.ts';
import { Waiting, eventually, startRig } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { APPLICATION, SECRET } from './outbox-service-tokens.ts';
import { ORGANISATION, PROJECT, startService } from './outbox-service.ts';
import type { Service } from './outbox-service.ts';
import { device, livingPlant, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// Two processes poll, push on and give tokens while the sealing key is replaced twice. No request fails, and afterwards the old
// keys are not needed.

const databases = useDatabases();
let rig: Rig;
let service: Service;
let plant: Plant;
let worker: RunningProcess;
let api: string;

beforeAll(async () => {
  const port = await freePort();
  api = `http://127.0.0.1:${port}`;
  // The worker opens no port.
  const environment = {
    DATABRIDGE_APPLICATION_SECRET: SECRET,
    DATABRIDGE_API_PORT: String(port),
    DATABRIDGE_KEY: undefined,
    DATABRIDGE_API_TOKENS_PER_MINUTE: '100000',
  };
  [rig, service, plant] = await Promise.all([
    startRig(databases, ['hall'], environment),
    startService(),
    startPlant({ truth: livingPlant([device(1)], 1) }),
  ]);
  service.tokens.manners.lifetime = 1;
  worker = await rig.bridge.up('worker');
}, 600_000);

afterAll(async () => {
  await worker.stop(60_000);
  await rig.close();
  await Promise.all([plant.stop(), service.close()]);
});

/** The ids of the keys that sealed something. */
async function kidsInUse(): Promise<(string | undefined)[]> {
  const kids = new Set<string | undefined>();
  const rows = async <R extends object>(text: string) => (await rig.client.query<R>(text)).rows;
  for await (const sealed of sealedTexts({ rows })) kids.add(kidOf(sealed));
  return [...kids];
}

test('no request fails while the key is replaced, and the old key is not needed afterwards', async () => {
  const { bridge, client } = rig;
  await bridge.succeed(
    ...`ingestion push hall --url ${service.url} --application ${APPLICATION}`.split(' '),
    ...`--remote-organisation ${ORGANISATION} --remote-project ${PROJECT}`.split(' '),
  );
  const source = (every: string): Record<string, unknown> =>
    thingsboard('press', plant.url, { schedule: { every, start: '10m', settle: '1s', overlap: '0s' } });
  await rig.apply(source('1s'));
  const credentials = JSON.parse(await bridge.succeed('application', 'create', 'x', '--json')) as {
    applicationId: string;
    secret: string;
  };
  const authorization = `Basic ${Buffer.from(`${credentials.applicationId}:${credentials.secret}`).toString('base64')}`;
  const statuses = new Map<number, number>();
  let asking = true;
  const clients = [1, 2].map(async () => {
    while (asking) {
      const body = new URLSearchParams({ grant_type: 'client_credentials' });
      const { status } = await fetch(`${api}/v0/oauth2/token`, { method: 'POST', headers: { authorization }, body });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await sleep(50);
    }
  });
  const delivered = async (more: number): Promise<void> => {
    const before = service.bodies.length;
    await eventually(
      'deliveries go on',
      () => service.bodies.length > before + more || new Waiting(service.bodies.length),
    );
  };
  await delivered(2);
  const [before] = await kidsInUse();
  const rotated: string[] = [];
  for (const every of ['2s', '1s']) {
    // A changed source is opened anew, by whichever process polls it.
    const [answer] = await Promise.all([bridge.succeed('key', 'rotate', '--json'), rig.apply(source(every))]);
    const { kid, notNeeded } = JSON.parse(answer) as { kid: string; notNeeded: { kid: string }[] };
    rotated.push(kid);
    expect(await kidsInUse()).toEqual([kid]);
    expect(notNeeded.map((one) => one.kid)).toContain(before);
    await delivered(2);
    expect(await kidsInUse()).toEqual([kid]);
  }
  asking = false;
  await Promise.all(clients);
  expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([]);
  expect(statuses.get(200)).toBeGreaterThan(10);
  expect(service.violations).toEqual([]);
  expect(await rig.source('press')).toMatchObject({ state: 'active', fault: null });
  const { rows } = await client.query('select last_fault from remote');
  expect(rows).toEqual([{ last_fault: null }]);
  expect(new Set([before, ...rotated]).size).toBe(3);
  expect((await fetch(`${api}/readyz`)).status).toBe(200);

  // Without the old keys a restart works.
  const former = (await readdir(bridge.home)).filter((name) => name.startsWith('sealing-'));
  expect(former.length).toBe(2);
  for (const name of former) await rm(join(bridge.home, name));
  await worker.stop(60_000);
  worker = await bridge.up('worker');
  await delivered(1);
  expect(worker.output()).not.toContain('sealed with');
}, 900_000);
