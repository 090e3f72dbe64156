import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { EmbeddedDatabaseError } from './embedded-database-error.ts';
import { programFailure } from './failure.ts';
import type { EmbeddedPlace } from './place.ts';
import { tailOfLog } from './server-log.ts';

const ASK_EVERY_MS = 50;
const TELL_EVERY_MS = 5_000;
const NAME = 'databridge';

export function urlOf(port: number, password: string): string {
  return `postgres://${NAME}:${password}@127.0.0.1:${port}/${NAME}`;
}

/**
 * Waits until the server accepts connections, as long as it lives, because recovery after a crash may take minutes. Then makes
 * the role and the database `databridge` where they are missing. The role owns the database and may make others, but is no
 * superuser, so that databridge needs no more rights than on an operator's own server. False: the server ended meanwhile.
 */
export async function untilReady(
  place: EmbeddedPlace,
  server: { readonly port: number; readonly password: string; readonly alive: () => boolean },
  log: (message: string) => void,
): Promise<boolean> {
  const begun = performance.now();
  let tellAt = begun + TELL_EVERY_MS;
  while (server.alive()) {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: server.port,
      user: 'postgres',
      password: server.password,
      database: 'postgres',
      connectionTimeoutMillis: 5_000,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await ensureDatabase(client, server.password);
      return true;
    } catch (error) {
      throwLasting(error, place);
    } finally {
      await client.end().catch(() => undefined);
    }
    if (performance.now() > tellAt) {
      const seconds = Math.round((performance.now() - begun) / 1_000);
      log(`the embedded PostgreSQL has been starting for ${seconds} s: ${tailOfLog(place).split('\n').at(-1) ?? ''}`);
      tellAt += TELL_EVERY_MS;
    }
    await sleep(ASK_EVERY_MS);
  }
  return false;
}

/** The password holds only letters, digits, - and _, so it may stand in the statement. */
async function ensureDatabase(client: pg.Client, password: string): Promise<void> {
  const { rows } = await client.query<{ role: boolean; database: boolean }>(
    `select exists (select from pg_roles where rolname = $1) as role,
            exists (select from pg_database where datname = $1) as database`,
    [NAME],
  );
  if (rows[0]?.role !== true) {
    await client.query(`create role ${NAME} login createdb in role pg_monitor password '${password}'`);
  }
  if (rows[0]?.database !== true) await client.query(`create database ${NAME} owner ${NAME}`);
}

/** Throws errors that do not pass with time. 57P03 (starting or stopping), 53300 (connections taken) and network errors do. */
function throwLasting(error: unknown, { password }: EmbeddedPlace): void {
  const { code, message, hint = '' } = error as { code?: string; message: string; hint?: string };
  if (code === '28P01') {
    throw new EmbeddedDatabaseError(
      `the embedded PostgreSQL refuses the password in ${password}`,
      'restore that file from the backup the data came from',
      { cause: error },
    );
  }
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !/^(57P|53300|08)/.test(code)) {
    throw programFailure('the embedded PostgreSQL cannot be prepared', `${message} ${hint}`, error);
  }
}
