import { randomBytes } from 'node:crypto';
import { createServer, connect as connectTo } from 'node:net';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis as RedisClient } from 'ioredis';
import type pg from 'pg';
import { printLine, table } from '../../src/terminal/output.ts';
import { eventually } from '../chaos/eventually.ts';
import { writeLive, writePast } from '../chaos/live-writer.ts';
import { differenceOf, expectComplete, isoOf, stateOf } from '../chaos/site.ts';
import { makeBridge } from '../kit/bridge.ts';
import { startHttpFault } from '../kit/http-fault.ts';
import { startInflux } from '../kit/influx.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { startProcess } from '../kit/process.ts';
import type { RunningProcess } from '../kit/process.ts';
import type { Difference } from '../kit/point.ts';
import { joinCluster, startRedis } from '../kit/redis.ts';
import type { Redis } from '../kit/redis.ts';
import { setup as makeRunDirectory } from '../kit/run-directory.ts';
import { mostInAnySecond } from '../kit/sliding-second.ts';
import { startPair } from '../kit/standby.ts';
import { networkOf } from './network.ts';

/** The plant, the Redis Cluster and this script; two databases; three workers. */
export const HOSTS = ['plant', 'db1', 'db2', 'w1', 'w2', 'w3'] as const;

const WORKERS = ['w1', 'w2', 'w3'] as const;
const PAST_US = 600_000_000;
const PAST_STEP_US = 10_000_000;
/** Later points may still be on their way into a window. */
const SETTLED_US = 20_000_000;
const pace = { requestsPerSecond: 6, burst: 6, concurrency: 2 };

/** Longer than the silence that frees claims (12 s) and than a job's lock in the queue (20 s). */
const AWAY_MS = 30_000;
/** Ours: what is asked of the bridge after a fault. */
const LIVE_AGAIN_MS = 30_000;

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

interface Fault {
  readonly name: string;
  /** Resolves when the fault is there; the bridge has to be live again from then on. */
  readonly strike: () => Promise<unknown>;
  /** Brings back what comes back. */
  readonly mend?: () => Promise<unknown>;
}

interface Row {
  readonly fault: string;
  readonly liveAgainMs: number;
  readonly busiestSecond: number;
  /** Readings in the database. */
  readonly stored: number;
  readonly difference: Difference;
}

/** Plays the faults whose names hold one of the words, or all, and prints their table. @returns whether everything was exact, polite and live again in time */
export async function playFaults(prefix: string, words: readonly string[]): Promise<boolean> {
  const removeRunDirectory = await makeRunDirectory();
  try {
    return await play(prefix, words);
  } finally {
    assertNothingLeaked();
    await removeRunDirectory();
  }
}

