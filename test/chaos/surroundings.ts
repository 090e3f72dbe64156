import { startHttpFault } from '../kit/http-fault.ts';
import type { HttpFault } from '../kit/http-fault.ts';
import { startProxy } from '../kit/proxy.ts';
import type { Proxy } from '../kit/proxy.ts';
import { startRedis } from '../kit/redis.ts';
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
