import { setTimeout as sleep } from 'node:timers/promises';
import { Redis as RedisClient } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOn, expectComplete, isoOf, openSite, schedule, stateOf } from './site.ts';
import type { Site } from './site.ts';
import { eventually } from './eventually.ts';
import { withRedis } from './surroundings.ts';
import { expectNoErrors, polled } from './survives.ts';

/** After downtime the live lane covers the edge first, then history fills the gap; one poll replaces all that were missed. */

const DOWN_MS = 20_000;
const COUNTED_MS = 3_000;
/** Shorter than the gap, so that the live lane covers its newest end only. */
const MAX_WINDOW_MS = 4_000;

const databases = useDatabases({ concurrent: true });
let site: Site;

beforeAll(async () => {
  site = await openSite(databases);
});

afterAll(() => site.close());

test('after downtime the edge is covered before the gap, and one poll replaces all that were missed', async () => {
  const database = await site.database();
  const { client } = database;
  await withRedis(async (redis) => {
    const bridge = await bridgeOn(site, { DATABASE_URL: database.url, REDIS_URL: redis.url });
    const queue = new RedisClient(redis.url);
    /** How many polls were dispatched: every job of a queue gets the next number. */
    const dispatched = async (): Promise<number> => Number(await queue.get('{databridge}:poll:id'));
    try {
      const fromUs = Math.floor(Date.now() / 1000) * 1_000_000;
      const changes = {
        schedule: {
          ...schedule,
          overlap: `${MAX_WINDOW_MS}ms`,
          maxWindow: `${MAX_WINDOW_MS}ms`,
          start: isoOf(fromUs),
          // Looks for late data take turns with the gap, in an order of their own.
          lookBackAtMost: '0s',
        },
      };
      await bridge.apply(site.source(changes));
      const before = await bridge.up();
      await polled(client, 3);
      expect((await before.stop(60_000)).code).toBe(0);
      // Where live was slow, history may be due or queued at the stop, and would then begin together with live.
      await client.query("delete from work where kind = 'history'");
      await queue.flushall();
      const coveredTo = await edgeOf();

      await sleep(DOWN_MS);
      const jobs = await dispatched();
      const startedMs = Date.now();
      const after = await bridge.up();
      const state = (): Promise<string> => stateOf(client);
      const first = await eventually('a window is covered', async () => (await windowsAfter(coveredTo))[0], {
        state,
      });
      // Twenty polls were missed. A planner that made up for each of them would dispatch one with every tick.
      await sleep(COUNTED_MS);
      const polls = (await dispatched()) - jobs;
      const seconds = Math.ceil((Date.now() - startedMs) / 1000);
      expect(polls, `within ${seconds} s of the start`).toBeLessThanOrEqual(seconds + 2);
      expect(first.lane).toBe('live');
      // The edge when the daemon started: `settle` before, on a grid of a second.
      expect(first.toMs).toBeGreaterThan(startedMs - 2_000 - 1_000);

      await expectComplete(site, client, { fromUs });
      const windows = await windowsAfter(coveredTo);
      const gapAt = windows.findIndex(({ lane }) => lane === 'history');
      expect(gapAt).toBeGreaterThan(0);
      // Newest first: the gap is filled towards what was covered before. Where live was slow, it left time above the gap later.
      for (const [stream, ofStream] of Map.groupBy(windows, ({ stream_id: id }) => id)) {
        const filled = ofStream.filter(({ lane }) => lane === 'history').map(({ toMs }) => toMs);
        const gap = filled.filter((toMs) => toMs <= (filled[0] ?? 0));
        expect(gap.length).toBeGreaterThan(2);
        expect(gap, `stream ${stream}`).toEqual(gap.toSorted((one, other) => other - one));
      }
      expectNoErrors(after);
      expect((await after.stop(60_000)).code).toBe(0);
    } finally {
      queue.disconnect();
      await bridge.remove();
      await database.close();
    }
  });

  async function edgeOf(): Promise<string> {
    const { rows } = await client.query<{ edge: string }>('select max(upper(covered))::text as edge from stream');
    return rows[0]?.edge ?? '';
  }

  /** The windows that reach beyond an instant, in the order in which they were asked. */
  async function windowsAfter(edge: string): Promise<{ stream_id: number; lane: string; toMs: number }[]> {
    const { rows } = await client.query<{ stream_id: number; lane: string; toMs: number }>(
      `select stream_id, lane, (extract(epoch from to_at) * 1000)::float8 as "toMs" from window_log
       where to_at > $1::timestamptz order by asked_at`,
      [edge],
    );
    return rows;
  }
});
