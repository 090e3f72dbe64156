import { randomUUID } from 'node:crypto';
import type { Batch, Column, Refusal } from '../../src/core/batch.ts';
import type { Coverage } from '../../src/core/coverage.ts';
import { SECOND, parseInstant } from '../../src/core/instant.ts';
import type { Window } from '../../src/core/window.ts';
import type { ArchivePlace } from '../../src/database/archive-place.ts';
import type { Database } from '../../src/database/database.ts';
import { commitWindow } from '../../src/pull/commit.ts';
import type { Taken } from '../../src/ingest/window-readings.ts';
import type { Handover } from '../../src/pull/settlement.ts';
import type { TestDatabases } from '../kit/databases.ts';
import { storeOf } from '../kit/open-source.ts';
import { claimAll, columnOf, configurationOf, storeSource, storeStream } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';

/** The end of a month: readings on both sides of it lie in two partitions. */
export const BORDER = parseInstant('2026-01-01T00:00:00Z') ?? 0;

/** Windows of at most this many readings are committed by one statement; larger ones are copied. */
export const SMALL = 2_000;

/** The properties of a window that tests vary; all others are the same for all windows. */
export interface Given {
  readonly window: Window;
  readonly batch: Batch;
  readonly covered?: Coverage;
  readonly stream?: number;
  readonly lane?: 'live' | 'history';
  readonly askedAt?: number;
  readonly looks?: Coverage;
  readonly looksNoted?: number;
  readonly settledTo?: number;
  readonly backfillId?: number;
  /** The memory of the process when it read the window; its present one unless told. */
  readonly process?: string;
  /** Has lost the claim. By default the worker that commits has it. */
  readonly workerId?: string;
  /** Belongs to the same transaction. */
  readonly also?: () => Promise<void>;
}

/** A database with one source of one stream, to which tests hand windows over. */
export interface Ground {
  readonly database: Database;
  readonly source: StoredSource;
  readonly streamId: number;
  commit(given: Given): Promise<Taken>;
  coverage(): Promise<Coverage>;
}

export async function makeGround(databases: TestDatabases, archive?: ArchivePlace): Promise<Ground> {
  const database: Database = { ...(await databases.create()), archive };
  const source = await storeSource(database);
  const streamId = await storeStream(database, source);
  const holder = randomUUID();
  return {
    database,
    source,
    streamId,
    async commit({ window, batch, ...given }) {
      await claimAll(database, holder);
      const id = given.stream ?? streamId;
      const stream = await database.row<{ key: string }>('select key from stream where id = $1', [id]);
      const handover: Handover = {
        source: configurationOf(source),
        stream: { id, key: stream?.key ?? '', covered: given.covered ?? [], looksNoted: given.looksNoted ?? 0 },
        workerId: given.workerId ?? holder,
        process: given.process ?? database.memory.stamp().process,
        lane: given.lane ?? 'live',
        window,
        learned: { length: 60 * SECOND },
        looks: given.looks ?? [],
        settledTo: given.settledTo ?? 0,
        backfills:
          given.backfillId === undefined ? undefined : { asking: given.backfillId, served: [given.backfillId] },
        askedAt: given.askedAt ?? BORDER,
        meter: { requests: 2, bytesIn: 300, bytesOut: 40, waitedMs: 5, httpMs: 6 },
        normaliseMs: 1,
        batch,
      };
      return await commitWindow({ database, ...storeOf(database) }, handover, given.also);
    },
    async coverage() {
      const row = await database.row<{ covered: [number, number][] }>(
        'select instants_of(covered) as covered from stream where id = $1',
        [streamId],
      );
      return (row?.covered ?? []).map(([from, to]) => ({ from, to }));
    },
  };
}

/** `count` readings, half of them of each of two sensors, one a second from `from` on. */
export function columnsFrom(from: number, count: number): Column[] {
  const half = Math.ceil(count / 2);
  const instants = (length: number): number[] => Array.from({ length }, (_, index) => from + index * SECOND);
  return [
    columnOf('a', { at: instants(half), precision: instants(half).map(() => 100) }),
    columnOf('b', { at: instants(count - half), labels: ['x'] }),
  ].filter(({ segments }) => (segments[0]?.at.length ?? 0) > 0);
}

export const refusal = (at: number | undefined, more: Partial<Refusal> = {}): Refusal => ({
  sensor: 's',
  variable: 'v',
  at,
  raw: '"x"',
  reason: 'not-a-number',
  ...more,
});
