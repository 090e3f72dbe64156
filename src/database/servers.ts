import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { callbackify } from 'node:util';
import pg from 'pg';
import { databaseServers, withFiles } from '../core/server-address.ts';

/** The kernel asks after a silent connection this late, and gives it up some ten seconds later. */
const PROBE_MS = 10_000;

/** How to connect to a database whose address may name several servers. */
export interface Servers {
  readonly count: number;
  /** Opens one connection to the server that is thought to take writes. For the settings of a pool, too. */
  readonly Client: new (config?: pg.ClientConfig) => pg.Client;
  /** For each connection, besides its own settings. */
  readonly config: pg.ClientConfig;
}

const known = new Map<string, Servers>();

/**
 * The servers of an address. Where it names several, one connection after the other finds the one that takes writes: a server that
 * does not answer or is a standby is left for the next, in all pools of the process. A password in a file is read for each connection.
 */
export function serversOf(url: string): Servers {
  const config = { keepAlive: true, keepAliveInitialDelayMillis: PROBE_MS };
  const { addresses, primary } = databaseServers(url) ?? { addresses: [url], primary: false };
  if (!primary && !url.includes('${file:')) {
    return { count: 1, Client: pg.Client, config: { ...config, connectionString: url } };
  }
  const servers = known.get(url) ?? { count: addresses.length, Client: clientOf(addresses, primary), config };
  known.set(url, servers);
  return servers;
}

/** One connection, which the caller ends; each server is tried once. Throws the error of the last one. */
export async function connectOnce(url: string, settings: pg.ClientConfig): Promise<pg.Client> {
  const servers = serversOf(url);
  for (let attempt = 1; ; attempt += 1) {
    const client = new servers.Client({ ...servers.config, ...settings });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (attempt >= servers.count) throw error;
    }
  }
}

/** Between two looks at the connections, and how long a server is awaited to take a new one, ms. */
const WATCH_MS = 3_000;
/** A statement may wait this long for its answer before the server is asked for a new connection, ms. */
const PATIENCE_MS = 6_000;

/** SQLSTATE of a statement that a standby refuses, and of a connection that could not be made; processes wait for both to end. */
const STANDBY = '25006';
const NOT_CONNECTED = '08001';

function clientOf(addresses: readonly string[], primary: boolean): Servers['Client'] {
  /** The place of the server that is thought to take writes. */
  let current = 0;
  const open = new Map<ServerClient, Seen>();
  let watching: NodeJS.Timeout | undefined;

  class ServerClient extends pg.Client {
    readonly place: number;
    readonly #unread: Error | undefined;

    constructor(settings: pg.ClientConfig = {}) {
      const place = current;
      const address = readAddress(addresses[place] ?? '');
      super({ ...settings, ...(typeof address === 'string' && { connectionString: address }) });
      this.place = place;
      this.#unread = typeof address === 'string' ? undefined : address;
      // Until its user listens, an error would end the process.
      this.on('error', () => undefined);
      this.once('end', () => open.delete(this));
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
      const connected = this.#connect();
      if (callback === undefined) return connected;
      callbackify(() => connected)(callback as (error: Error | null) => void);
    }

    async #connect(): Promise<pg.Client> {
      try {
        if (this.#unread) throw this.#unread;
        await super.connect();
        if (primary) await this.#assertPrimary();
      } catch (error) {
        // Others may have left it meanwhile.
        if (current === this.place) current = (current + 1) % addresses.length;
        await this.end().catch(() => undefined);
        throw error;
      }
      open.set(this, { read: 0, written: 0, waitsSince: undefined });
      watching ??= setInterval(() => void endUnreachable(), WATCH_MS).unref();
      return this;
    }

    async #assertPrimary(): Promise<void> {
      const { rows } = await this.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
      if (rows[0]?.standby !== true) return;
      const message = `${this.host}:${this.port} is a standby and takes no writes`;
      throw Object.assign(new Error(message), { code: STANDBY });
    }
  }

  /** Since when each connection waits for an answer, as far as its bytes tell. */
  function waitingSince(client: ServerClient, seen: Seen, now: number): number | undefined {
    const { bytesRead: read, bytesWritten: written } = socketOf(client);
    const asked = written !== seen.written && read === seen.read;
    const waitsSince = asked ? (seen.waitsSince ?? now) : read === seen.read ? seen.waitsSince : undefined;
    open.set(client, { read, written, waitsSince });
    return waitsSince;
  }

  /**
   * Ends the connections to a server that takes no new one while a statement waits for its answer: the host is gone without a word,
   * and the kernel would wait a quarter of an hour for the acknowledgement of its bytes.
   */
  async function endUnreachable(): Promise<void> {
    const now = performance.now();
    const waiting = [...open].filter(([client, seen]) => now - (waitingSince(client, seen, now) ?? now) >= PATIENCE_MS);
    const suspected = new Map(waiting.map(([client]) => [client.place, client]));
    for (const [place, { host, port }] of suspected) {
      if (await answers(host, port)) continue;
      if (current === place) current = (place + 1) % addresses.length;
      for (const client of [...open.keys()].filter((one) => one.place === place)) {
        socketOf(client).destroy(
          Object.assign(new Error('the server does not answer any more'), { code: 'ETIMEDOUT' }),
        );
      }
    }
    if (open.size > 0) return;
    clearInterval(watching);
    watching = undefined;
  }

  return ServerClient;
}

/** The bytes of a connection at the last look, and since when it waits for an answer. */
interface Seen {
  readonly read: number;
  readonly written: number;
  readonly waitsSince: number | undefined;
}

/** Whether a server takes a new connection, within the time of a look. */
async function answers(host: string, port: number): Promise<boolean> {
  const answered = Promise.withResolvers<boolean>();
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect({ host, port });
  socket.setTimeout(WATCH_MS, () => answered.resolve(false));
  socket.once('connect', () => answered.resolve(true));
  socket.once('error', () => answered.resolve(false));
  const answer = await answered.promise;
  socket.destroy();
  return answer;
}

/** Its types do not know it. */
const socketOf = (client: pg.Client): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;

/** An error waits as the database does that is away, because an operator may be about to replace the file. */
function readAddress(address: string): string | Error {
  try {
    return withFiles(address, (path) => readFileSync(path, 'utf8'));
  } catch (error) {
    return Object.assign(new Error(`the password in DATABASE_URL: ${(error as Error).message}`), {
      code: NOT_CONNECTED,
    });
  }
}
