import { randomUUID } from 'node:crypto';
import { MINUTE, SECOND, parseInstant } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { fetchWindow } from '../../src/pull/fetch-window.ts';
import type { OpenSource, Stream } from '../../src/pull/open/open-source.ts';
import { heldNames } from '../../src/source/held-names.ts';
import { setLocked } from '../../src/source/project-room.ts';
import type { useDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { claimAll, readingsIn, storeSource, storeStream } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';

export const FROM = parseInstant('2026-03-01T00:00:00Z') ?? 0;
export const PROJECT = { organisation: 'default', code: 'project' };

export type HeldGround = Awaited<ReturnType<typeof heldGround>>;

/** A project with a source, `stored`, whose platform answers a point of each sensor in the first second of a window. */
export async function heldGround(databases: ReturnType<typeof useDatabases>) {
  const database: Database = await databases.create();
  const streams = new Map<number, number>();
  const workerId = randomUUID();

  /** Registers a source of the project. */
  async function store(name = 'source'): Promise<StoredSource> {
    const source = await storeSource(database, name);
    streams.set(source.sourceId, await storeStream(database, source));
    await claimAll(database, workerId);
    return source;
  }

  const stored = await store();

  /** A source as a process opens it. */
  async function opened(sensors: readonly string[], of = stored): Promise<OpenSource> {
    const row = await database.row<{ name: string; revision: number; edition: string }>(
      'select name, revision, edition from source where id = $1',
      [of.sourceId],
    );
    return openSourceOf(
      { ...of, edition: row?.edition ?? '' },
      {
        name: row?.name ?? '',
        revision: row?.revision ?? 0,
        policy: { start: FROM, settle: 0, align: SECOND, overlap: 0, maxWindow: MINUTE },
        read: async function* () {
          for (const [index, sensor] of sensors.entries())
            yield { sensor, variable: 'flow', at: [FROM], values: [index] };
        },
      },
    );
  }

  /** Reads one window, as a poll does the first time and a backfill after a release. */
  async function read(sensors: readonly string[], given?: OpenSource): Promise<void> {
    const source = given ?? (await opened(sensors));
    await fetchWindow(
      bridgeOf(database, { source, now: () => FROM, workerId }),
      {
        source,
        stream: {
          id: streams.get(source.id),
          key: 'stream',
          selection: {},
          unreadable: [],
          looksNoted: 0,
          covered: [],
        } as unknown as Stream,
        lane: 'history',
        window: { from: FROM, to: FROM + SECOND },
        learned: { length: SECOND },
      },
      new AbortController().signal,
    );
  }

  return {
    database,
    stored,
    store,
    opened,
    read,
    lock: (locked = true) => setLocked(database, PROJECT, locked, 'tester'),
    listed: async () =>
      (await heldNames(database, stored.projectId, { limit: 100 })).map(
        ({ sensorId, source, application, refused }) => ({ sensorId, from: source ?? application, refused }),
      ),
    refusals: (): Promise<unknown[]> =>
      database.rows(
        'select sensor, reason, sum(cardinality(points))::int as refused from refused_hour where cardinality(points) > 0 group by 1, 2 order by 1, 2',
      ),
    lines: async (): Promise<string[]> => (await readingsIn(database)).map((line) => line.slice(0, -2)),
  };
}
