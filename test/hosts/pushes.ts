import { connect as connectTo, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openPushClient } from '../../src/client/index.ts';
import { eventually } from '../chaos/eventually.ts';

/** A client that pushes while hosts fail. */
export interface Pusher {
  /** Readings that the API has acknowledged. */
  acknowledged(): number;
  /** Acknowledged readings that are not stored, as they were sent, once and only once. */
  lost(client: pg.Client): Promise<number>;
  stop(): Promise<void>;
}

const EVERY_MS = 100;

/** Pushes lie so far ahead of the plant's readings that no comparison with the plant takes them for its own. */
const AHEAD_MS = 12 * 3_600_000;

/** Pushes a reading after the other to the project `yard`, each until it is acknowledged, as a gateway with a buffer does. */
export function startPushing(
  baseUrl: string,
  { applicationId, secret }: { readonly applicationId: string; readonly secret: string },
): Pusher {
  const stopping = new AbortController();
  const remote = { baseUrl, organisation: 'default', applicationId, applicationSecret: secret };
  const push = openPushClient(remote, { timeoutMs: 5_000 });
  const begunMs = Date.now() + AHEAD_MS;
  let acknowledged = 0;
  const ended = (async () => {
    while (!stopping.signal.aborted) {
      const date = new Date(begunMs + acknowledged * 1_000).toISOString();
      const reading = { sensorId: 'gateway', date, value: acknowledged };
      await push.push('yard', [reading], { signal: stopping.signal }).then(
        () => (acknowledged += 1),
        () => undefined,
      );
      await sleep(EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    acknowledged: () => acknowledged,
    async lost(client) {
      const sent = acknowledged;
      await caughtUp(client);
      const { rows } = await client.query<{ stored: number }>(
        `select count(*)::int as stored from reading join series on series.id = series
         where sensor_id = 'gateway' and value < $2 and at = to_timestamp($1::float8 / 1000) + value * interval '1 second'`,
        [begunMs, sent],
      );
      return sent - (rows[0]?.stored ?? 0);
    },
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/** What was acknowledged is on the disk of the standby, which shows it when it has replayed what it has received. */
async function caughtUp(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ received: string | null }>(
    'select pg_last_wal_receive_lsn()::text as received',
  );
  const shown = 'select not pg_is_in_recovery() or pg_last_wal_replay_lsn() >= $1::pg_lsn as shown';
  const look = async (): Promise<boolean> =>
    (await client.query<{ shown: boolean }>(shown, [rows[0]?.received ?? '0/0'])).rows[0]?.shown === true;
  await eventually('the standby shows what it has received', look);
}

/** How long a host may take to accept a connection before the next one is tried, ms. */
const PATIENCE_MS = 1_000;

/**
 * One address for several services, as a load balancer gives it: connections go round, and a host that takes none is passed by. Resolves with
 * its port.
 */
export async function openBalancer(
  address: string,
  services: readonly { readonly host: string; readonly port: number }[],
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const open = new Set<Socket>();
  let turn = 0;
  function join(outer: Socket, left: number): void {
    const service = services[turn++ % services.length];
    if (service === undefined || left === 0) return void outer.destroy();
    const inner = connectTo(service);
    const patience = setTimeout(() => inner.destroy(new Error('away')), PATIENCE_MS);
    inner.once('connect', () => {
      clearTimeout(patience);
      outer.pipe(inner).pipe(outer);
    });
    inner.once('error', () => {
      clearTimeout(patience);
      if (inner.connecting || inner.bytesRead + inner.bytesWritten === 0) join(outer, left - 1);
      else outer.destroy();
    });
    outer.once('close', () => inner.destroy());
  }
  const server = createServer((outer) => {
    open.add(outer);
    outer.once('close', () => open.delete(outer));
    outer.on('error', () => outer.destroy());
    join(outer, services.length);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const one of open) one.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
