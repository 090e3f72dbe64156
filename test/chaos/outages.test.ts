import { setTimeout as sleep } from 'node:timers/promises';
import { Redis as RedisClient } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { placeOf } from '../../src/database/embedded/place.ts';
import { runningPostmaster } from '../../src/database/embedded/postmaster.ts';
import { urlOfRunning } from '../../src/database/running.ts';
import { useDatabases } from '../kit/databases.ts';
import type { Proxy } from '../kit/proxy.ts';
import type { Redis } from '../kit/redis.ts';
import { eventually } from './eventually.ts';
import { bridgeOn, expectComplete, isoOf, openSite, schedule, stateOf } from './site.ts';
import type { Site } from './site.ts';
import { withCluster, withLine, withPair, withRedis, withSentinel, withWatchedSource } from './surroundings.ts';
import { expectNoErrors, expectRunning, polled, survives } from './survives.ts';

/**
 * Redis or PostgreSQL goes away and comes back. The daemon stays, goes on by itself, and in the end holds the readings of the
 * source point for point. Cases run beside each other, each with a database of its own, because they mostly wait.
 */

/** Longer than a job's lock in the queue (20 s) and the silence after which claims are free (12 s). */
const AWAY_MS = 25_000;
const AWAY_AT_START_MS = 10_000;

// They mostly wait, and their daemons go on polling while they wait for the processor: four at a time cost less than all fourteen.
// vitest reads this while it collects the tests, so it stands here and not in a hook.
vi.setConfig({ maxConcurrency: 4 });

const POLLED = "select from work where kind = 'poll' and ended_at is not null";

const databases = useDatabases({ concurrent: true });
let site: Site;

beforeAll(async () => {
  site = await openSite(databases);
});

afterAll(() => site.close());

