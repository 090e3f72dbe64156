import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { claimsOf } from '../../src/pull/claim.ts';
import type { Claims } from '../../src/pull/claim.ts';
import { jobsUnderWay } from '../../src/daemon/jobs-under-way.ts';
import type { JobsUnderWay } from '../../src/daemon/jobs-under-way.ts';
import type { Work } from '../../src/queue/queue.ts';
import { keepAlive } from '../kit/alive.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import { dueHistories, dueLooks } from '../kit/work.ts';

const databases = useDatabases();
let database: Database;
let idOf: Readonly<Record<Work, number>>;
let jobs: JobsUnderWay;
let claims: Claims;
let workerId: string;
/** The claims of another living worker. */
let others: Claims;

const claimsFor = async (id: string): Promise<Claims> => {
  await keepAlive(database, id);
  return claimsOf({ database, workerId: id, sources: { editionOf: () => undefined } });
};

beforeEach(async () => {
  database = await databases.create();
  const source = await storeSource(database);
  const stream = await storeStream(database, source);
  idOf = { poll: source.sourceId, look: source.sourceId, history: stream };
  await dueLooks(database);
  await dueHistories(database);
  workerId = randomUUID();
  claims = await claimsFor(workerId);
  others = await claimsFor(randomUUID());
  jobs = jobsUnderWay(database, workerId);
});

const WORKS = ['poll', 'look', 'history'] as const;

const take = (from: Claims, work: Work): Promise<unknown> => from.take(work, idOf[work]);

/** A job that claims and ends without its report. */
const failAfterClaim = async (work: Work): Promise<void> => {
  const job = jobs.run(work, idOf[work], async () => {
    expect(await take(claims, work)).toBeDefined();
    throw new Error('failover');
  });
  await expect(job).rejects.toThrow('failover');
};

it.each(WORKS)('the claim of a %s that ended without its report is free once it is given back', async (work) => {
  await failAfterClaim(work);
  expect(await take(others, work)).toBeUndefined();
  await jobs.giveBack();
  expect(await take(others, work)).toBeDefined();
});

it.each(WORKS)(
  'the claim of a %s that stands in a restored database is given back within half a minute',
  async (work) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      await jobs.giveBack();
      // A state of the database in which the job ran.
      expect(await take(claims, work)).toBeDefined();
      await jobs.giveBack();
      expect(await take(others, work)).toBeUndefined();
      vi.advanceTimersByTime(30_000);
      await jobs.giveBack();
      expect(await take(others, work)).toBeDefined();
    } finally {
      vi.useRealTimers();
    }
  },
);

it('a claim that another worker has taken over meanwhile stays with it', async () => {
  await failAfterClaim('poll');
  await database.run('update work set claimed_by = (select id from worker where id <> $1)', [workerId]);
  await jobs.giveBack();
  expect(await take(claims, 'poll')).toBeUndefined();
});

it.each(WORKS)('the claim of a %s that runs again is not given back under it', async (work) => {
  await failAfterClaim(work);
  let ran = false;
  await jobs.run(work, idOf[work], async () => {
    await jobs.giveBack();
    ran = (await take(others, work)) === undefined;
  });
  expect(ran).toBe(true);
});

it('no job begins while claims are on their way back, and one that runs is not begun twice', async () => {
  const never = (): Promise<void> => Promise.reject(new Error('begun twice'));
  const waiting = Promise.withResolvers<void>();
  const steps: string[] = [];
  const id = idOf.poll;
  jobs = jobsUnderWay(
    {
      run: async (text, values) => {
        await waiting.promise;
        const given = await database.run(text, values);
        steps.push(`${given} given back`);
        return given;
      },
    },
    workerId,
  );
  await failAfterClaim('poll');
  const back = jobs.giveBack();
  const next = jobs.run('poll', id, () => Promise.resolve(void steps.push('begun')));
  await jobs.run('poll', id, never);
  waiting.resolve();
  await Promise.all([back, next]);
  expect(steps).toEqual(['1 given back', 'begun']);
  await jobs.run('poll', id, () => jobs.run('poll', id, never));
});

it('a claim that cannot be given back yet is tried again', async () => {
  let away = true;
  const soon: Pick<Database, 'run'> = {
    run: (text, values) => (away ? Promise.reject(new Error('away')) : database.run(text, values)),
  };
  jobs = jobsUnderWay(soon, workerId);
  await failAfterClaim('poll');
  await expect(jobs.giveBack()).rejects.toThrow('away');
  away = false;
  await jobs.giveBack();
  expect(await take(others, 'poll')).toBeDefined();
});
