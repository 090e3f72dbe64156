import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import type { Bridge } from '../../src/pull/bridge.ts';
import { claimsOf } from '../../src/pull/claim.ts';
import type { Claimed } from '../../src/pull/claim.ts';
import { presenceOf } from '../../src/database/presence.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import { dueHistories, dueLooks } from '../kit/work.ts';

const databases = useDatabases();
let database: Database;

beforeEach(async () => {
  database = await databases.create();
});

describe('a claim', () => {
  /** The parts of a living process that claims need. */
  async function worker(known?: string, dispatched = false): Promise<Bridge> {
    const workerId = randomUUID();
    await presenceOf(database, workerId, 'test').beat();
    const claims = claimsOf({ database, workerId, sources: { editionOf: () => known }, dispatched });
    return { database, workerId, claims } as unknown as Bridge;
  }

  it('of a source is given to one of many workers, and to another one when its holder falls silent or leaves', async () => {
    const { sourceId } = await storeSource(database);
    const workers = await Promise.all(Array.from({ length: 8 }, () => worker()));
    const claims = await Promise.all(workers.map((each) => each.claims.take('poll', sourceId)));
    const holders = workers.filter((_, index) => claims[index] !== undefined);
    expect(holders).toHaveLength(1);
    const [holder] = holders as [Bridge];
    const other = workers.find((each) => each !== holder) as Bridge;
    expect(await other.claims.take('poll', sourceId)).toBeUndefined();
    expect(await holder.claims.take('poll', sourceId)).toBeDefined();
    await database.run(`update worker set beat_at = now() - interval '13 s' where id = $1`, [holder.workerId]);
    expect(await other.claims.take('poll', sourceId)).toBeDefined();
    await presenceOf(database, other.workerId, 'test').leave();
    expect(await holder.claims.take('poll', sourceId)).toBeDefined();
  });

  it('for a job that comes late is given only where the work is due, was dispatched, or was begun by a killed worker', async () => {
    const source = await storeSource(database, 'source', { every: 3_600_000_000 });
    const streamId = await storeStream(database, source);
    const { claims } = await worker(undefined, true);
    await dueLooks(database);
    await dueHistories(database);
    const ids = { poll: source.sourceId, look: source.sourceId, history: streamId };
    for (const work of ['poll', 'look', 'history'] as const) {
      const take = () => claims.take(work, ids[work]);
      expect(await take()).toBeUndefined();
      await database.run('update work set sent_at = now() where kind = $1', [work]);
      const claimed = await take();
      expect(claimed).toMatchObject({ work, id: source.sourceId, streams: [{ id: streamId }] });
      await claims.report(claimed as Claimed, { healthy: true, dueAt: 0 });
      expect(await take()).toBeUndefined();
      await database.run('update work set claimed_by = $1 where kind = $2', [randomUUID(), work]);
      expect(await take()).toBeDefined();
    }
  });

  it('of a source that is paused, held or removed is given to no worker', async () => {
    const { sourceId } = await storeSource(database);
    const claimer = await worker();
    await database.run(`update source set state = 'paused'`);
    expect(await claimer.claims.take('poll', sourceId)).toBeUndefined();
    await database.run(`update source set state = 'active', held_until = now() + interval '1 h'`);
    expect(await claimer.claims.take('poll', sourceId)).toBeUndefined();
    await database.run('delete from source');
    expect(await claimer.claims.take('poll', sourceId)).toBeUndefined();
  });

  it('returns the streams, and the configuration only for a revision that the worker does not know', async () => {
    const source = await storeSource(database);
    const streamId = await storeStream(database, source, 'a');
    const gone = await storeStream(database, source, 'b');
    await database.run('update stream set retired_at = now() where id = $1', [gone]);
    await database.run(
      `update stream set selection = '{"group":"g","sensors":["s"]}', learned = '{"length":5}', failures = 2,
         covered = tstzmultirange(tstzrange(at_instant(0), at_instant(1)), tstzrange(at_instant(-3), at_instant(-2))),
         retry_at = at_instant(7), look_again = tstzmultirange(tstzrange(at_instant(-3), at_instant(-2)))`,
    );
    await database.run(
      `insert into unreadable (stream_id, from_at, to_at, tries, retry_at, fault) values ($1, at_instant(3), at_instant(4), 2, at_instant(9), '{}')`,
      [streamId],
    );
    await dueHistories(database);
    const claimed = await (await worker()).claims.take('poll', source.sourceId);
    expect(claimed).toMatchObject({ id: source.sourceId, config: {}, projectId: source.projectId, start: 0 });
    expect(claimed?.streams).toEqual([
      {
        id: streamId,
        key: 'a',
        selection: { group: 'g', sensors: ['s'], variables: undefined },
        covered: [
          { from: -3, to: -2 },
          { from: 0, to: 1 },
        ],
        learned: { length: 5 },
        failures: 2,
        historyFailures: 0,
        askedAt: null,
        retryAt: 7,
        historyDue: true,
        unreadable: [{ from: 3, to: 4, tries: 2, retryAt: 9 }],
        lookAgain: [{ from: -3, to: -2 }],
        looksNoted: 0,
        looksFrom: null,
      },
    ]);
    await database.run('update work set claimed_by = null');
    expect(await (await worker(source.edition)).claims.take('poll', source.sourceId)).toMatchObject({ config: null });
  });

  it('of a stream is given to one of many workers, also while another worker has its source', async () => {
    const source = await storeSource(database);
    const streamId = await storeStream(database, source);
    await dueHistories(database);
    expect(await (await worker()).claims.take('poll', source.sourceId)).toBeDefined();
    const workers = await Promise.all(Array.from({ length: 6 }, () => worker()));
    const claims = await Promise.all(workers.map((each) => each.claims.take('history', streamId)));
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
    expect(claims.find((claim) => claim !== undefined)).toMatchObject({
      id: source.sourceId,
      streams: [{ id: streamId, covered: [] }],
    });
    await database.run('update work set claimed_by = null');
    await database.run('update stream set retired_at = now()');
    expect(await (await worker()).claims.take('history', streamId)).toBeUndefined();
  });
});
