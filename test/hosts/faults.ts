import { randomBytes, randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { printLine } from '../../src/terminal/output.ts';
import { eventually } from '../chaos/eventually.ts';
import { writeLive, writePast } from '../chaos/live-writer.ts';
import { differenceOf, expectComplete, isLive, isoOf, stateOf } from '../chaos/site.ts';
import { makeBridge } from '../kit/bridge.ts';
import { startHttpFault } from '../kit/http-fault.ts';
import { startInflux } from '../kit/influx.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { startProcess } from '../kit/process.ts';
import type { RunningProcess } from '../kit/process.ts';
import { joinCluster, startRedis } from '../kit/redis.ts';
import type { Redis } from '../kit/redis.ts';
import { setup as makeRunDirectory } from '../kit/run-directory.ts';
import { mostInAnySecond } from '../kit/sliding-second.ts';
import { startPair } from '../kit/standby.ts';
import { networkOf } from './network.ts';
import { openBalancer, startPushing } from './pushes.ts';
import { flush, killMaster } from './redis-cluster.ts';
import { isExact, pace, tableOf } from './report.ts';
import type { Row } from './report.ts';

/** The plant, the Redis Cluster and this script; two databases; three workers; two APIs. */
export const HOSTS = ['plant', 'db1', 'db2', 'w1', 'w2', 'w3', 'a1', 'a2'] as const;

const WORKERS = ['w1', 'w2', 'w3'] as const;
const APIS = ['a1', 'a2'] as const;
const PAST_US = 600_000_000;
const PAST_STEP_US = 10_000_000;
/** Later points may still be on their way into a window. */
const SETTLED_US = 20_000_000;

/** Each host has its own. */
const API_PORT = 8080;

/** Longer than the silence that frees claims (12 s) and than a job's lock in the queue (20 s). */
const AWAY_MS = 30_000;
const LOST_PERCENT = 5;
const LOSING = ['w1', 'w2', 'w3', 'a1', 'a2', 'db1'] as const;

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

interface Fault {
  readonly name: string;
  /** Resolves when the fault is there; the bridge has to be live again from then on. */
  readonly strike: () => Promise<unknown>;
  /** Brings back what comes back. */
  readonly mend?: () => Promise<unknown>;
  /** It can happen again and again. */
  readonly again?: true;
}

/**
 * Plays the faults whose names hold one of the words, or all, then those that can happen again at random for so many minutes, and prints
 * their table. @returns whether everything was exact, polite and live again in time
 */
export async function playFaults(prefix: string, words: readonly string[], minutes: number): Promise<boolean> {
  const removeRunDirectory = await makeRunDirectory();
  try {
    return await play(prefix, words, minutes);
  } finally {
    assertNothingLeaked();
    await removeRunDirectory();
  }
}

async function play(prefix: string, words: readonly string[], minutes: number): Promise<boolean> {
  await using stack = new AsyncDisposableStack();
  const network = networkOf(prefix, HOSTS);
  const here = network.addressOf('plant');
  const host = (name: string) => ({ address: network.addressOf(name), enter: network.enter(name) });

  const influx = await startInflux();
  stack.defer(() => influx.stop());
  const recorder = await startHttpFault(influx.url);
  stack.defer(() => recorder.close());
  const door = await openBalancer(here, [{ host: '127.0.0.1', port: Number(new URL(recorder.url).port) }]);
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

  const running = new Map<string, RunningProcess>();
  const start = async (name: string): Promise<void> => {
    const [command = '', ...args] = network.enter(name);
    const isApi = APIS.some((api) => api === name);
    const started = await startProcess({
      name: `${isApi ? 'API' : 'worker'} on ${name}`,
      command,
      args: [...args, process.execPath, main, isApi ? 'api' : 'worker'],
      env: {
        ...process.env,
        ...env,
        DATABRIDGE_HOME: bridge.home,
        DATABRIDGE_OPERATOR: 'off',
        ...(isApi && {
          DATABRIDGE_API_HOST: network.addressOf(name),
          DATABRIDGE_API_PORT: String(API_PORT),
          DATABRIDGE_API_ALLOW_PLAIN: 'true',
        }),
      },
      ready: (one) => one.output().includes(isApi ? 'the API is up' : 'databridge is up'),
    });
    running.set(name, started);
  };
  stack.defer(async () => {
    for (const one of running.values()) await one.stop(60_000);
  });
  for (const name of [...WORKERS, ...APIS]) await start(name);

  await bridge.succeed('project', 'create', 'yard');
  const gateway = JSON.parse(await bridge.succeed('application', 'create', 'gateway', '--json')) as {
    readonly applicationId: string;
    readonly secret: string;
  };
  const services = APIS.map((name) => ({ host: network.addressOf(name), port: API_PORT }));
  const balancer = await openBalancer(here, services);
  stack.defer(() => balancer.close());
  const pusher = startPushing(balancer.url, gateway);
  stack.defer(() => pusher.stop());

  // The standby can be read before and after its promotion.
  const { standby: client } = pair;
  const site = { influx, startUs };

  const faults: readonly Fault[] = [
    { name: 'none', strike: () => sleep(1_000) },
    {
      name: 'a worker host vanishes',
      strike: async () => network.cut('w1'),
      mend: async () => {
        await running.get('w1')?.kill9();
        network.join('w1');
        await start('w1');
      },
      again: true,
    },
    {
      name: `the host of an API vanishes for ${AWAY_MS / 1000} s`,
      strike: async () => {
        network.cut('a1');
        const before = pusher.acknowledged();
        await eventually('pushes are taken', () => Promise.resolve(pusher.acknowledged() > before));
      },
      mend: async () => {
        await sleep(AWAY_MS);
        network.join('a1');
      },
      again: true,
    },
    {
      name: `${LOST_PERCENT} of 100 packets of workers, APIs and the database are lost for ${AWAY_MS / 1000} s`,
      strike: async () => {
        for (const name of LOSING) network.lose(name, LOST_PERCENT);
      },
      mend: async () => {
        await sleep(AWAY_MS);
        for (const name of LOSING) network.keep(name);
      },
      again: true,
    },
    {
      name: `a worker host is cut off for ${AWAY_MS / 1000} s and goes on`,
      strike: async () => network.cut('w2'),
      mend: async () => {
        await sleep(AWAY_MS);
        network.join('w2');
      },
      again: true,
    },
    {
      name: `a worker host is not heard for ${AWAY_MS / 1000} s`,
      strike: async () => network.mute('w3', ['plant', 'db1', 'db2']),
      mend: async () => {
        await sleep(AWAY_MS);
        network.unmute('w3', ['plant', 'db1', 'db2']);
      },
      again: true,
    },
    { name: 'a Redis master dies', strike: () => killMaster(nodes) },
    { name: 'Redis is flushed', strike: () => flush(nodes), again: true },
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
  for (const { name, strike, mend } of inTurn(chosen, minutes)) {
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
    const [row] = (await client.query<{ count: number }>('select count(*)::int as count from reading')).rows;
    const stored = row?.count ?? 0;
    const pushed = pusher.acknowledged();
    const lostPushes = await pusher.lost(client);
    rows.push({
      fault: name,
      liveAgainMs,
      busiestSecond: mostInAnySecond(asked),
      stored,
      difference,
      pushed,
      lostPushes,
    });
    process.stderr.write(`${name}: done\n`);
  }
  printLine(tableOf(rows));
  return rows.every(isExact);
}

/** The faults, then those that can happen again, in an order by chance. */
function* inTurn(faults: readonly Fault[], minutes: number): Generator<Fault> {
  yield* faults;
  const again = faults.filter((fault) => fault.again === true);
  const until = Date.now() + minutes * 60_000;
  while (Date.now() < until && again.length > 0) yield again[randomInt(again.length)] as Fault;
}
