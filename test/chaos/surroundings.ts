import { Cluster } from 'ioredis';
import { startPair } from '../kit/standby.ts';
import type { Pair } from '../kit/standby.ts';
import { startHttpFault } from '../kit/http-fault.ts';
import type { HttpFault } from '../kit/http-fault.ts';
import { startProxy } from '../kit/proxy.ts';
import type { Proxy } from '../kit/proxy.ts';
import { joinCluster, startRedis, startSentinel } from '../kit/redis.ts';
import type { Redis } from '../kit/redis.ts';
import type { RegisteredDatabase, Site } from './site.ts';

/** A Redis of the test's own for the queue; it writes every change to disk. */
export async function withRedis<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = await startRedis({ appendonly: true });
  try {
    return await work(redis);
  } finally {
    await redis.stop();
  }
}

/** A Redis, its replica and a sentinel that watches them; `url` leads to whichever of them is the master. */
export async function withSentinel<T>(work: (watched: { url: string; master: Redis }) => Promise<T>): Promise<T> {
  await using stack = new AsyncDisposableStack();
  const master = await startRedis();
  stack.defer(() => master.stop());
  const replica = await startRedis({ replicaOf: master.port });
  stack.defer(() => replica.stop());
  const sentinel = await startSentinel(master.port);
  stack.defer(() => sentinel.stop());
  return await work({ url: `redis+sentinel://127.0.0.1:${sentinel.port}/plant`, master });
}

/** A cluster of three masters with a replica each; `killMaster` kills the one that holds the keys of the queue. */
export async function withCluster<T>(
  work: (cluster: { url: string; killMaster(): Promise<void> }) => Promise<T>,
): Promise<T> {
  await using stack = new AsyncDisposableStack();
  const nodes: Redis[] = [];
  for (let node = 0; node < 6; node += 1) {
    const started = await startRedis({ cluster: true });
    stack.defer(() => started.stop());
    nodes.push(started);
  }
  await joinCluster(nodes);
  return await work({
    url: nodes.map(({ url }) => url).join(','),
    async killMaster() {
      const client = new Cluster(nodes.map(({ url }) => url));
      const slot = await client.cluster('KEYSLOT', '{databridge}');
      const slots = await client.cluster('SLOTS');
      client.disconnect();
      const held = slots.find(([from, to]) => from <= slot && slot <= to);
      await nodes.find(({ port }) => port === held?.[2]?.[1])?.kill9();
    },
  });
}

/** A primary and its synchronous standby. */
export async function withPair<T>(work: (pair: Pair) => Promise<T>): Promise<T> {
  const pair = await startPair();
  try {
    return await work(pair);
  } finally {
    await pair.stop();
  }
}

/** A database of the site behind a line that can be disturbed; `url` leads through it. */
export async function withLine<T>(
  site: Site,
  work: (line: { database: RegisteredDatabase; proxy: Proxy; url: string }) => Promise<T>,
): Promise<T> {
  const database = await site.database();
  const proxy = await startProxy({ port: database.port });
  const url = new URL(database.url);
  url.port = String(proxy.port);
  try {
    return await work({ database, proxy, url: url.href });
  } finally {
    await proxy.close();
  }
}

/** The InfluxDB of the site behind a recorder of its requests: `recorder.url` leads through a line that can be made slow. */
export async function withWatchedSource<T>(
  site: Site,
  work: (source: { recorder: HttpFault; line: Proxy }) => Promise<T>,
): Promise<T> {
  const line = await startProxy({ port: Number(new URL(site.influx.url).port) });
  const recorder = await startHttpFault(`http://127.0.0.1:${line.port}`);
  try {
    return await work({ recorder, line });
  } finally {
    await recorder.close();
    await line.close();
  }
}