describe.concurrent('an outage of', () => {
  test.each<[string, (redis: Redis) => Promise<unknown>]>([
    ['Redis that was killed', whileAwayAfterKill],
    ['Redis that comes and goes', comesAndGoes],
    ['Redis that loses all it knew, again and again', flushed],
  ])('%s', async (_name, strike) => {
    await withRedis(async (redis) => {
      await survives(site, await site.database(), { REDIS_URL: redis.url }, () => strike(redis));
    });
  });

  test('Redis when the daemon starts', async () => {
    await withRedis(async (redis) => {
      await redis.kill9();
      const database = await site.database();
      const returned = sleep(AWAY_AT_START_MS).then(() => redis.restart());
      await survives(site, database, { REDIS_URL: redis.url }, () => returned);
    });
  });

  test('Redis while a poll is due that comes every five minutes', async () => {
    const { client, ...database } = await site.database();
    await withRedis(async (redis) => {
      const bridge = await bridgeOn(site, { DATABASE_URL: database.url, REDIS_URL: redis.url });
      try {
        await bridge.apply(site.source({ schedule: { ...schedule, every: '5m', start: isoOf(site.startUs) } }));
        const daemon = await bridge.up();
        await polled(client, 1);
        await redis.kill9();
        // A planner that dispatched would leave it to the queue for a while, and the poll would wait for that.
        await client.query(
          `update work set due_at = greatest(now(), due_at - interval '1 h'), ended_at = null where kind = 'poll'`,
        );
        await sleep(AWAY_AT_START_MS);
        const state = (): Promise<string> => stateOf(client);
        const stillDue = async (): Promise<boolean> =>
          (await client.query(`select from work where kind = 'poll' and due_at <= now() and sent_at is null`)).rows
            .length === 1;
        await eventually('it stays due', stillDue, { state });
        await redis.restart();
        await eventually('it is polled', async () => (await client.query(POLLED)).rows.length === 1, { state });
        expectNoErrors(daemon);
        expect((await daemon.stop(60_000)).code, daemon.output()).toBe(0);
      } finally {
        await bridge.remove();
        await database.close();
      }
    });
  });

  test.each<[string, (proxy: Proxy) => Promise<unknown>]>([
    ['PostgreSQL that refuses connections', refused],
    ['PostgreSQL that is a black hole and then goes on', stalled],
    ['PostgreSQL that is a black hole and forgets its connections', stalledAndForgotten],
    ['PostgreSQL that drops connections again and again', dropped],
  ])('%s', async (_name, strike) => {
    await withLine(site, async ({ database, proxy, url }) => {
      await withWatchedSource(site, async ({ recorder, line }) => {
        const slowly = async (): Promise<void> => {
          // The outage begins while requests are under way, whose slots cannot be given back then.
          await line.set({ latencyMs: 500 });
          await sleep(2_000);
          await strike(proxy);
          await line.set({});
          await proxy.set({});
        };
        await survives(site, database, { DATABASE_URL: url }, slowly, site.source({}, recorder.url));
      });
    });
  });

  test('PostgreSQL when the daemon starts', async () => {
    await withLine(site, async ({ database, proxy, url }) => {
      await proxy.set({ connections: 'refuse' });
      const returned = sleep(AWAY_AT_START_MS).then(() => proxy.set({}));
      await survives(site, database, { DATABASE_URL: url }, () => returned);
    });
  });

  test('PostgreSQL whose primary is killed and whose standby is promoted', async () => {
    await withPair(async ({ url, standbyUrl, standby, failOver }) => {
      const registering = await bridgeOn(site, { DATABASE_URL: url });
      await registering.succeed('project', 'create', 'hall');
      await registering.remove();
      const refused = await bridgeOn(site, { DATABASE_URL: standbyUrl });
      await expect(refused.succeed('project', 'list')).rejects.toThrow(
        /127\.0\.0\.1:\d+ is a standby and takes no writes/,
      );
      await refused.remove();
      const database = { url, port: 0, client: standby, close: () => Promise.resolve() };
      await survives(site, database, {}, failOver, site.source());
    });
  });

  test('Redis whose master is killed and for which a sentinel names another', async () => {
    await withSentinel(async ({ url, master }) => {
      await survives(site, await site.database(), { REDIS_URL: url }, async () => {
        await master.kill9();
        await sleep(AWAY_AT_START_MS);
      });
    });
  });

  test('Redis Cluster, the master that holds the queue', async () => {
    await withCluster(async ({ url, killMaster }) => {
      await survives(site, await site.database(), { REDIS_URL: url }, async () => {
        await killMaster();
        await sleep(AWAY_AT_START_MS);
      });
    });
  });

  test('the embedded PostgreSQL that was killed', async () => {
    const bridge = await bridgeOn(site, {});
    try {
      await bridge.succeed('project', 'create', 'hall');
      await bridge.apply(site.source());
      const daemon = await bridge.up();
      await lookInto(bridge.home, (client) => polled(client, 5));
      const killed = runningPostmaster(placeOf(bridge.home).data);
      if (killed === undefined) throw new Error('no server runs');
      process.kill(killed.pid, 'SIGKILL');
      await eventually('the server runs again', () => {
        const running = runningPostmaster(placeOf(bridge.home).data);
        return running !== undefined && running.pid !== killed.pid;
      });
      await eventually('it accepts connections', () => lookInto(bridge.home, () => Promise.resolve(true)));
      await lookInto(bridge.home, (client) => expectComplete(site, client));
      expectRunning(daemon);
      expectNoErrors(daemon);
      expect((await daemon.stop(60_000)).code).toBe(0);
      expect(runningPostmaster(placeOf(bridge.home).data)).toBeUndefined();
    } finally {
      await bridge.remove();
    }
  });
});

async function whileAwayAfterKill(redis: Redis): Promise<void> {
  await redis.kill9();
  await sleep(AWAY_MS);
  await redis.restart();
}

async function comesAndGoes(redis: Redis): Promise<void> {
  for (let restart = 0; restart < 6; restart += 1) {
    await redis.restart();
    await sleep(1_500);
  }
}

async function flushed(redis: Redis): Promise<void> {
  const client = new RedisClient(redis.url);
  for (let flush = 0; flush < 4; flush += 1) {
    await client.flushall();
    await sleep(1_500 + flush * 700);
  }
  client.disconnect();
}

async function refused(proxy: Proxy): Promise<void> {
  await proxy.set({ connections: 'refuse' });
  proxy.reset();
  await sleep(AWAY_MS);
}

async function stalled(proxy: Proxy): Promise<void> {
  await proxy.set({ stalled: true });
  await sleep(AWAY_MS);
}

async function stalledAndForgotten(proxy: Proxy): Promise<void> {
  await stalled(proxy);
  proxy.reset();
}

async function dropped(proxy: Proxy): Promise<void> {
  for (let drop = 0; drop < 10; drop += 1) {
    if (drop % 2 === 0) proxy.cut();
    else proxy.reset();
    await sleep(1_700);
  }
}

/** A look into the embedded database. Unlike one through `bridge.database()` it does not keep the server running. */
async function lookInto<T>(home: string, look: (client: pg.Client) => Promise<T>): Promise<T> {
  const url = urlOfRunning(home);
  if (url === undefined) throw new Error('no server runs');
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await look(client);
  } finally {
    await client.end();
  }
}
