import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { outgoingFetch } from '../../src/platform/connection/outgoing.ts';
import { startConnectProxy } from '../kit/connect-proxy.ts';
import { useDatabases } from '../kit/databases.ts';
import { databridgeHere } from './command-line.ts';
import type { Ran } from './command-line.ts';
import { eventually } from './daemon-rig.ts';
import { makeRig } from './outbox-rig.ts';
import type { Rig } from './outbox-rig.ts';

// Requests to other bridges obey the egress guard and the proxy, as those to platforms do.

const databases = useDatabases();

describe('a command', () => {
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => {
    listener.close();
  });

  beforeEach(() => {
    connections = 0;
  });

  const run = async (args: string, env: Record<string, string> = {}, stdin = ''): Promise<Ran> =>
    await databridgeHere(args.split(' '), {
      stdin,
      env: { DATABRIDGE_HOME: '/nowhere', DATABRIDGE_APPLICATION_SECRET: 'secret', ...env },
    });

  const ingestion = 'ingestion push hall --application app_1 --remote-organisation o --allow-plain --secret ${env:X}';

  it('connects to no service that is not among the allowed hosts', async () => {
    const { port } = listener.address() as AddressInfo;
    const ran = await run(`${ingestion} --url http://127.0.0.1:${port}`, {
      X: 's',
      DATABRIDGE_EGRESS_HOSTS: 'plant.example',
    });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('not among the allowed hosts') as string });
    expect(ran.stderr).toContain('DATABRIDGE_EGRESS_HOSTS');
    expect(connections).toBe(0);
  });

  it.each([
    [`${ingestion} --url https://169.254.169.254`],
    ['push - --url https://169.254.169.254 --organisation o --project p --application app_1 --give-up-after 0'],
  ])('never connects to a metadata address: %s', async (args) => {
    const ran = await run(args, { X: 's' }, '{"sensorId":"a","date":"2026-11-20T08:15:30Z","value":1}\n');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('which is always blocked');
  });
});

describe('a delivery', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await makeRig(databases);
    return () => rig.close();
  });

  const points = [{ sensor: 's', at: 1, value: 1 }];

  it('waits where the guard forbids the address of the service, and tells it', async () => {
    await rig.push();
    await rig.commit(points);
    const worker = await rig.worker(undefined, outgoingFetch({ allowHosts: ['plant.example'], proxy: undefined }));
    await worker.deliverer.look();
    const remote = await eventually('the delivery failed', async () => {
      const found = await rig.remote();
      return found.failures > 0 && found;
    });
    expect(remote).toMatchObject({
      state: 'active',
      fault: { code: 'unreachable', remedy: expect.stringContaining('DATABRIDGE_EGRESS_HOSTS') as string },
    });
    expect(rig.service.bodies).toEqual([]);
  });

  it('goes through the proxy, each request in a tunnel', async () => {
    const proxy = await startConnectProxy('bridge:geheim');
    try {
      const { port } = new URL(rig.service.url);
      await rig.push({ url: `http://bridge.plant.example:${port}` });
      await rig.commit(points);
      const url = proxy.url.replace('//', '//bridge:geheim@');
      const worker = await rig.worker(
        undefined,
        outgoingFetch({ allowHosts: undefined, proxy: { url, exceptions: [] } }),
      );
      await rig.drain([worker]);
      await rig.expectEqual();
      expect(new Set(proxy.asked)).toEqual(new Set([`bridge.plant.example:${port}`]));
      expect(proxy.plain()).toBe(0);
    } finally {
      await proxy.close();
    }
  });
});