async function play(prefix: string, words: readonly string[]): Promise<boolean> {
  await using stack = new AsyncDisposableStack();
  const network = networkOf(prefix, HOSTS);
  const here = network.addressOf('plant');
  const host = (name: string) => ({ address: network.addressOf(name), enter: network.enter(name) });

  const influx = await startInflux();
  stack.defer(() => influx.stop());
  const recorder = await startHttpFault(influx.url);
  stack.defer(() => recorder.close());
  const door = await openDoor(here, Number(new URL(recorder.url).port));
  stack.defer(() => door.close());
  const startUs = Math.floor((Date.now() * 1000 - PAST_US) / 1_000_000) * 1_000_000;
  await writePast(influx, startUs, Date.now() * 1000, PAST_STEP_US);
  const writer = writeLive(influx);
  stack.defer(() => writer.stop());

  const nodes: Redis[] = [];
  for (let node = 0; node < 6; node += 1) {
    const started = await startRedis({ cluster: true, host: here });
    stack.defer(() => started.stop());
    nodes.push(started);
  }
  await joinCluster(nodes);
  const pair = await startPair([host('db1'), host('db2')]);
  stack.defer(() => pair.stop());

  const env = {
    DATABASE_URL: pair.url,
    REDIS_URL: nodes.map(({ url }) => url).join(','),
    DATABRIDGE_KEY: randomBytes(32).toString('base64'),
  };
  const bridge = await makeBridge(env);
  stack.defer(() => bridge.remove());
  await bridge.succeed('project', 'create', 'hall');
  await bridge.apply({
    name: 'hall',
    project: 'hall',
    kind: 'user-credentials',
    platform: 'influxdb',
    connection: { url: door.url, username: influx.reader.username, password: influx.reader.password },
    options: { database: 'plant' },
    schedule: { every: '1s', settle: '2s', overlap: '10s', maxWindow: '40s', start: isoOf(startUs) },
    pace,
  });

  const workers = new Map<string, RunningProcess>();
  const start = async (name: string): Promise<void> => {
    const [command = '', ...args] = network.enter(name);
    const started = await startProcess({
      name: `worker on ${name}`,
      command,
      args: [...args, process.execPath, main, 'worker'],
      env: {
        ...process.env,
        ...env,
        DATABRIDGE_HOME: bridge.home,
        DATABRIDGE_OPERATOR: 'off',
        DATABRIDGE_API_PORT: '0',
      },
      ready: (running) => running.output().includes('databridge is up'),
    });
    workers.set(name, started);
  };
  stack.defer(async () => {
    for (const worker of workers.values()) await worker.stop(60_000);
  });
  for (const name of WORKERS) await start(name);

  // The standby can be read before and after its promotion.
  const { standby: client } = pair;
  const site = { influx, startUs };

  const faults: readonly Fault[] = [
    { name: 'none', strike: () => sleep(1_000) },
    {
      name: 'a worker host vanishes',
      strike: async () => network.cut('w1'),
      mend: async () => {
        await workers.get('w1')?.kill9();
        network.join('w1');
        await start('w1');
      },
    },
    {
      name: `a worker host is cut off for ${AWAY_MS / 1000} s and goes on`,
      strike: async () => network.cut('w2'),
      mend: async () => {
        await sleep(AWAY_MS);
        network.join('w2');
      },
    },
    {
      name: `a worker host is not heard for ${AWAY_MS / 1000} s`,
      strike: async () => network.mute('w3', ['plant', 'db1', 'db2']),
      mend: async () => {
        await sleep(AWAY_MS);
        network.unmute('w3', ['plant', 'db1', 'db2']);
      },
    },
    { name: 'a Redis master dies', strike: () => killMaster(nodes) },
    { name: 'Redis is flushed', strike: () => flush(nodes) },
    {
      name: 'the host of the primary vanishes, the standby is promoted',
      strike: async () => {
        network.cut('db1');
        await pair.promote();
      },
      mend: async () => {
        // It comes back as it was, answers, and acknowledges no write; then it is fenced.
        network.join('db1');
        await sleep(10_000);
        await pair.killPrimary();
      },
    },
  ];

  const rows: Row[] = [];
  await expectComplete(site, client);
  const chosen = faults.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  for (const { name, strike, mend } of chosen) {
    const from = recorder.requests.length;
    await strike();
    const struckUs = Date.now() * 1000;
    const begun = performance.now();
    await eventually(`live after: ${name}`, () => isLive(client, struckUs), { state: () => stateOf(client) });
    const liveAgainMs = performance.now() - begun;
    await mend?.();
    await expectComplete(site, client);
    const asked = recorder.requests.slice(from).map(({ at }) => at);
    const settledUs = Date.now() * 1000 - SETTLED_US;
    const difference = await differenceOf(site, client, { fromUs: startUs, toUs: settledUs });
    const stored =
      (await client.query<{ count: number }>('select count(*)::int as count from reading')).rows[0]?.count ?? 0;
    rows.push({ fault: name, liveAgainMs, busiestSecond: mostInAnySecond(asked), stored, difference });
    process.stderr.write(`${name}: done\n`);
  }
  printLine(
    table(
      ['fault', 'live again', 'stored', 'lost', 'doubled', 'wrong', 'busiest second'],
      rows.map((row) => [
        row.fault,
        `${(row.liveAgainMs / 1000).toFixed(1)} s`,
        row.stored,
        row.difference.missing,
        row.difference.repeated,
        row.difference.changed + row.difference.unexpected,
        row.busiestSecond,
      ]),
    ),
  );
  return rows.every(
    ({ liveAgainMs, busiestSecond, difference: { missing, repeated, changed, unexpected } }) =>
      liveAgainMs <= LIVE_AGAIN_MS &&
      busiestSecond <= pace.requestsPerSecond + pace.burst &&
      missing + repeated + changed + unexpected === 0,
  );
}

/** Whether every stream is covered up to an instant after the fault. */
async function isLive(client: pg.Client, afterUs: number): Promise<boolean> {
  const { rows } = await client.query<{ live: boolean }>(
    'select coalesce(bool_and(upper(covered) > at_instant($1)), false) as live from stream where retired_at is null',
    [afterUs],
  );
  return rows[0]?.live === true;
}

async function killMaster(nodes: readonly Redis[]): Promise<void> {
  const client = new RedisClient(nodes[0]?.url ?? '');
  const slot = await client.cluster('KEYSLOT', '{databridge}');
  const slots = await client.cluster('SLOTS');
  client.disconnect();
  const held = slots.find(([from, to]) => from <= slot && slot <= to);
  await nodes.find(({ port }) => port === held?.[2]?.[1])?.kill9();
}

async function flush(nodes: readonly Redis[]): Promise<void> {
  for (const { url } of nodes) {
    const client = new RedisClient(url, { retryStrategy: () => null, lazyConnect: true });
    client.on('error', () => undefined);
    // A replica refuses, and one node is dead.
    await client
      .connect()
      .then(() => client.flushall())
      .catch(() => undefined);
    client.disconnect();
  }
}

/** Passes connections to a port of loopback on, from an address of this host. */
async function openDoor(address: string, port: number): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((outer) => {
    const inner = connectTo({ host: '127.0.0.1', port });
    outer.pipe(inner).pipe(outer);
    outer.on('error', () => inner.destroy());
    inner.on('error', () => outer.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
