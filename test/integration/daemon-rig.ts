import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { makeBridge } from '../kit/bridge.ts';
import type { BridgeUnderTest } from '../kit/bridge.ts';
import type { TestDatabases } from '../kit/databases.ts';
import type { RunningProcess } from '../kit/process.ts';

/** A fault as the database stores it for the operator. */
export interface ShownFault {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
  readonly where?: string;
  readonly page?: string;
  readonly at: string;
}

export interface StreamState {
  readonly key: string;
  readonly failures: number;
  readonly fault: ShownFault | null;
  readonly learnedUs: number | null;
}

/** A source in the database. Instants in ms. */
export interface SourceState {
  readonly id: number;
  readonly state: string;
  readonly failures: number;
  readonly fault: ShownFault | null;
  readonly startMs: number;
  readonly heldUntilMs: number | null;
  readonly streams: readonly StreamState[];
}

/** A running daemon, its database, and an operator at the command line. */
export interface Rig {
  readonly bridge: BridgeUnderTest;
  readonly client: Client;
  readonly daemon: RunningProcess;
  /** Applies sources with one command. */
  apply(...sources: readonly Record<string, unknown>[]): Promise<void>;
  source(name: string): Promise<SourceState>;
  /** Waits until every stream of a source is covered from its start to `untilMs`. The error holds the coverage. */
  covered(name: string, untilMs: number, withinMs?: number): Promise<void>;
  /** Log lines of the daemon about a source, at WARN or above. */
  complaints(name: string): { readonly level: number; readonly msg: string }[];
  close(): Promise<void>;
}

/** Starts `databridge up` on a database of its own with these projects. */
export async function startRig(
  databases: TestDatabases,
  projects: readonly string[] = ['hall'],
  environment: NodeJS.ProcessEnv = {},
): Promise<Rig> {
  const bridge = await makeBridge({ DATABASE_URL: await databases.createMigrated(), ...environment });
  const { client, close } = await bridge.database();
  await bridge.succeed('project', 'create', projects[0] ?? 'hall');
  for (const code of projects.slice(1)) {
    await client.query(`insert into ml_project (organisation_id, code, name) values ('default', $1, $1)`, [code]);
  }
  const daemon = await bridge.up();

  async function source(name: string): Promise<SourceState> {
    const { rows } = await client.query<SourceState>(
      `select id, state, failures, last_fault as fault, instant_of(start_at)::float8 / 1000 as "startMs",
         instant_of(held_until)::float8 / 1000 as "heldUntilMs",
         (select coalesce(json_agg(json_build_object('key', key, 'failures', failures, 'fault', last_fault,
            'learnedUs', (learned ->> 'length')::float8) order by key), '[]')
          from stream where source_id = source.id and retired_at is null) as streams
       from source where name = $1`,
      [name],
    );
    const [row] = rows;
    if (row === undefined) throw new Error(`there is no source ${name}`);
    return row;
  }

  return {
    bridge,
    client,
    daemon,
    source,
    async apply(...sources) {
      const directory = join(bridge.home, 'sources');
      await rm(directory, { recursive: true, force: true });
      await mkdir(directory);
      for (const one of sources) await writeFile(join(directory, `${String(one['name'])}.yaml`), JSON.stringify(one));
      await bridge.succeed('source', 'apply', directory);
    },
    covered: (name, untilMs, withinMs) =>
      eventually(
        `${name} covered until ${new Date(untilMs).toISOString()}`,
        async () => {
          const { rows } = await client.query<{ key: string; covered: string; done: boolean }>(
            `select key, stream.covered::text, stream.covered @> tstzrange(source.start_at, at_instant($2)) as done
             from stream join source on source.id = source_id where name = $1 and retired_at is null`,
            [name, Math.round(untilMs * 1000)],
          );
          return (rows.length > 0 && rows.every(({ done }) => done)) || new Waiting(rows);
        },
        withinMs,
      ).then(() => undefined),
    complaints: (name) =>
      daemon
        .output()
        .split('\n')
        .flatMap(recordIn)
        .filter((line) => line.level >= 40 && line.source === name),
    async close() {
      await client.end().catch(() => undefined);
      const { code } = await daemon.stop(60_000);
      await close().catch(() => undefined);
      await bridge.remove();
      if (code !== 0) throw new Error(`the daemon ended with ${code}\n${daemon.output()}`);
    },
  };
}

/** The record in a line of the log. The first and the last line of an output may be a part of one. */
function recordIn(line: string): { level: number; msg: string; source?: string }[] {
  if (!line.startsWith('{"level"')) return [];
  try {
    return [JSON.parse(line) as { level: number; msg: string; source?: string }];
  } catch {
    return [];
  }
}

/** The answer of a check that must go on waiting; `seen` stands in the error when it takes too long. */
export class Waiting {
  readonly seen: unknown;
  constructor(seen: unknown) {
    this.seen = seen;
  }
}

/**
 * Calls `check` until it returns anything but false or `Waiting`, and returns that. The bound is generous because no test
 * with it measures speed.
 */
export async function eventually<T>(
  awaited: string,
  check: () => Promise<T | false | Waiting> | T | false | Waiting,
  withinMs = 240_000,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const answer = await check();
    const isWaiting = answer instanceof Waiting;
    if (answer !== false && !isWaiting) return answer as T;
    if (performance.now() > end) {
      throw new Error(`not in time: ${awaited}: ${isWaiting ? JSON.stringify(answer.seen).slice(0, 4_000) : ''}`);
    }
    await sleep(150);
  }
}
