import { Redis as RedisClient } from 'ioredis';
import type { Redis } from '../kit/redis.ts';

/** Kills the master that has the keys of the queue. */
export async function killMaster(nodes: readonly Redis[]): Promise<void> {
  const client = new RedisClient(nodes[0]?.url ?? '');
  const slot = await client.cluster('KEYSLOT', '{databridge}');
  const slots = await client.cluster('SLOTS');
  client.disconnect();
  const held = slots.find(([from, to]) => from <= slot && slot <= to);
  await nodes.find(({ port }) => port === held?.[2]?.[1])?.kill9();
}

/** Flushes all nodes that live. */
export async function flush(nodes: readonly Redis[]): Promise<void> {
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
