import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const FIRST = 10_240;
const END = 32_768;
/** At least the number of workers of a run, and one more for its global set-up. */
const SHARES = 8;
const PORTS = (END - FIRST) / SHARES;

/** Workers that run at a time have different numbers. */
const share = Number(process.env['VITEST_POOL_ID'] ?? 0) % SHARES;
let tried = randomInt(PORTS);

/**
 * A TCP port on loopback that no process listens on. It is given once in this process, and to no other worker of the run, because
 * a server may begin to listen much later, or stop and start again. It lies below the range of the ports of outgoing connections,
 * because a client that retries a stopped server on a port of that range may connect to itself and keep the server out.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    tried = (tried + 1) % PORTS;
    const port = FIRST + share * PORTS + tried;
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
