import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Certificate } from './certificate.ts';
import { freePort } from './free-port.ts';
import { type Server, startServer } from './server.ts';

const run = promisify(execFile);

export interface RedisOptions {
  /** Write every change to disk, so that it outlives `kill9()`. Default false: a restart finds nothing. */
  readonly appendonly?: boolean;
  /** Default: a free one. */
  readonly port?: number;
  /** Where it listens; default 127.0.0.1. */
  readonly host?: string;
  /** The port of the server that it copies. */
  readonly replicaOf?: number;
  /** A node of a cluster, which `joinCluster` makes of several. */
  readonly cluster?: boolean;
  /** Speaks TLS with this certificate, and asks for this password. */
  readonly secure?: Certificate & { readonly password: string };
}

export interface Redis extends Server {
  /** `redis://<host>:<port>` */
  readonly url: string;
  readonly port: number;
  /** Where the nodes of its cluster reach it. */
  readonly busPort: number | undefined;
}

/** Starts `redis-server` on loopback, without password, never evicting. */
export async function startRedis(options: RedisOptions = {}): Promise<Redis> {
  const { host = '127.0.0.1', port = await freePort() } = options;
  // Redis would take its port and 10,000, which may be that of another test, or of an outgoing connection.
  const busPort = options.cluster === true ? await freePort() : undefined;
  const server = await startServer('redis', async (directory) => ({
    name: 'redis-server',
    command: 'redis-server',
    args: Object.entries({
      bind: host,
      // A Redis without a password answers only loopback while this is on.
      'protected-mode': 'no',
      ...(options.secure === undefined ? { port: String(port) } : tlsOn(port, options.secure)),
      ...(busPort !== undefined && {
        'cluster-enabled': 'yes',
        'cluster-port': String(busPort),
        'cluster-node-timeout': '2000',
      }),
      dir: directory,
      save: '',
      appendonly: options.appendonly ? 'yes' : 'no',
      appendfsync: 'always',
      'maxmemory-policy': 'noeviction',
      // A replica copies at once, and not after five seconds.
      'repl-diskless-sync-delay': '0',
    })
      .flatMap(([name, value]) => [`--${name}`, value])
      .concat(options.replicaOf === undefined ? [] : ['--replicaof', '127.0.0.1', String(options.replicaOf)]),
    // Its own output too, because on a port given by the test another server may answer.
    ready: async (running) =>
      running.output().includes('Ready to accept connections') &&
      (options.secure !== undefined || (await answersPing(port, host))) &&
      (options.replicaOf === undefined || (await hasCopied(`redis://${host}:${port}`))),
  }));
  return { ...server, url: `redis://${host}:${port}`, port, busPort };
}

const tlsOn = (port: number, { certificatePath, keyPath, password }: Certificate & { password: string }) => ({
  port: '0',
  'tls-port': String(port),
  'tls-cert-file': certificatePath,
  'tls-key-file': keyPath,
  'tls-auth-clients': 'no',
  requirepass: password,
});

/** Makes a cluster of six nodes: three masters with a replica each, which has copied what its master has. */
export async function joinCluster(nodes: readonly Redis[]): Promise<void> {
  const addresses = nodes.map(({ url, busPort }) => `${new URL(url).host}@${busPort}`);
  const how = ['--cluster-replicas', '1', '--cluster-yes'];
  await run('redis-cli', ['--cluster', 'create', ...addresses, ...how]);
  const giveUpAt = performance.now() + 60_000;
  const copies = async (): Promise<number> =>
    (await Promise.all(nodes.map(({ url }) => hasCopied(url)))).filter(Boolean).length;
  while ((await copies()) < nodes.length / 2) {
    if (performance.now() > giveUpAt) throw new Error('the replicas of the cluster copy nothing');
    await sleep(50);
  }
}

/** Whether a server is a replica that has copied what its master has. Before that it can never take the place of its master. */
async function hasCopied(url: string): Promise<boolean> {
  const { stdout } = await run('redis-cli', ['-u', url, 'info', 'replication']);
  return stdout.includes('master_link_status:up');
}

/** A sentinel that watches a master on loopback as `plant` and names another two seconds after its end. The answer has the sentinel's port. */
export async function startSentinel(master: number): Promise<Server & { readonly port: number }> {
  const port = await freePort();
  const server = await startServer('sentinel', async (directory) => {
    const file = join(directory, 'sentinel.conf');
    const lines = [
      `bind 127.0.0.1`,
      `port ${port}`,
      `dir ${directory}`,
      `sentinel monitor plant 127.0.0.1 ${master} 1`,
      `sentinel down-after-milliseconds plant 2000`,
      `sentinel failover-timeout plant 5000`,
    ];
    await writeFile(file, lines.join('\n'));
    return {
      name: 'redis-sentinel',
      command: 'redis-server',
      args: [file, '--sentinel'],
      ready: () => answersPing(port),
    };
  });
  return { ...server, port };
}

/** True only for `+PONG`, because a server that still loads its file answers `-LOADING`. */
async function answersPing(port: number, host = '127.0.0.1'): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 });
    socket.on('connect', () => socket.write('PING\r\n'));
    socket.on('data', (bytes) => {
      resolve(bytes.toString().startsWith('+PONG'));
      socket.destroy();
    });
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
  });
}
