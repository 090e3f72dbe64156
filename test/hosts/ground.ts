import { randomBytes } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { writeLive, writePast } from '../chaos/live-writer.ts';
import { isoOf } from '../chaos/site.ts';
import type { Site } from '../chaos/site.ts';
import { makeBridge } from '../kit/bridge.ts';
import { startHttpFault } from '../kit/http-fault.ts';
import type { HttpFault } from '../kit/http-fault.ts';
import { startInflux } from '../kit/influx.ts';
import { isInstalled } from '../kit/installed.ts';
import { openTree } from '../kit/other-tree.ts';
import { OTHER_CLOCK, forgetOtherClock, setClock } from '../kit/other-clock.ts';
import { startProcess } from '../kit/process.ts';
import type { RunningProcess } from '../kit/process.ts';
import { joinCluster, startRedis } from '../kit/redis.ts';
import type { Redis } from '../kit/redis.ts';
import { startPair } from '../kit/standby.ts';
import type { Pair } from '../kit/standby.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { networkOf } from './network.ts';
import type { Network } from './network.ts';
import { openBalancer, startPushing } from './pushes.ts';
import type { Pusher } from './pushes.ts';
import { pace } from './report.ts';

/** The plant, the Redis Cluster and this script; two databases; three workers; two APIs. */
export const HOSTS = ['plant', 'db1', 'db2', 'w1', 'w2', 'w3', 'a1', 'a2'] as const;

export const WORKERS = ['w1', 'w2', 'w3'] as const;
export const APIS = ['a1', 'a2'] as const;
export const DATABASES = ['db1', 'db2'] as const;
export type DatabaseHost = (typeof DATABASES)[number];
export type BridgeHost = (typeof WORKERS)[number] | (typeof APIS)[number];

const PAST_US = 600_000_000;
const PAST_STEP_US = 10_000_000;

/** Each host has its own. */
const API_PORT = 8080;

/** This tree. */
const HERE = join(import.meta.dirname, '..', '..');

/** A bridge on its hosts, with what it reads and what pushes to it. */
export interface Ground {
  readonly network: Network;
  readonly site: Pick<Site, 'influx' | 'startUs'>;
  /** What the plant was asked. */
  readonly recorder: HttpFault;
  readonly redis: readonly Redis[];
  readonly pair: Pair;
  /** The database; the standby can be read before and after its promotion. */
  readonly client: pg.Client;
  readonly pusher: Pusher;
  readonly running: ReadonlyMap<BridgeHost, RunningProcess>;
  /**
   * Starts the process of a host in the version of this tree, after that of before has ended. `clock`: as `faketime` has it, such as
   * `+5s`; default: the clock of this machine.
   */
  start(host: BridgeHost, clock?: string): Promise<void>;
  /** Steps the clock of a database's host, where `faketime` is installed. `clock`: as above. */
  setClockOf(host: DatabaseHost, clock: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens the ground in a network that is made. `from`: a commit whose version of the bridge runs on all hosts at first; default: this tree. */
export async function openGround(prefix: string, from: string | undefined): Promise<Ground> {
  await using stack = new AsyncDisposableStack();
  const network = networkOf(prefix, HOSTS);
  const here = network.addressOf('plant');
  const host = (name: string) => ({ address: network.addressOf(name), enter: network.enter(name) });
  const earlier = from === undefined ? undefined : await openTree(from);
  stack.defer(async () => await earlier?.remove());

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

  const redis: Redis[] = [];
  for (let node = 0; node < 6; node += 1) {
    const started = await startRedis({ cluster: true, host: here });
    stack.defer(() => started.stop());
    redis.push(started);
  }
  await joinCluster(redis);
  const clocks = await makeTempDirectory('clocks');
  stack.defer(() => clocks.remove());
  // The servers run as another user, who has to read the files.
  await chmod(clocks.path, 0o755);
  const setClockOf = (name: DatabaseHost, clock: string): Promise<void> => setClock(join(clocks.path, name), clock);
  for (const name of DATABASES) await setClockOf(name, '+0s');
  const server = (name: DatabaseHost) => ({
    ...host(name),
    ...(isInstalled('faketime') && { clock: join(clocks.path, name) }),
  });
  const pair = await startPair([server('db1'), server('db2')]);
  stack.defer(() => pair.stop());

  const env = {
    DATABASE_URL: pair.url,
    REDIS_URL: redis.map(({ url }) => url).join(','),
    DATABRIDGE_KEY: randomBytes(32).toString('base64'),
  };
  const bridge = await makeBridge(env, earlier && mainOf(earlier.directory));
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

  const running = new Map<BridgeHost, RunningProcess>();
  const stop = async (name: BridgeHost): Promise<void> => {
    const present = running.get(name);
    await present?.stop(60_000);
    await forgetOtherClock(present?.pid);
  };
  const start = async (name: BridgeHost, tree: string, clock?: string): Promise<void> => {
    await stop(name);
    const [command = '', ...enter] = network.enter(name);
    const isApi = APIS.some((api) => api === name);
    const program = [process.execPath, mainOf(tree), isApi ? 'api' : 'worker'];
    const started = await startProcess({
      name: `${isApi ? 'API' : 'worker'} on ${name}`,
      command,
      args: [...enter, ...program],
      env: {
        ...process.env,
        ...env,
        ...(clock !== undefined && { ...OTHER_CLOCK, FAKETIME: clock }),
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
    for (const name of running.keys()) await stop(name);
  });
  for (const name of [...WORKERS, ...APIS]) await start(name, earlier?.directory ?? HERE);

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

  const opened = stack.move();
  return {
    network,
    site: { influx, startUs },
    recorder,
    redis,
    pair,
    client: pair.standby,
    pusher,
    running,
    setClockOf,
    start: (name, clock) => start(name, HERE, clock),
    close: () => opened.disposeAsync(),
  };
}

const mainOf = (tree: string): string => join(tree, 'src', 'main.ts');
