import { execFile } from 'node:child_process';
import { chownSync, statSync } from 'node:fs';
import { appendFile, chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { openEmbeddedDatabase } from '../../src/database/embedded/index.ts';
import { placeOf } from '../../src/database/embedded/place.ts';
import { makeCertificate } from './certificate.ts';
import { freePort } from './free-port.ts';
import { forgetOtherClock, withClockIn } from './other-clock.ts';
import type { RunningProcess } from './process.ts';
import { startCluster } from './shared-server.ts';
import { makeTempDirectory } from './temp-directory.ts';

/** A PostgreSQL and its synchronous standby, with the database of a bridge. */
export interface Pair {
  /** Names both servers, the standby first, over TLS with a CA of their own; the password stands in a file. */
  readonly url: string;
  /** Names the standby alone. */
  readonly standbyUrl: string;
  /** A connection of the administrator to the database on the standby. */
  readonly standby: pg.Client;
  /** Promotes the standby. */
  promote(): Promise<void>;
  killPrimary(): Promise<void>;
  /** Kills the primary and promotes the standby. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

/** Nothing of it outlives the machine, but each commit is at the standby before it is acknowledged. */
const SETTINGS = {
  fsync: 'off',
  wal_level: 'replica',
  unix_socket_directories: '',
  log_destination: 'stderr',
  logging_collector: 'off',
};

/** A host of a server: its address, the command that starts a process on it, and the file that names its clock, if it has one (`setClock`). */
export interface PairHost {
  readonly address: string;
  readonly enter: readonly string[];
  readonly clock?: string;
}

const HERE: PairHost = { address: '127.0.0.1', enter: [] };

/** The servers listen on loopback, or each on the address of its host. */
export async function startPair([one, other]: readonly [PairHost, PairHost] = [HERE, HERE]): Promise<Pair> {
  await using stack = new AsyncDisposableStack();
  const [first, second] = [await makeTempDirectory('primary'), await makeTempDirectory('standby')];
  for (const directory of [first, second]) stack.defer(() => directory.remove());
  // Under root the server runs as another user, which has to get in.
  await chmod(first.path, 0o755);
  const made = await openEmbeddedDatabase({ directory: first.path });
  await made.release();
  for (const address of [one.address, other.address].filter((each) => each !== HERE.address)) {
    const line = `host all,replication all ${address}/16 scram-sha-256\n`;
    await appendFile(join(placeOf(first.path).data, 'pg_hba.conf'), line);
  }
  // A copy of a cluster that does not run is what pg_basebackup would make of it.
  await promisify(execFile)('cp', ['-a', `${first.path}/.`, second.path]);
  const ports = [await freePort(), await freePort()];
  const [primaryAt, standbyAt] = [one, other].map(({ address }, place) => at(made.url, address, ports[place] ?? 0)) as [
    URL,
    URL,
  ];
  const administrator = new URL(standbyAt);
  administrator.username = 'postgres';
  const { certificatePath, keyPath } = await makeCertificate(second.path, [one.address, other.address]);
  const { uid, gid } = statSync(placeOf(second.path).data);
  chownSync(keyPath, uid, gid);
  const tls = { ssl: 'on', ssl_cert_file: certificatePath, ssl_key_file: keyPath };
  const password = join(second.path, 'password-of-the-bridge');
  await writeFile(password, `${decodeURIComponent(primaryAt.password)}\n`);
  const primary = await startCluster(
    first.path,
    {
      ...SETTINGS,
      ...tls,
      listen_addresses: one.address,
      port: primaryAt.port,
      synchronous_standby_names: '*',
      synchronous_commit: 'on',
    },
    primaryAt.href,
    one.enter,
    underClock(one),
  );
  stack.defer(() => endServer(primary));
  await writeFile(join(placeOf(second.path).data, 'standby.signal'), '');
  const following = `host=${one.address} port=${primaryAt.port} user=postgres password=${decodeURIComponent(primaryAt.password)}`;
  const standbyServer = await startCluster(
    second.path,
    {
      ...SETTINGS,
      ...tls,
      listen_addresses: other.address,
      port: standbyAt.port,
      hot_standby: 'on',
      primary_conninfo: following,
    },
    standbyAt.href,
    other.enter,
    underClock(other),
  );
  stack.defer(() => endServer(standbyServer));
  const standby = new pg.Client({ connectionString: administrator.href });
  standby.on('error', () => undefined);
  await standby.connect();
  stack.defer(() => standby.end());
  const trusting = `sslmode=verify-full&sslrootcert=${certificatePath}`;
  const inFile = `postgres://${primaryAt.username}:\${file:${password}}@`;
  const promote = async (): Promise<void> => void (await standby.query('select pg_promote()'));
  const killPrimary = async (): Promise<void> => void (await primary.kill9());
  const held = stack.move();
  return {
    url: `${inFile}${standbyAt.host},${primaryAt.host}${primaryAt.pathname}?${trusting}`,
    standbyUrl: `${inFile}${standbyAt.host}${primaryAt.pathname}?target_session_attrs=primary&${trusting}`,
    standby,
    promote,
    killPrimary,
    async failOver() {
      await killPrimary();
      await promote();
    },
    stop: () => held.disposeAsync(),
  };
}

const underClock = ({ clock }: PairHost): readonly string[] => (clock === undefined ? [] : withClockIn(clock));

/** SIGTERM would wait for connections that a failed test left open. */
async function endServer(server: RunningProcess): Promise<void> {
  if (server.running()) process.kill(server.pid, 'SIGINT');
  await server.exited;
  await forgetOtherClock(server.pid);
}

function at(url: string, address: string, port: number): URL {
  const changed = new URL(url);
  changed.hostname = address;
  changed.port = String(port);
  return changed;
}
