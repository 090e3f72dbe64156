import { Redis } from 'ioredis';

/** What a Redis says about itself; `evicts` where it throws data away when memory runs out. */
export interface RedisFacts {
  readonly version: string;
  readonly evicts: boolean;
}

const PATIENCE_MS = 5_000;

/** Asks the Redis of the queue, the first node of a cluster; throws in a driver's words where it does not answer. */
export async function askRedis(redisUrl: string): Promise<RedisFacts> {
  const redis = new Redis(redisUrl.split(',')[0] ?? '', {
    lazyConnect: true,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
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
