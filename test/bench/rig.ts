import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openBridge } from '../../src/context-bridge.ts';
import type { OpenBridge } from '../../src/context-bridge.ts';
import { registry } from '../../src/context-registry.ts';
import type { Instant } from '../../src/core/instant.ts';
import { parseListed } from '../../src/platform/platforms-for.ts';
import type { Database } from '../../src/database/database.ts';
import { openEmbeddedDatabase } from '../../src/database/embedded/index.ts';
import type { EmbeddedDatabase } from '../../src/database/embedded/index.ts';
import { placeOf } from '../../src/database/embedded/place.ts';
import { runningPostmaster, signalTo } from '../../src/database/embedded/postmaster.ts';
import { applySource } from '../../src/source/registration.ts';
import { readSettings } from '../../src/settings.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { freePort } from '../kit/free-port.ts';
import { watchForLeaks } from '../kit/leaks.ts';
import { startProcess } from '../kit/process.ts';
import type { RunningProcess } from '../kit/process.ts';
import { startSimulatorFile } from '../kit/simulator.ts';
import type { RunningSimulator } from '../kit/simulator.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { BenchOptions } from './bench.ts';
import { cpuSecondsOfGroup } from './usage.ts';

/** As the image and the units of systemd set it. */
const YOUNG_GENERATION = '--max-semi-space-size=32';

/** The program. */
export const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The server that all runs of a bench share: an embedded PostgreSQL, as the bridge itself starts it. */
export interface Rig {
  /** A database of its own with the bridge's schema and the project `bench`. */
  room(environment?: Readonly<Record<string, string>>): Promise<Room>;
  /** CPU time of PostgreSQL so far, s. */
  databaseCpuSeconds(): number;
  close(): Promise<void>;
}

/** One installation of the bridge. */
export interface Room {
  readonly context: OpenBridge;
  readonly url: string;
  /** Registers an InfluxDB source that reads `groups`, a stream each; it is not due before `every` has passed. Returns its id. */
  apply(source: Record<string, unknown>, groups: readonly string[]): Promise<number>;
  /** Starts `databridge worker`, or `up` where it is to serve its metrics, and waits until it is up. */
  worker(command?: 'worker' | 'up'): Promise<RunningProcess>;
  /** The environment of its commands. */
  readonly environment: NodeJS.ProcessEnv;
  /** Where `up` serves its metrics. */
  readonly metricsUrl: string;
  /** Stops the workers and drops the database. */
  close(): Promise<void>;
}

export async function openRig({ profile }: Pick<BenchOptions, 'profile'>): Promise<Rig> {
  const directory = await makeTempDirectory('bench');
  // If this process is root, PostgreSQL runs as another user, and that user must reach the directory.
  await chmod(directory.path, 0o755);
  const home = join(directory.path, 'home');
  const embedded = await openCountingDatabase(home);
  const server = runningPostmaster(placeOf(home).data)?.pid;
  if (server === undefined) throw new Error('the PostgreSQL of the bench does not run');
  const forget = watchForLeaks(
    'PostgreSQL of the bench',
    () => true,
    () => signalTo(server, 'SIGQUIT'),
  );
  let rooms = 0;

  async function asAdministrator(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: embedded.url });
    try {
      await client.connect();
      await client.query(statement);
    } finally {
      await client.end();
    }
  }

  return {
    async room(environment = {}) {
      rooms += 1;
      const name = `room_${rooms}`;
      await asAdministrator(`create database ${name}`);
      const url = embedded.url.replace(/[^/]*$/, name);
      const [apiPort, operatorPort] = [await freePort(), await freePort()];
      const given = {
        DATABRIDGE_HOME: home,
        DATABASE_URL: url,
        DATABRIDGE_API_PORT: String(apiPort),
        DATABRIDGE_OPERATOR_PORT: String(operatorPort),
        ...environment,
      };
      const context = await openBridge({
        patient: false,
        settings: readSettings(given),
        log: await openLog('silent', false),
      });
      await context.database.run(
        `insert into ml_project (organisation_id, code, name) values ('default', 'bench', '')`,
      );
      const workers: RunningProcess[] = [];
      const commands = { PATH: process.env['PATH'], ...given };
      return {
        environment: commands,
        metricsUrl: `http://127.0.0.1:${operatorPort}/metrics`,
        context,
        url,
        apply: (source, groups) => apply(context, source, groups),
        async worker(command = 'worker') {
          const profiling = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile];
          const worker = await startProcess({
            name: `databridge ${command}`,
            command: process.execPath,
            args: [YOUNG_GENERATION, ...profiling, main, command],
            env: commands,
            ready: (running) => running.output().includes('databridge is up'),
          });
          workers.push(worker);
          return worker;
        },
        async close() {
          await Promise.all(workers.map((worker) => worker.stop(40_000)));
          await context.sources.closeAll();
          await context.close();
          // Not by force: only without force does PostgreSQL itself end an autovacuum worker, which this user may not end.
          await asAdministrator(`drop database ${name}`);
        },
      };
    },
    databaseCpuSeconds: () => cpuSecondsOfGroup(server),
    async close() {
      await embedded.release();
      forget();
      await directory.remove();
    },
  };
}

