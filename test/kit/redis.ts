import { connect } from 'node:net';
import { freePort } from './free-port.ts';
import { type Server, startServer } from './server.ts';

export interface RedisOptions {
  /** Write every change to disk, so that it outlives `kill9()`. Default false: a restart finds nothing. */
  readonly appendonly?: boolean;
  /** Default: a free one. */
  readonly port?: number;
}

export interface Redis extends Server {
  /** `redis://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
}

/** Starts `redis-server` on loopback, without password, never evicting. */
export async function startRedis(options: RedisOptions = {}): Promise<Redis> {
  const port = options.port ?? (await freePort());
  const server = await startServer('redis', async (directory) => ({
    name: 'redis-server',
    command: 'redis-server',
    args: Object.entries({
      bind: '127.0.0.1',
      port: String(port),
      dir: directory,
      save: '',
      appendonly: options.appendonly ? 'yes' : 'no',
      appendfsync: 'always',
      'maxmemory-policy': 'noeviction',
    }).flatMap(([name, value]) => [`--${name}`, value]),
    // Its own output too, because on a port given by the test another server may answer.
    ready: async (running) => running.output().includes('Ready to accept connections') && (await answersPing(port)),
  }));
  return { ...server, url: `redis://127.0.0.1:${port}`, port };
}

/** True only for `+PONG`, because a server that still loads its file answers `-LOADING`. */
async function answersPing(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 2_000 });
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
