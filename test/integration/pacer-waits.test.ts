import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import type { PaceState } from '../../src/core/pace.ts';
import type { Window } from '../../src/core/window.ts';
import type { Database } from '../../src/database/database.ts';
import type { Http } from '../../src/platform/contract.ts';
import { newMeter } from '../../src/platform/connection/index.ts';
import type { Pacer } from '../../src/platform/connection/index.ts';
import { poll } from '../../src/pull/poll.ts';
import { changeSource } from '../../src/source/state-change.ts';
import { json, openRig, refusal, serve, tidyUp } from '../kit/connection-rig.ts';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { logPace, loggedPaces } from '../kit/pace-log.ts';
import { readingsIn, storeSource, storeStream } from '../kit/stored-source.ts';
import { hostOn } from './pacer-host.ts';
import type { Host } from './pacer-host.ts';

// Waits for slots that take long: behind queries that the bridge gave up, and between the requests of one window.

const databases = useDatabases();
let database: Database;
let sourceId: number;

beforeEach(async () => {
  database = await databases.create();
  ({ sourceId } = await storeSource(database));
  await logPace(database.pool);
});

afterEach(tidyUp);

const never = new AbortController().signal;

const host = (pace: Parameters<typeof hostOn>[2]): Promise<Host> => hostOn({ databases, database }, sourceId, pace);

const lastState = async (): Promise<PaceState | undefined> =>
  (await loggedPaces(database.pool, sourceId)).at(-1)?.state;

/** How the bridge loses a request before the platform has ended its query. */
const LOSSES: readonly [string, (given: { response: ServerResponse; abort: AbortController }) => void][] = [
  ['our time-out', () => undefined],
  ['a cut connection', ({ response }) => void response.destroy()],
  ['an abort by us', ({ abort }) => abort.abort()],
  ['the time-out of a gateway', ({ response }) => void response.writeHead(504).end()],
];

/**
 * Notes for how long the platform may work on each query: three times as long as the bridge waited for it. The times are those
 * of the bridge, so a busy machine changes nothing.
 */
const notingRuns = ({ pacer, now }: Host, runs: Window[]): Pacer => ({
  ...pacer,
  async slot(...asked) {
    const slot = await pacer.slot(...asked);
    const from = now();
    return {
      ...slot,
      release(ending) {
        if (ending === 'abandoned') runs.push({ from, to: from + 3 * (now() - from) });
        return slot.release(ending);
      },
    };
  },
});

describe('a query that the platform works on after', () => {
  it.each(LOSSES)('%s counts until it can have ended: never more at a time than agreed', async (how, lose) => {
    const pace = { requestsPerSecond: 1_000, burst: 100, concurrency: 2 };
    const hosts = await Promise.all([host(pace), host(pace)]);
    const aborts = Array.from({ length: 6 }, () => new AbortController());
    const runs: Window[] = [];
    const url = await serve(({ url: path = '' }, response) => {
      const abort = aborts[Number(path.slice(1))] as AbortController;
      setTimeout(() => lose({ response, abort }), 200);
    });
    const headersMs = how === 'our time-out' ? 200 : 60_000;
    const rigs = hosts.map((one) =>
      openRig(url, { limits: { headersMs } }, { pacer: notingRuns(one, runs), now: one.now }),
    );
    const codes = await Promise.all(
      aborts.map(async ({ signal }, number) => {
        const lane = number % 3 === 0 ? 'history' : 'live';
        const http = rigs[number % 2]?.connection.http({ lane, signal: never, meter: newMeter() });
        for (;;) {
          const { fault } = await refusal(Promise.resolve(http?.get(`/${number}`, { signal })));
          // Where the queries before it took long, the pacer leaves the request to the planner, which has it asked again.
          if (fault.code !== 'throttled') return fault.code;
          await sleep(100);
        }
      }),
    );
    expect(new Set(codes)).toEqual(new Set([how === 'an abort by us' ? 'cancelled' : 'unavailable']));
    expect(runs).toHaveLength(aborts.length);
    const atATime = runs.map(({ from: at }) => runs.filter(({ from, to }) => from <= at && at < to).length);
    expect(Math.max(...atATime)).toBe(pace.concurrency);
  });

  it('its worker has left counts on', async () => {
    const pace = { requestsPerSecond: 1_000, burst: 100, concurrency: 1 };
    const [left, other] = await Promise.all([host(pace), host(pace)]);
    const slot = await left.pacer.slot('live', never);
    const [lease] = (await lastState())?.leases ?? [];
    await sleep(100);
    await slot.release('abandoned');
    await database.run('delete from worker where id = $1', [left.workerId]);
    const [kept] = (await lastState())?.leases ?? [];
    expect(kept).toMatchObject({ id: lease?.id, abandoned: true });
    await (await other.pacer.slot('live', never)).release();
    expect(other.now()).toBeGreaterThanOrEqual(kept?.until ?? Infinity);
    expect((await lastState())?.leases).toEqual([]);
  });

  it('keeps every place for long is not waited for in a worker, and is told', async () => {
    const pace = { requestsPerSecond: 1_000, burst: 100, concurrency: 1 };
    const { pacer, now } = await host(pace);
    await pacer.slot('live', never);
    const leases = [{ id: `${randomUUID()}/gone`, lane: 'live', until: now() + MINUTE, abandoned: true }];
    await database.run('update pace set version = version + 1, leases = $1', [JSON.stringify(leases)]);
    const other = await host(pace);
    await expect(other.pacer.slot('live', never)).rejects.toMatchObject({
      code: 'throttled',
      fault: { own: true },
      message: expect.stringContaining('may still work on requests that got no answer') as string,
    });
  });
});

