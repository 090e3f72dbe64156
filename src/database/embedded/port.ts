import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { EmbeddedPlace } from './place.ts';

/**
 * The port to listen on: the remembered port while it is free, else a new port, which is remembered. New ports lie below the
 * range of outgoing connections, because a client that retries a port in that range may connect to itself and occupy it.
 */
export async function choosePort(place: EmbeddedPlace, refused: ReadonlySet<number>): Promise<number> {
  const remembered = existsSync(place.port) ? Number(readFileSync(place.port, 'utf8')) : Number.NaN;
  if (remembered > 0 && !refused.has(remembered) && (await isFree(remembered))) return remembered;
  for (;;) {
    const port = randomInt(10_240, 32_768);
    if (refused.has(port) || !(await isFree(port))) continue;
    const draft = `${place.port}.new`;
    writeFileSync(draft, `${port}\n`);
    renameSync(draft, place.port);
    return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
