import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A TCP port on loopback that no process listens on. It lies below the range of the ports of outgoing connections, because a
 * client that retries a stopped server on a port of that range may connect to itself and keep the server out.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const port = randomInt(10_240, 32_768);
    if (await isFree(port)) return port;
  }
  throw new Error('found no free port on 127.0.0.1 in 50 attempts');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
