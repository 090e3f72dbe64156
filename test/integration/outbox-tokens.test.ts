import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRemote } from '../../src/delivery/open-remote.ts';
import type { RemoteRow } from '../../src/delivery/open-remote.ts';
import { resumeRemote } from '../../src/delivery/remote.ts';
import { useDatabases } from '../kit/databases.ts';
import { eventually } from './daemon-rig.ts';
import { SECRET } from './outbox-service-tokens.ts';
import { PROJECT } from './outbox-service.ts';
import { PROJECT_HERE, makeRig } from './outbox-rig.ts';
import type { Point, Rig, Worker } from './outbox-rig.ts';

const databases = useDatabases();
let rig: Rig;
let worker: Worker;

beforeEach(async () => {
  rig = await makeRig(databases);
  await rig.push();
  worker = await rig.worker();
});

afterEach(async () => {
  await rig.close();
});

const points = (value: number): Point[] => Array.from({ length: 10 }, (_, at) => ({ sensor: 'a', at, value }));

/** The grants that were asked for, with the status of each answer. */
const calls = (): string[] => rig.service.tokens.calls.map(({ grant, status }) => `${grant} ${status}`);
const statuses = (): number[] => rig.service.bodies.map(({ status }) => status);

/** Stores new readings and has them delivered. */
async function deliver(value: number): Promise<void> {
  await rig.commit(points(value));
  await rig.drain([worker]);
}

describe('a token', () => {
  it('is created once and used until it expires, also by another worker', async () => {
    await deliver(1);
    await deliver(2);
    await rig.commit(points(3));
    await rig.drain([await rig.worker()]);
    expect(calls()).toEqual(['client_credentials 200']);
    await rig.expectEqual();
  });

  it.each([
    ['expires_in', false],
    ['the JWT, where the answer names no lifetime', true],
  ])('is renewed before it expires, by %s', async (_name, silentAboutLifetime) => {
    Object.assign(rig.service.tokens.manners, { lifetime: 10, silentAboutLifetime });
    await deliver(1);
    await sleep(10_000);
    await deliver(2);
    const [first, ...renewals] = calls();
    expect(first).toBe('client_credentials 200');
    expect(new Set(renewals)).toEqual(new Set(['refresh_token 200']));
    expect(statuses()).toEqual([200, 200]);
    await rig.expectEqual();
  });

  it('is renewed after a 401, and the body sent once more', async () => {
    await deliver(1);
    rig.service.tokens.expireAll();
    await deliver(2);
    expect(calls()).toEqual(['client_credentials 200', 'refresh_token 200']);
    expect(statuses()).toEqual([200, 401, 200]);
    expect((await rig.remote()).failures).toBe(0);
    await rig.expectEqual();
  });

  it('is created where it cannot be renewed', async () => {
    await deliver(1);
    rig.service.tokens.expireAll();
    rig.service.tokens.manners.refuseRefresh = true;
    await deliver(2);
    expect(calls()).toEqual(['client_credentials 200', 'refresh_token 400', 'client_credentials 200']);
    await rig.expectEqual();
  });

  it.each([500, 503])('is asked for again where the token endpoint answers %i', async (status) => {
    rig.service.tokens.manners.broken = status;
    await rig.commit(points(1));
    await worker.deliverer.look();
    await eventually('it failed', async () => (await rig.remote()).failures === 1);
    expect(await rig.remote()).toMatchObject({ state: 'active' });
    rig.service.tokens.manners.broken = undefined;
    await rig.drain([worker]);
    await rig.expectEqual();
  });

  it('is fetched once where three workers with a pool each ask at the same time', async () => {
    rig.service.tokens.manners.delayMs = 300;
    const row = await rig.database.row<RemoteRow & Record<string, unknown>>(
      `select project_id as "projectId", 'project' as project, url, organisation, code, application_id as "applicationId",
         secret, revision, batch, failures from remote`,
    );
    if (row === undefined) throw new Error('there is no remote');
    const pools = await Promise.all([0, 1, 2].map(() => databases.another(rig.database)));
    const pushAll = async (): Promise<void> => {
      const clients = await Promise.all(
        pools.map((pool) => openRemote({ database: pool, sealing: rig.sealing, fetch }, row)),
      );
      await Promise.all(clients.map((client) => client.push(PROJECT, [])));
    };
    await pushAll();
    expect(calls()).toEqual(['client_credentials 200']);
    rig.service.tokens.expireAll();
    await pushAll();
    expect(calls()).toEqual(['client_credentials 200', 'refresh_token 200']);
    expect(rig.service.violations).toEqual([]);
  });
});

