import { readFileSync } from 'node:fs';
import { Cluster, Redis } from 'ioredis';
import { redisServers, withFiles } from '../core/server-address.ts';

/** Settings of every connection, of each server of it. */
interface ConnectionOptions {
  readonly maxRetriesPerRequest: number | null;
  readonly enableOfflineQueue?: boolean;
  readonly lazyConnect?: boolean;
  readonly connectTimeout?: number;
  readonly commandTimeout?: number;
}

/**
 * A connection to the Redis of an address: a server, a cluster, or the master that sentinels name. Throws the error of a file of
 * the address that cannot be read.
 */
export function connectRedis(
  url: string,
  options: ConnectionOptions,
  retryStrategy: (attempt: number) => number | null,
): Redis | Cluster {
  const { kind, addresses, master, ca } = redisServers(url) ?? {
    kind: 'one',
    addresses: [url],
    master: '',
    ca: undefined,
  };
  const [first = '', ...others] = addresses.map((address) => withFiles(address, (path) => readFileSync(path, 'utf8')));
  const tls = ca === undefined ? {} : { tls: { ca: readFileSync(ca, 'utf8') } };
  if (kind === 'one') return new Redis(first, { ...options, ...tls, retryStrategy });
  if (kind === 'cluster') {
    const { lazyConnect = false, enableOfflineQueue = true, ...ofEach } = options;
    return new Cluster([first, ...others], {
      clusterRetryStrategy: retryStrategy,
      enableOfflineQueue,
      lazyConnect,
      redisOptions: { ...ofEach, ...tls },
    });
  }
  const { username, password, pathname, protocol } = new URL(first);
  const secure = protocol === 'rediss:';
  return new Redis({
    ...options,
    name: master,
    sentinels: [first, ...others].map((address) => hostAndPort(new URL(address))),
    // The same user at the sentinels and at the servers that they watch.
    ...(username && { username: decodeURIComponent(username), sentinelUsername: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password), sentinelPassword: decodeURIComponent(password) }),
    ...(pathname.length > 1 && { db: Number(pathname.slice(1)) }),
    ...(secure && { tls: {}, ...tls, enableTLSForSentinelMode: true, sentinelTLS: tls.tls ?? {} }),
    retryStrategy,
    sentinelRetryStrategy: retryStrategy,
  });
}

/** Where sentinels listen by themselves. */
const SENTINEL_PORT = 26_379;

const hostAndPort = ({ hostname, port }: URL): { host: string; port: number } => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: port === '' ? SENTINEL_PORT : Number(port),
});
