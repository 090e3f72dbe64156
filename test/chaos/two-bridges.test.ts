import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeBridge } from '../kit/bridge.ts';
import type { BridgeUnderTest } from '../kit/bridge.ts';
import { freePort } from '../kit/free-port.ts';
import { useDatabases } from '../kit/databases.ts';
import type { RunningProcess } from '../kit/process.ts';
import { eventually } from './eventually.ts';
import { lineOf } from './live-writer.ts';
import { bridgeOn, expectComplete, isoOf, openSite, schedule, stateOf } from './site.ts';
import type { Site } from './site.ts';

/**
 * One bridge pulls from a real InfluxDB and pushes to another one. Processes of both are killed at random. In the end both
 * databases hold the same readings, and those are the readings of InfluxDB.
 */

const KILLING_MS = 25_000;
const MOST_BETWEEN_MS = 4_000;
const MOST_AWAY_MS = 3_000;
const LONG_AWAY_MS = 8_000;
/** Shorter than the overlap, so the live lane finds every correction. */
const REVISED_AFTER_US = 5_000_000;

const databases = useDatabases({ concurrent: true });
let site: Site;

beforeAll(async () => {
  site = await openSite(databases);
});

afterAll(() => site.close());

describe('two bridges', () => {
  test('hold the same readings in the end, although processes of both are killed', async () => {
    const port = await freePort();
    const there = await makeBridge({
      DATABRIDGE_API_PORT: String(port),
      DATABRIDGE_TOKEN_MIN_SECONDS: '2',
      DATABRIDGE_TOKEN_MAX_SECONDS: '4',
    });
    const application = await register(there);
    const database = await site.database();
    const here = await bridgeOn(site, {
      DATABASE_URL: database.url,
      DATABRIDGE_APPLICATION_SECRET: application.secret,
    });
    const remote = { process: await there.up() };
    const workers: RunningProcess[] = [];
    const revising = reviseLive(site);
    try {
      const url = `http://127.0.0.1:${port}`;
      await here.succeed('ingestion', 'push', 'hall', '--url', url, '--application', application.applicationId);
      await here.apply(site.source({ schedule: { ...schedule, maxWindow: '20s', start: isoOf(site.startUs) }, pace }));
      workers.push(await here.up('worker'), await here.up('worker'));

      await remote.process.kill9();
      await sleep(LONG_AWAY_MS);
      await eventually('readings wait in the outbox', async () => (await waitingIn(database.client)) > 0);
      remote.process = await there.up();

      const struck = await strikeAtRandom({ here, there, workers, remote, signal: AbortSignal.timeout(KILLING_MS) });
      expect(Math.min(...Object.values(struck))).toBeGreaterThan(0);
      await revising.stop();

      const toUs = Date.now() * 1000;
      await expectComplete(site, database.client);
      await expectSame(database.client, there, toUs);
      for (const worker of workers.filter((one) => one.running())) expect((await worker.stop(60_000)).code).toBe(0);
      expect((await remote.process.stop(60_000)).code).toBe(0);
    } catch (error) {
      const said = [...workers, remote.process].map((one) => `${one.name} ${one.pid}:\n${one.output()}`).join('\n');
      throw new Error(`${String(error)}\n${await stateOf(database.client)}\n${said}`, { cause: error });
    } finally {
      await revising.stop();
      await here.remove();
      await there.remove();
      await database.close();
    }
  });
});

const pace = { requestsPerSecond: 8, burst: 8, concurrency: 3 };

async function register(there: BridgeUnderTest): Promise<{ applicationId: string; secret: string }> {
  await there.succeed('project', 'create', 'hall');
  return JSON.parse(await there.succeed('application', 'create', 'edge', '--json')) as Awaited<
    ReturnType<typeof register>
  >;
}

