import { connectRedis } from './redis-connection.ts';

/** Facts that a Redis reports. `evicts`: it deletes data when its memory runs out. */
export interface RedisFacts {
  readonly version: string;
  readonly evicts: boolean;
}

const TIMEOUT_MS = 5_000;

/** Asks the Redis of the queue, in a cluster one of its nodes. Throws the driver's error where it does not answer. */
export async function askRedis(redisUrl: string): Promise<RedisFacts> {
  const redis = connectRedis(
    redisUrl,
    { lazyConnect: true, connectTimeout: TIMEOUT_MS, commandTimeout: TIMEOUT_MS, maxRetriesPerRequest: 0 },
    () => null,
  );
  let cause: Error | undefined;
  redis.on('error', (error: Error) => (cause = error));
  try {
    await redis.connect();
    const [server, memory] = [await redis.info('server'), await redis.info('memory')];
    const policy = fieldOf(memory, 'maxmemory_policy');
    return {
      version: fieldOf(server, 'redis_version'),
      evicts: fieldOf(memory, 'maxmemory') !== '0' && policy !== 'noeviction',
    };
  } catch (error) {
    throw cause ?? error;
  } finally {
    redis.disconnect();
  }
}

const fieldOf = (text: string, name: string): string => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(text)?.[1] ?? '';