describe('an application that is refused', () => {
  /** Lets three workers look until the delivery is stopped, and five times more. */
  async function lookOften(): Promise<void> {
    const workers = [worker, await rig.worker(), await rig.worker()];
    await eventually('it is stopped', async () => {
      await Promise.all(workers.map(({ deliverer }) => deliverer.look()));
      return (await rig.remote()).state === 'stopped';
    });
    for (let look = 0; look < 5; look += 1) {
      await Promise.all(workers.map(({ deliverer }) => deliverer.look()));
      await sleep(50);
    }
  }

  it.each(['push', 'resume'] as const)('stops the delivery after one try, until the operator runs %s', async (word) => {
    rig.service.tokens.manners.refuseClient = true;
    await rig.commit(points(1));
    await lookOften();
    expect(calls()).toEqual(['client_credentials 401']);
    expect(rig.service.bodies).toEqual([]);
    expect(await rig.remote()).toMatchObject({
      fault: { code: 'credentials-rejected', remedy: expect.stringContaining('ingestion push') as string },
    });
    // Readings are still stored and noted.
    await rig.commit(points(2));
    expect(await rig.outbox()).toHaveLength(2);
    rig.service.tokens.manners.refuseClient = false;
    if (word === 'push') await rig.push();
    else expect(await resumeRemote(rig.database, PROJECT_HERE, 'test')).toBe(true);
    await rig.drain([worker]);
    expect(calls()).toEqual(['client_credentials 401', 'client_credentials 200']);
    await rig.expectEqual();
  });

  it('is tried once more for each command of an operator', async () => {
    await rig.push({ secret: 'wrong' });
    await rig.commit(points(1));
    await lookOften();
    await resumeRemote(rig.database, PROJECT_HERE, 'test');
    await lookOften();
    expect(calls()).toEqual(['client_credentials 401', 'client_credentials 401']);
  });

  it('by the data endpoint stops the delivery as well, after one fresh token', async () => {
    await deliver(1);
    rig.service.tokens.refuseAll(true);
    await rig.commit(points(2));
    await lookOften();
    expect(calls()).toEqual(['client_credentials 200', 'refresh_token 200']);
    expect(statuses()).toEqual([200, 401, 401]);
    expect((await rig.remote()).fault?.code).toBe('credentials-rejected');
    rig.service.tokens.refuseAll(false);
    await resumeRemote(rig.database, PROJECT_HERE, 'test');
    await rig.drain([worker]);
    await rig.expectEqual();
  });
});

describe('a secret', () => {
  it('whose reference names no variable stops the delivery without a request; with the variable the delivery goes on', async () => {
    await rig.push({ secret: '${env:OUTBOX_TEST_SECRET}' });
    await rig.commit(points(1));
    await worker.deliverer.look();
    await eventually('it is stopped', async () => (await rig.remote()).state === 'stopped');
    expect(await rig.remote()).toMatchObject({
      fault: { code: 'config-invalid', message: expect.stringContaining('OUTBOX_TEST_SECRET') as string },
    });
    expect(calls()).toEqual([]);
    process.env['OUTBOX_TEST_SECRET'] = SECRET;
    try {
      await resumeRemote(rig.database, PROJECT_HERE, 'test');
      await rig.drain([worker]);
    } finally {
      delete process.env['OUTBOX_TEST_SECRET'];
    }
    await rig.expectEqual();
  });

  it.each([
    ['${file:relative}', rigUrl, /reference/],
    ['${env:1X}', rigUrl, /reference/],
    [SECRET, () => 'ftp://127.0.0.1', /--url/],
    [SECRET, () => 'http://user:word@127.0.0.1', /--url/],
  ])('or address is not stored where it is malformed: %s', async (secret, url, message) => {
    await expect(rig.push({ secret, url: url() })).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringMatching(message) as string,
    });
  });
});

function rigUrl(): string {
  return rig.service.url;
}
