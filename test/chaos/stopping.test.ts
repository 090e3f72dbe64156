import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import type { RunningProcess } from '../kit/process.ts';
import { eventually } from './eventually.ts';
import { bridgeOn, expectComplete, isoOf, openSite, schedule, stateOf } from './site.ts';
import type { Site } from './site.ts';
import { withLine, withRedis, withWatchedSource } from './surroundings.ts';
import { expectNoErrors, polled } from './survives.ts';

/** SIGTERM ends a daemon in order at any moment, also while a source, the database or Redis does not answer. */

const DRAIN_SECONDS = 5;
/** Time to drain and to close on a busy machine. A daemon that waited for an answer would take longer than this. */
const STOPS_WITHIN_MS = 40_000;

// vitest reads this while it collects the tests, so it stands here and not in a hook.
vi.setConfig({ maxConcurrency: 20 });

const databases = useDatabases({ concurrent: true });
let site: Site;

beforeAll(async () => {
  site = await openSite(databases);
});

afterAll(() => site.close());

describe.concurrent('SIGTERM', () => {
  test('during a window of a slow source covers all of it or nothing', async () => {
    const database = await site.database();
    const { client } = database;
    await withWatchedSource(site, async ({ recorder, line }) => {
      const bridge = await bridgeOn(site, { DATABASE_URL: database.url });
      try {
        const start = isoOf(Math.floor(Date.now() / 1000) * 1_000_000);
        // Without looks for late data, which ask for windows of history twice.
        const changed = { ...schedule, maxWindow: '1m', start, lookBackAtMost: '0s' };
        await bridge.apply(site.source({ schedule: changed }, recorder.url));
        let daemon = await bridge.up();
        await polled(client, 1);
        await line.set({ latencyMs: 1_000 });
        await bridge.succeed('backfill', 'start', 'hall', '--from', isoOf(site.startUs), '--to', start, '--detach');
        await eventually('three windows of it are covered', async () => (await historyOf(client)).length >= 3, {
          state: () => stateOf(client),
        });
        const asked = recorder.requests.length;
        await eventually('the next one is asked', () => recorder.requests.length > asked);
        expect(await stopped(daemon)).toBe(0);
        expectNoErrors(daemon);
        const before = await historyOf(client);
        expect(await tiled(client)).toBe(true);

        await line.set({});
        daemon = await bridge.up();
        await expectComplete(site, client);
        expect((await historyOf(client)).slice(0, before.length)).toEqual(before);
        expect(await tiled(client)).toBe(true);
        expect(await stopped(daemon)).toBe(0);
      } finally {
        await bridge.remove();
        await database.close();
      }
    });
  });

  test('ends a daemon whose database does not answer after the time to drain, and a second SIGTERM ends it at once', async () => {
    await withLine(site, async ({ database, proxy, url }) => {
      const bridge = await bridgeOn(site, { DATABASE_URL: url, DATABRIDGE_DRAIN_SECONDS: String(DRAIN_SECONDS) });
      try {
        const [first, second] = [await bridge.up('worker'), await bridge.up('worker')];
        await polled(database.client, 3);
        await proxy.set({ stalled: true });
        await sleep(2_000);
        const begunMs = performance.now();
        const patient = stopped(first).then((code) => ({ code, tookMs: performance.now() - begunMs }));
        process.kill(second.pid, 'SIGTERM');
        await eventually('it drains', () => second.output().includes('stopping at the next window boundary'));
        // Signals within half a second count as one.
        await sleep(1_000);
        process.kill(second.pid, 'SIGTERM');
        expect((await second.exited).code).toBe(1);
        expect(second.output()).not.toMatch(/did not end in time|closing takes too long/);
        const { code, tookMs } = await patient;
        expect(code).toBe(1);
        expect(tookMs).toBeGreaterThan(2_000);
      } finally {
        await bridge.remove();
        await proxy.set({});
        await database.close();
      }
    });
  });

  test('ends a daemon that waits for a Redis that is away', async () => {
    await withRedis(async (redis) => {
      await redis.kill9();
      const database = await site.database();
      const bridge = await bridgeOn(site, { DATABASE_URL: database.url, REDIS_URL: redis.url });
      const up = bridge.up();
      up.catch(() => undefined);
      try {
        const pid = await eventually('it waits', async () => {
          const { rows } = await database.client.query<{ pid: number }>('select pid from worker');
          return rows[0]?.pid;
        });
        process.kill(pid, 'SIGTERM');
        await expect(up).rejects.toThrow(/ended before it was ready \(code 1,.*stopped while waiting for Redis/s);
        await redis.restart();
      } finally {
        await bridge.remove();
        await database.close();
      }
    });
  });

  test('ends a daemon in order whose Redis went away', async () => {
    await withRedis(async (redis) => {
      const database = await site.database();
      const bridge = await bridgeOn(site, { DATABASE_URL: database.url, REDIS_URL: redis.url });
      try {
        const daemon = await bridge.up();
        await polled(database.client, 3);
        await redis.kill9();
        await sleep(2_000);
        expect(await stopped(daemon)).toBe(0);
        expectNoErrors(daemon);
        await redis.restart();
      } finally {
        await bridge.remove();
        await database.close();
      }
    });
  });
});

/** The exit code after SIGTERM; null where it had to be killed. */
const stopped = async (daemon: RunningProcess): Promise<number | null> => (await daemon.stop(STOPS_WITHIN_MS)).code;

/** The windows of the history lane in the order in which they were asked. */
async function historyOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ window: string }>(
    `select tstzrange(from_at, to_at)::text as window from window_log where lane = 'history' order by asked_at`,
  );
  return rows.map(({ window }) => window);
}

/** Whether the coverage is exactly the windows that were handed over, and none of history was handed over twice. */
async function tiled(client: Client): Promise<boolean | undefined> {
  const { rows } = await client.query<{ tiled: boolean }>(
    `select bool_and(covered = (select range_agg(tstzrange(from_at, to_at)) from window_log where stream_id = stream.id)
       and (select sum(to_at - from_at) from window_log where stream_id = stream.id and lane = 'history')
         = (select sum(upper(part) - lower(part)) from (select range_agg(tstzrange(from_at, to_at)) as parts from window_log
            where stream_id = stream.id and lane = 'history') as asked, unnest(parts) as part)) as tiled from stream`,
  );
  return rows[0]?.tiled;
}
