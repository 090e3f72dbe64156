import { spawn } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openContext, registry } from '../../src/context.ts';
import type { Context } from '../../src/context.ts';
import { parseSource } from '../../src/core/source/source.ts';
import { openEmbeddedDatabase } from '../../src/database/embedded/index.ts';
import { placeOf } from '../../src/database/embedded/place.ts';
import { runningPostmaster, signalTo } from '../../src/database/embedded/postmaster.ts';
import { applySource } from '../../src/source/registration.ts';
import { readSettings } from '../../src/settings.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { watchForLeaks } from '../kit/leaks.ts';
import { startProcess } from '../kit/process.ts';
import type { RunningProcess } from '../kit/process.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { BenchOptions } from './bench.ts';
import { cpuSecondsOfGroup } from './usage.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The servers all runs of a bench share: one embedded PostgreSQL, as the bridge itself would start it. */
export interface Rig {
  /** A database of its own with the bridge's schema and the project `bench`. */
  room(environment?: Readonly<Record<string, string>>): Promise<Room>;
  /** What PostgreSQL has used so far, s. */
  databaseCpuSeconds(): number;
  close(): Promise<void>;
}

/** One installation of the bridge. */
export interface Room {
  readonly context: Context;
  readonly url: string;
  /** Registers a source that reads `groups`, one stream each; it is not due before `every` has passed. Returns its id. */
  apply(source: Record<string, unknown>, groups: readonly string[]): Promise<number>;
  /** Starts `databridge worker` and waits until it is up. */
  worker(): Promise<RunningProcess>;
  /** Stops what works here and drops the database. */
  close(): Promise<void>;
}

export async function openRig({ profile }: Pick<BenchOptions, 'profile'>): Promise<Rig> {
  const directory = await makeTempDirectory('bench');
  // Root's PostgreSQL runs as somebody else, who has to get there.
  await chmod(directory.path, 0o755);
  const home = join(directory.path, 'home');
  const embedded = await openEmbeddedDatabase({ directory: home });
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
      const given = { DATABRIDGE_HOME: home, DATABASE_URL: url, ...environment };
      const context = await openContext({
        patient: false,
        settings: readSettings(given),
        log: openLog('silent', false),
      });
      await context.database.run(
        `insert into ml_project (organisation_id, code, name) values ('default', 'bench', '')`,
      );
      const workers: RunningProcess[] = [];
      return {
        context,
        url,
        apply: (source, groups) => apply(context, source, groups),
        async worker() {
          const profiling = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile];
          const worker = await startProcess({
            name: 'databridge worker',
            command: process.execPath,
            args: [...profiling, main, 'worker'],
            env: { PATH: process.env['PATH'], ...given },
            ready: (running) => running.output().includes('databridge is up'),
          });
          workers.push(worker);
          return worker;
        },
        async close() {
          await Promise.all(workers.map((worker) => worker.stop(40_000)));
          await context.sources.closeAll();
          await context.close();
          // Not by force: an autovacuum worker is not ours to end, and without it PostgreSQL sends it away itself.
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

async function apply(context: Context, input: Record<string, unknown>, groups: readonly string[]): Promise<number> {
  const { database, sealing, clock } = context;
  const parsed = parseSource({ ...input, project: 'bench' }, registry.platforms, { kinds: registry.kinds });
  if (!parsed.ok) throw new Error(`the bench's own source is wrong: ${JSON.stringify(parsed.problems)}`);
  await applySource(database, sealing, parsed.source, { now: clock.now(), actor: 'bench', dryRun: false });
  const row = await database.row<{ id: number }>(
    `update source set discovered_at = now(), next_due_at = now() + every_us * interval '1 microsecond' where name = $1
     returning id`,
    [parsed.source.name],
  );
  if (row === undefined) throw new Error('the source of the bench is gone');
  await database.run(
    `insert into stream (source_id, key, selection, sensors)
     select $1, wanted, jsonb_build_object('group', wanted), '[]' from unnest($2::text[]) as wanted`,
    [row.id, groups],
  );
  return row.id;
}

/** A platform of the benches, as a process of its own. */
export interface Plant {
  readonly url: string;
  /** When each question arrived, ms since 1970. */
  arrivals(): Promise<number[]>;
  stop(): Promise<void>;
}

/** Starts `bulk-plant.ts` or `point-plant.ts`; it ends with `stop()`, and at the latest when this process does. */
export async function startPlant(file: 'bulk-plant.ts' | 'point-plant.ts', argument: number): Promise<Plant> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [path, String(argument)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  const ended = gone.then(() => Promise.reject(new Error(`${file} ended before it was ready`)));
  const [url] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])) as [string];
  ended.catch(() => undefined);
  return {
    url,
    arrivals: async () => (await (await fetch(`${url}/arrivals`)).json()) as number[],
    async stop() {
      child.stdin.end();
      await gone;
    },
  };
}