/** Corrects readings a few seconds after they were written, so that old and new values are on their way at the same time. */
function reviseLive({ influx }: Site): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const revising = (async () => {
    for (let round = 0; !stopping.signal.aborted; round += 1) {
      const at = Math.floor(Date.now() / 1000) * 1_000_000 - REVISED_AFTER_US + (round % 5) * 1_000_000;
      const line = lineOf(0, at).replace(/flow=\S+/, `flow=${1_000 + round}`);
      await influx.write([line], 'plant', 'u');
      await sleep(200, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  revising.catch(() => undefined);
  return {
    async stop() {
      stopping.abort();
      await revising;
    },
  };
}

interface Battlefield {
  readonly here: BridgeUnderTest;
  readonly there: BridgeUnderTest;
  readonly workers: RunningProcess[];
  readonly remote: { process: RunningProcess };
  readonly signal: AbortSignal;
}

/** Kills a worker, the other bridge or that one's database, and starts it again, until `signal`. @returns how often each was struck */
async function strikeAtRandom({ here, there, workers, remote, signal }: Battlefield): Promise<Record<string, number>> {
  const blows: Record<string, () => Promise<void>> = {
    async worker() {
      const victim = workers.findIndex((one) => one.running());
      await workers[victim]?.kill9();
      await sleep(Math.random() * MOST_AWAY_MS);
      workers.push(await here.up('worker'));
    },
    async remote() {
      await remote.process.kill9();
      await sleep(Math.random() * MOST_AWAY_MS);
      remote.process = await there.up();
    },
    async database() {
      const pidFile = await readFile(join(there.home, 'postgres/data/postmaster.pid'), 'utf8').catch(() => undefined);
      if (pidFile !== undefined) process.kill(Number(pidFile.split('\n')[0]), 'SIGKILL');
      await sleep(Math.random() * MOST_AWAY_MS);
    },
  };
  const struck = Object.fromEntries(Object.keys(blows).map((name) => [name, 0]));
  while (!signal.aborted || Math.min(...Object.values(struck)) === 0) {
    await sleep(500 + Math.random() * MOST_BETWEEN_MS);
    // The one that was struck least often is next, so each of them is struck.
    const least = Math.min(...Object.values(struck));
    const candidates = Object.keys(blows).filter((name) => struck[name] === least);
    const name = candidates[Math.floor(Math.random() * candidates.length)] ?? 'remote';
    await blows[name]?.();
    struck[name] = (struck[name] ?? 0) + 1;
  }
  return struck;
}

async function waitingIn(client: Client): Promise<number> {
  const { rows } = await client.query<{ waiting: string }>('select coalesce(sum(readings), 0) as waiting from outbox');
  return Number(rows[0]?.waiting);
}

/** Waits until both hold the same readings before `toUs`, with precision and labels. */
async function expectSame(client: Client, there: BridgeUnderTest, toUs: number): Promise<void> {
  const { client: other, close } = await there.database();
  try {
    let different = '';
    await eventually(
      'both databases hold the same readings',
      async () => {
        const [held, received] = [await rowsOf(client, toUs), await rowsOf(other, toUs)];
        expect(held.size).toBeGreaterThan(1_000);
        different = differenceOf(held, received);
        return different === '';
      },
      { state: () => different },
    );
    await expectRenewed(other);
  } finally {
    await close();
  }
}

/**
 * While nothing is killed, workers renew with refresh tokens. A token is created anew, in a family of its own, only where a kill
 * lost the answer with the refresh token: the next token after the last kill may be such a one.
 */
async function expectRenewed(there: Client): Promise<void> {
  const issued = async (): Promise<{ families: number; tokens: number }> => {
    const { rows } = await there.query<{ families: string; tokens: string }>(
      'select count(distinct family_id) as families, count(*) as tokens from refresh_token',
    );
    return { families: Number(rows[0]?.families), tokens: Number(rows[0]?.tokens) };
  };
  const more = async (tokens: number): Promise<{ families: number; tokens: number }> => {
    const before = await issued();
    await eventually(`${tokens} more tokens`, async () => (await issued()).tokens >= before.tokens + tokens, {
      state: async () => JSON.stringify(await issued()),
    });
    return await issued();
  };
  const { families } = await more(1);
  expect((await more(4)).families).toBe(families);
}

async function rowsOf(client: Client, toUs: number): Promise<Set<string>> {
  const { rows } = await client.query<{ row: string }>(
    `select concat_ws(' ', sensor_id, value_name, instant_of(at), value, precision, label_set.labels) as row
     from reading join series on series.id = series left join label_set on label_set.id = reading.labels where at < at_instant($1)`,
    [toUs],
  );
  expect(new Set(rows.map(({ row }) => row)).size).toBe(rows.length);
  return new Set(rows.map(({ row }) => row));
}

function differenceOf(held: ReadonlySet<string>, received: ReadonlySet<string>): string {
  const missing = [...held].filter((row) => !received.has(row));
  const unexpected = [...received].filter((row) => !held.has(row));
  if (missing.length + unexpected.length === 0) return '';
  return `${missing.length} missing: ${missing.slice(0, 5).join('; ')}\n${unexpected.length} unexpected: ${unexpected.slice(0, 5).join('; ')}`;
}