describe('a window of several requests', () => {
  const slow = { requestsPerSecond: 0.09, burst: 1, concurrency: 1 };

  it('that has begun waits for its further slots, and is stored, although they are far apart', async () => {
    const { pacer, now, workerId } = await host(slow);
    const [row] = await database.rows<{ edition: string }>('update source set discovered_at = now() returning edition');
    const stored = { sourceId, projectId: 1, edition: row?.edition ?? '' };
    await storeStream(database, stored);
    let asked = 0;
    const url = await serve((_request, response) => json(response, (asked += 1)));
    const start = Math.floor(now() / SECOND) * SECOND - MINUTE;
    const policy = { start, settle: 0, align: MINUTE, overlap: 0, maxWindow: HOUR };
    const source = openSourceOf(stored, { policy, read: () => [] });
    const { connection } = openRig(url, {}, { pacer, now });
    const platform = {
      ...source.platform,
      async *read(http: Http, _options: unknown, _selection: unknown, { from }: Window) {
        for (const page of [0, 1]) {
          await http.get('/');
          yield { sensor: 'pump', variable: 'flow', at: [from + page], values: [page] };
        }
      },
    };
    const bridge = bridgeOf(database, { source: { ...source, platform, connection }, now, workerId });
    await poll(bridge, sourceId, never);
    expect(asked).toBe(2);
    expect(await readingsIn(database)).toHaveLength(2);
    expect(await database.row('select last_fault, held_until from source')).toEqual({
      last_fault: null,
      held_until: null,
    });
  });

  it('that waits an hour for a slot ends when the source is paused', async () => {
    // The clock stands still, so the hour never ends: only a look at the pause does.
    const at = Date.now() * 1000;
    const { pacer } = await hostOn(
      { databases, database },
      sourceId,
      { ...slow, requestsPerSecond: 1 / 3_600 },
      () => at,
    );
    await (await pacer.slot('live', never)).release();
    const waiting = pacer.slot('live', never, { begun: true }).catch((error: unknown) => error);
    await changeSource(database, 'pause', { name: 'source' }, 'test');
    expect(await waiting).toMatchObject({ code: 'cancelled' });
  }, 60_000);

  it('that has not begun is left to the planner', async () => {
    const { pacer } = await host({ ...slow, requestsPerSecond: 0.01 });
    await (await pacer.slot('live', never)).release();
    await expect(pacer.slot('live', never)).rejects.toMatchObject({ code: 'throttled', fault: { own: true } });
  });
});
