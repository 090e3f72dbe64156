import { afterEach, describe, expect, it } from 'vitest';
import { listIngestions, removeRemote, setRemote } from '../../src/delivery/remote.ts';
import { claimsOf } from '../../src/pull/claim.ts';
import { planOnce } from '../../src/pull/planner.ts';
import { useDatabases } from '../kit/databases.ts';
import { recordingQueue } from '../kit/recording-queue.ts';
import { readingsIn } from '../kit/stored-source.ts';
import { pushAs, startApi } from './api-rig.ts';
import { eventually } from './daemon-rig.ts';
import { PROJECT_HERE, makeRig, otherProject, settingsOf } from './outbox-rig.ts';
import type { Point, Rig } from './outbox-rig.ts';
import { dueHistories } from '../kit/work.ts';
import type { Claimed } from '../../src/pull/claim.ts';

const databases = useDatabases();
let rig: Rig;

afterEach(async () => {
  await rig.close();
});

const points = (from: number, count: number): Point[] =>
  Array.from({ length: count }, (_, index) => ({ sensor: 'a', at: from + index, value: 1 }));

/** The jobs that one step of the planner dispatches while all sources and streams are due. */
async function planned(): Promise<string[]> {
  const { queue, added } = recordingQueue();
  await dueHistories(rig.database);
  await rig.database.run('update work set due_at = now(), sent_at = null');
  await planOnce(rig.database, queue);
  return added.map(({ work, id }) => `${work} ${id}`).toSorted();
}

/** Counts as the daemon does, at once. @returns whether the outbox is full */
async function count(): Promise<boolean> {
  await rig.database.run('update remote set counted_at = null');
  await (await rig.worker()).deliverer.count();
  return (await rig.remote()).full;
}

describe('an outbox that is full', () => {
  it('keeps the sources of its project from being asked, and no others, until half of it is delivered', async () => {
    rig = await makeRig(databases);
    await rig.push({ mostWaiting: 100 });
    const { source: other, stream: otherStream } = await otherProject(rig.database);
    const everything = [
      `history ${otherStream}`,
      `history ${rig.streamId}`,
      `poll ${other.sourceId}`,
      `poll ${rig.source.sourceId}`,
    ].toSorted();
    const others = [`history ${otherStream}`, `poll ${other.sourceId}`].toSorted();
    const worker = await rig.worker();
    const claims = claimsOf({ database: rig.database, workerId: worker.id, sources: { editionOf: () => undefined } });

    await rig.commit(points(0, 99));
    expect(await count()).toBe(false);
    expect(await planned()).toEqual(everything);
    await rig.commit(points(99, 1));
    expect(await count()).toBe(true);
    expect(await planned()).toEqual(others);
    // A job that was dispatched before the outbox was full is not claimed.
    expect(await claims.take('poll', rig.source.sourceId)).toBeUndefined();
    expect(await claims.take('history', rig.streamId)).toBeUndefined();
    const claimed = await claims.take('poll', other.sourceId);
    expect(claimed).toBeDefined();
    await claims.report(claimed as Claimed, { healthy: true });
    expect(await listIngestions(rig.database, PROJECT_HERE)).toMatchObject([
      { waiting: 100, mostWaiting: 100, fullSince: expect.any(Number) as number },
    ]);

    const half = await rig.database.run('delete from outbox where readings = 1');
    expect(half).toBe(1);
    expect(await count()).toBe(true);
    expect(await planned()).toEqual(others);
    await rig.drain([worker]);
    expect(await count()).toBe(false);
    expect(await planned()).toEqual(everything);
    expect(await claims.take('poll', rig.source.sourceId)).toBeDefined();
    expect(await claims.take('history', rig.streamId)).toBeDefined();
    expect(rig.log().match(/the outbox is full/g)).toHaveLength(1);
    expect(rig.log().match(/has room again/g)).toHaveLength(1);
  });

  it('has room again where the operator allows more readings, or removes the remote', async () => {
    rig = await makeRig(databases);
    await rig.push({ mostWaiting: 10 });
    await rig.commit(points(0, 20));
    expect(await count()).toBe(true);
    expect(await planned()).toEqual([]);
    await rig.push({ mostWaiting: 1_000 });
    expect(await count()).toBe(false);
    expect(await planned()).toHaveLength(2);
    await rig.push({ mostWaiting: 10 });
    expect(await count()).toBe(true);
    expect(await removeRemote(rig.database, PROJECT_HERE, { discard: true }, 'test')).toBe(20);
    expect(await planned()).toHaveLength(2);
  });

  it('is counted by one worker at a time, about once a second, whatever the number of workers', async () => {
    rig = await makeRig(databases);
    await rig.push({ mostWaiting: 10 });
    const workers = await Promise.all(Array.from({ length: 4 }, () => rig.worker()));
    await rig.commit(points(0, 20));
    await Promise.all(workers.map(({ deliverer }) => deliverer.count()));
    expect((await rig.remote()).full).toBe(true);
    expect(rig.log().match(/the outbox is full/g)).toHaveLength(1);
  });
});

describe('a push into a project whose outbox is full', () => {
  it('is answered 503 with Retry-After and not stored; pushes into other projects are', async () => {
    rig = await makeRig(databases);
    const api = await startApi(databases);
    try {
      await setRemote(
        api.database,
        rig.sealing,
        { organisation: 'default', code: 'hall' },
        settingsOf(rig.service),
        'test',
      );
      await api.database.run(`insert into ml_project (organisation_id, code, name) values ('default', 'free', 'Free')`);
      const body = (value: number): unknown[] => [{ sensorId: 's', date: '2026-01-01T00:00:00Z', value }];
      expect((await api.push(body(1))).status).toBe(200);
      await api.database.run('update remote set full_since = now()');
      const turnedAway = await eventually('the API sees that the outbox is full', async () => {
        const answer = await api.push(body(2));
        return answer.status !== 200 && answer;
      });
      expect(turnedAway.status).toBe(503);
      expect(Number(turnedAway.headers['retry-after'])).toBeGreaterThan(0);
      expect(turnedAway.headers['content-type']).toMatch(/problem\+json/);
      const before = await readingsIn(api.database);
      const noted = await api.database.row('select count(*) as n from outbox');
      expect((await api.push(body(3))).status).toBe(503);
      expect(await readingsIn(api.database)).toEqual(before);
      expect(await api.database.row('select count(*) as n from outbox')).toEqual(noted);
      const free = await pushAs(api.client, `${api.url}/v0/organisations/default/data/free`, body(3));
      expect(free.status).toBe(200);
      await api.database.run('update remote set full_since = null');
      await eventually('a push is taken again', async () => (await api.push(body(4))).status === 200);
    } finally {
      await api.close();
    }
  });
});
