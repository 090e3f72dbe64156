import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeRemote } from '../../src/delivery/remote.ts';
import { readingPreparer } from '../../src/ingest/prepare.ts';
import { writeMany } from '../../src/ingest/window-readings.ts';
import { useDatabases } from '../kit/databases.ts';
import { startProxy } from '../kit/proxy.ts';
import { batchOf, columnOf } from '../kit/stored-source.ts';
import { eventually } from './daemon-rig.ts';
import { PROJECT_HERE, START, makeRig } from './outbox-rig.ts';
import type { Point, Rig, Worker } from './outbox-rig.ts';
import { startService } from './outbox-service.ts';

const databases = useDatabases();
let rig: Rig;

beforeEach(async () => {
  rig = await makeRig(databases);
  await rig.push();
});

afterEach(async () => {
  await rig.close();
});

const points = (value: number, count = 20): Point[] =>
  Array.from({ length: count }, (_, at) => ({ sensor: 'a', at, value }));

/** Lets the service hold the next body. @returns a function that lets the body go */
function hold(end?: 'reset' | 'forbid'): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.service.fail({ kind: 'held', until: promise, ...(end && { end }) });
  return resolve;
}

/** Begins a delivery whose first body the service holds. */
async function holdBodyOf(worker: Worker, end?: 'reset' | 'forbid'): Promise<() => void> {
  const before = rig.service.bodies.length;
  const release = hold(end);
  await worker.deliverer.look();
  await eventually('the body is held', () => rig.service.bodies.length === before + 1);
  return release;
}

/** Stores one reading in a transaction that stays open. */
async function storeOpen(client: PoolClient, value: number): Promise<void> {
  const batch = batchOf([columnOf('a', { at: [START], value: [value] })]);
  const prepared = await readingPreparer(rig.database)(rig.source.projectId, batch);
  await client.query('begin');
  await writeMany(client, prepared, { streamId: rig.streamId, covered: [{ from: START, to: START + 1 }] });
}

