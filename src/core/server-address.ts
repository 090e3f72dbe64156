/** A secret in an address that stands in a file: `${file:/run/secrets/password}`. */
const FILE = /\$\{file:(\/[^}\0]*)\}/g;

/**
 * An address with each `${file:/path}` in it replaced by what `read` answers for the path, encoded for an address. A line break at the
 * end of a file is not part of it. Errors of `read` go through.
 */
export const withFiles = (address: string, read: (path: string) => string): string =>
  address.replaceAll(FILE, (_, path: string) => encodeURIComponent(read(path).replace(/\r?\n$/, '')));

/** An address that may name several servers: `scheme://user:password@host:port,host:port/rest`. */
const SERVERS = /^([a-z+]+:\/\/(?:(?:\$\{file:\/[^}\0]*\}|[^/?#@])*@)?)([^/?#@]+)(.*)$/s;

/** The servers of a database. */
export interface ServerAddresses {
  /** One address for each server, in the order of the text. */
  readonly addresses: readonly string[];
  /** Whether only the server that takes writes is wanted: so it is where several are named, and where the address says so. */
  readonly primary: boolean;
}

/** What `target_session_attrs` may say, because the bridge writes. */
const WRITING: ReadonlySet<string> = new Set(['read-write', 'primary']);

/**
 * Reads the address of a database, as libpq writes one with several hosts. Undefined where it asks for another kind of server than
 * one that takes writes, or leaves out one of the hosts.
 */
export function databaseServers(text: string): ServerAddresses | undefined {
  const attribute = /([?&])target_session_attrs=([^&#]*)&?/.exec(text);
  if (attribute !== null && !WRITING.has(attribute[2] ?? '')) return undefined;
  const plain = attribute === null ? text : text.replace(attribute[0], attribute[1] ?? '').replace(/[?&]$/, '');
  const [, before = '', hosts = '', rest = ''] = SERVERS.exec(plain) ?? [];
  if (!hosts.includes(',')) return { addresses: [plain], primary: attribute !== null };
  const names = hosts.split(',');
  if (names.includes('')) return undefined;
  return { addresses: names.map((name) => `${before}${name}${rest}`), primary: true };
}

/** The Redis of the queue. */
export interface RedisAddress {
  readonly kind: 'one' | 'cluster' | 'sentinel';
  /** `redis://` or `rediss://` with one host each: the server, nodes of the cluster, or the sentinels. */
  readonly addresses: readonly string[];
  /** Of sentinels: the name of the master that they watch; else empty. */
  readonly master: string;
  /** The file of certificates to trust beside the public ones. */
  readonly ca: string | undefined;
}

/** An address, or the path of a socket. */
const REDIS = /^(?:rediss?:\/)?\//;

/**
 * Reads the address of a Redis: one server, the nodes of a cluster (`redis://a:6379,redis://b:6379`), or sentinels with the name of
 * their master (`redis+sentinel://:password@a:26379,b:26379/master`). `sslrootcert=/path` names a CA. Undefined where it is none.
 */
export function redisServers(text: string): RedisAddress | undefined {
  const certificate = /[?&]sslrootcert=([^&#,]*)/.exec(text);
  const ca = certificate === null ? undefined : decodeURIComponent(certificate[1] ?? '');
  const plain = text.replaceAll(/([?&])sslrootcert=[^&#,]*&?/g, '$1').replaceAll(/[?&](?=,|$)/g, '');
  const sentinel = /^redis(s?)\+sentinel:\/\//.exec(plain);
  if (sentinel !== null) {
    const [, before = '', hosts = '', rest = ''] = SERVERS.exec(plain) ?? [];
    const [, master = '', database = ''] = /^\/([^/?#]+)(\/\d+)?$/.exec(rest) ?? [];
    const names = hosts.split(',');
    if (master === '' || names.includes('')) return undefined;
    const scheme = before.replace('+sentinel', '');
    return { kind: 'sentinel', addresses: names.map((name) => `${scheme}${name}${database}`), master, ca };
  }
  const addresses = plain.split(',');
  if (!addresses.every((address) => REDIS.test(address))) return undefined;
  return { kind: addresses.length > 1 ? 'cluster' : 'one', addresses, master: '', ca };
}