/** The embedded PostgreSQL, which here also counts statements, in every database that is made in it. */
async function openCountingDatabase(directory: string): Promise<EmbeddedDatabase> {
  const first = await openEmbeddedDatabase({ directory });
  // Only the administrator of the server may do this. Both roles have the same password.
  const administrator = new URL(first.url);
  administrator.username = 'postgres';
  administrator.pathname = '/template1';
  const client = new pg.Client({ connectionString: administrator.href });
  await client.connect();
  await client.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await client.query('create extension pg_stat_statements');
  await client.end();
  await first.release();
  return await openEmbeddedDatabase({ directory });
}

async function apply(context: OpenBridge, input: Record<string, unknown>, groups: readonly string[]): Promise<number> {
  const { database, sealing, clock } = context;
  const platform = { kind: 'user-credentials', platform: 'influxdb', options: { database: 'plant' } };
  const parsed = await parseListed({ ...platform, ...input, project: 'bench' }, registry.platforms, {
    kinds: registry.kinds,
  });
  if (!parsed.ok) throw new Error(`the bench's own source is wrong: ${JSON.stringify(parsed.problems)}`);
  await applySource({ database, sealing, registry }, parsed.source, {
    now: clock.now(),
    actor: 'bench',
    dryRun: false,
  });
  // As after a complete look that found the groups: without one, no backfill of the source would end.
  const row = await database.row<{ id: number }>(
    'update source set discovered_at = now() where name = $1 returning id',
    [parsed.source.name],
  );
  if (row === undefined) throw new Error('the source of the bench is gone');
  for (const statement of await firstPoll(database)) await database.run(statement, [row.id]);
  await database.run(
    `insert into stream (source_id, key, selection, sensors)
     select $1, wanted, jsonb_build_object('group', wanted), '[]' from unnest($2::text[]) as wanted`,
    [row.id, groups],
  );
  return row.id;
}

/** Starts a plant as a process of its own. */
export const startPlant = (
  file: 'bulk-plant.ts' | 'login-plant.ts' | 'point-plant.ts' | 'small-plant.ts',
  options: object = {},
): Promise<RunningSimulator> => startSimulatorFile(fileURLToPath(new URL(file, import.meta.url)), options);

/** The questions that `small-plant.ts` got. */
export interface Arrivals {
  /** Points that the plant has answered since its start. */
  readonly points: number;
  /** Per source, when it was asked since `forget`, ascending. */
  readonly askedAt: Readonly<Record<string, readonly Instant[]>>;
}

export const arrivals = async (plant: RunningSimulator): Promise<Arrivals> =>
  (await plant.admin('GET', 'arrivals')) as Arrivals;

/** SQL: the source `$1` is polled after its interval, and its sensors are not looked up. It fits the schema of another commit. */
async function firstPoll(database: Database): Promise<readonly string[]> {
  const later = "now() + every_us * interval '1 microsecond'";
  if (await hasWork(database)) {
    return [
      "delete from work where kind = 'look' and source_id = $1",
      `insert into work (kind, id, source_id, due_at) select 'poll', id, id, ${later} from source where id = $1`,
    ];
  }
  return [`update source set look_due_at = null, next_due_at = ${later} where id = $1`];
}

/** Whether the schema has the table of work, which holds the due times from that commit on. */
export const hasWork = async (database: Database): Promise<boolean> =>
  (await database.row("select from pg_class where relname = 'work' and relnamespace = 'public'::regnamespace")) !==
  undefined;