describe('several workers', () => {
  it('never deliver for one project at a time', async () => {
    const workers = [await rig.worker(), await rig.worker(), await rig.worker()];
    for (let round = 0; round < 15; round += 1) {
      await rig.commit(points(round, 300));
      // Long enough for a second worker to look meanwhile.
      rig.service.fail({ kind: 'held', until: sleep(100) });
      await Promise.all(workers.map(({ deliverer }) => deliverer.look()));
      await sleep(20);
    }
    await rig.drain(workers);
    expect(rig.service.mostAtOnce()).toBe(1);
    await rig.expectEqual();
  });

  it('leave a long delivery to the worker that claimed it, while that worker is alive', async () => {
    const [slow, other] = [await rig.worker(), await rig.worker()];
    await rig.commit(points(1));
    const release = await holdBodyOf(slow);
    for (let look = 0; look < 5; look += 1) await other.deliverer.look();
    expect((await rig.remote()).claimed).toBe(slow.id);
    expect(rig.service.bodies).toHaveLength(1);
    release();
    await rig.drain([slow, other]);
    expect(rig.service.bodies).toHaveLength(1);
    await rig.expectEqual();
  });

  it.each(['answered', 'reset'] as const)(
    'correct readings that a worker taken for dead sends late, where that body is %s',
    async (end) => {
      const [late, other] = [await rig.worker(), await rig.worker()];
      await rig.commit(points(1));
      const release = await holdBodyOf(late, end === 'reset' ? 'reset' : undefined);
      await late.fallSilent();
      await rig.commit(points(2));
      await rig.drain([other]);
      await rig.expectEqual();
      release();
      await eventually('the late body is noted again', async () => (await rig.outbox()).length > 0);
      expect(rig.service.stored()[0]).toMatch(/ 1 - /);
      await rig.drain([other]);
      await rig.expectEqual();
      expect(await rig.remote()).toMatchObject({ failures: 0, state: 'active', fault: null });
    },
  );

  it('correct them also while a window is revising the same reading', async () => {
    const [late, other] = [await rig.worker(), await rig.worker()];
    await rig.commit(points(1, 1));
    const release = await holdBodyOf(late);
    await late.fallSilent();
    await rig.commit(points(2, 1));
    await rig.drain([other]);
    const client = await rig.database.pool.connect();
    try {
      await storeOpen(client, 3);
      release();
      await eventually('the late worker waits for the window', async () => {
        const row = await rig.database.row<{ n: number }>(
          `select count(*) as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return row?.n === 1;
      });
      await client.query('commit');
    } finally {
      client.release();
    }
    await eventually('both are noted', async () => (await rig.outbox()).length === 2);
    await rig.drain([other]);
    await rig.expectEqual();
  });

  it('take no readings out of the outbox of a restored database that have the numbers of delivered ones', async () => {
    const worker = await rig.worker();
    await rig.commit(points(1));
    const release = await holdBodyOf(worker);
    // The backup is of the same claim, before the readings were noted; its next note gets their number.
    await rig.database.run('truncate outbox restart identity');
    await rig.commit(points(2));
    release();
    await rig.drain([worker]);
    await rig.expectEqual();
  });

  it('are not held up by the fault of a worker that was taken for dead', async () => {
    const [late, other] = [await rig.worker(), await rig.worker()];
    await rig.commit(points(1));
    const release = await holdBodyOf(late, 'forbid');
    await late.fallSilent();
    await other.deliverer.look();
    await eventually('taken over', async () => (await rig.outbox()).length === 0);
    await rig.commit(points(2));
    release();
    await late.deliverer.stop();
    expect(await rig.remote()).toMatchObject({ failures: 0, heldMs: null, fault: null });
    await rig.drain([other]);
    await rig.expectEqual();
  });
});

describe('a body under way', () => {
  it('is waited for when the process ends, and no other body begins', async () => {
    const worker = await rig.worker();
    await rig.database.run('update remote set batch = 5');
    await rig.commit(points(1));
    const release = await holdBodyOf(worker);
    const stopped = worker.deliverer.stop();
    await worker.deliverer.look();
    release();
    await stopped;
    expect(rig.service.bodies.map(({ status }) => status)).toEqual([200]);
    expect((await rig.remote()).claimed).toBeNull();
    await rig.drain([await rig.worker()]);
    await rig.expectEqual();
  });

  it('is sent to the new service as well where an operator changes the remote meanwhile', async () => {
    const worker = await rig.worker();
    const next = await startService();
    await rig.commit(points(1));
    const release = await holdBodyOf(worker);
    await rig.push({ url: next.url });
    release();
    await rig.drain([worker]);
    expect(next.stored()).toEqual(rig.service.stored());
    expect(next.stored()).toHaveLength(20);
    await next.close();
  });

  it('leaves an empty outbox where the operator removes the remote meanwhile', async () => {
    const worker = await rig.worker();
    await rig.commit(points(1));
    const release = await holdBodyOf(worker);
    expect(await removeRemote(rig.database, PROJECT_HERE, { discard: true }, 'test')).toBe(20);
    release();
    await eventually('it is over', async () => {
      await worker.deliverer.stop();
      return rig.service.stored().length === 20;
    });
    expect(await rig.outbox()).toEqual([]);
  });

  it('is taken out of the outbox when it was answered while the database was away', async () => {
    const { hostname, port } = new URL(rig.database.url);
    expect(hostname).toMatch(/^(?:127\.0\.0\.1|localhost)$/);
    const proxy = await startProxy({ port: Number(port) });
    const url = new URL(rig.database.url);
    url.port = String(proxy.port);
    const worker = await rig.worker(url.href);
    await rig.commit(points(1));
    const release = await holdBodyOf(worker);
    await proxy.set({ connections: 'reset' });
    proxy.reset();
    release();
    await eventually('it is stored there', () => rig.service.stored().length === 20);
    // Long enough for a first try to fail; the worker tries again by itself.
    await sleep(500);
    await proxy.set({});
    await rig.drain([worker]);
    expect(rig.service.bodies).toHaveLength(1);
    await rig.expectEqual();
    await worker.deliverer.stop();
    await proxy.close();
  });

  it('counts its refusals once, also where an operator resumes the delivery meanwhile', async () => {
    const worker = await rig.worker();
    rig.service.refuse(({ value }) => (value === 7 ? 'too-warm' : undefined));
    await rig.commit([...points(1), { sensor: 'b', at: 0, value: 7 }]);
    const release = await holdBodyOf(worker);
    await rig.database.run('update remote set revision = revision + 1');
    release();
    await rig.drain([worker]);
    expect(rig.service.bodies).toHaveLength(2);
    expect(await rig.database.rows('select cardinality(points) as refused from refused_hour')).toEqual([
      { refused: 1 },
    ]);
    expect(await rig.database.rows('select readings, refused from delivery_sum')).toEqual([
      { readings: 20, refused: 1 },
    ]);
  });
});

describe('a window that is stored while the operator removes the remote', () => {
  it('leaves no note that would be sent to a later remote', async () => {
    const worker = await rig.worker();
    await rig.commit(points(1, 1));
    await rig.drain([worker]);
    const client = await rig.database.pool.connect();
    try {
      await storeOpen(client, 2);
      await removeRemote(rig.database, PROJECT_HERE, { discard: false }, 'test');
      await client.query('commit');
    } finally {
      client.release();
    }
    await rig.commit(points(3, 1));
    await rig.push();
    await rig.commit([{ sensor: 'b', at: 0, value: 1 }]);
    await rig.drain([worker]);
    expect(rig.service.stored().map((line) => line.replace(/^(\w) .* (\S+) - \[\]$/, '$1 $2'))).toEqual(['a 1', 'b 1']);
  });
});

describe('projects', () => {
  it('are delivered beside twenty others whose service never answers', async () => {
    const worker = await rig.worker();
    const silent = await startService();
    silent.fail({ kind: 'silence' }, Infinity);
    await rig.database.run(
      `insert into ml_project (organisation_id, code, name) select 'default', 'p' || i, '' from generate_series(1, 20) i`,
    );
    await rig.database.run(
      `insert into remote (project_id, url, organisation, code, application_id, secret, most_waiting, failures)
       select ml_project.id, $1, remote.organisation, remote.code, application_id, secret, most_waiting, 1
       from ml_project, remote where ml_project.code like 'p_' or ml_project.code like 'p__'`,
      [silent.url],
    );
    await rig.database.run(
      `insert into series (project_id, sensor_id, value_name) select id, 's', 'v' from ml_project`,
    );
    await rig.database.run(
      `insert into outbox (project_id, readings, series, at, value, precision, labels)
       select project_id, 1, array[id], array[now()], array[1], array[null::int2], array[null::int4] from series`,
    );
    await rig.database.run('delete from outbox where project_id = $1', [rig.source.projectId]);
    await worker.deliverer.look();
    await eventually('eight of them wait', () => silent.bodies.length === 8);
    await rig.commit(points(1));
    await worker.deliverer.look();
    await eventually('the first project is delivered', () => rig.service.stored().length === 20);
    expect(silent.bodies).toHaveLength(8);
    await worker.deliverer.stop();
    await silent.close();
  });
});
