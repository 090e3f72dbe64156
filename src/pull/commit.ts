import type { ClientBase, PoolClient } from 'pg';
import { intersect } from '../core/coverage.ts';
import { BridgeError } from '../core/errors.ts';
import { HOUR, formatInstant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { gathering } from '../database/gathering.ts';
import { statementOf } from '../database/statement.ts';
import type { Partitions } from '../database/partitions.ts';
import type { PrepareReadings, PreparedReadings } from '../ingest/prepare.ts';
import { encodeArrays, encodeParts } from '../ingest/rows.ts';
import type { EncodedReadings } from '../ingest/rows.ts';
import { mayBeArchived, withThawed } from '../ingest/thaw.ts';
import { TAKEN_PARTS, takenFrom, writeMany } from '../ingest/window-readings.ts';
import type { Taken, TakenRow } from '../ingest/window-readings.ts';
import { WRITING_PARTS } from '../ingest/writing.ts';
import { MOVED, lockedStreams, settled, settlementOf, windowsOf } from './settlement.ts';
import type { Handover } from './settlement.ts';

/** Windows of at most this many readings are committed by one statement, larger ones by a transaction with a COPY. */
const SMALL_READINGS = 2_000;

/** Windows of at most this many readings that come in together share a statement. */
const GATHERED_READINGS = 100;

/** At most this many windows share a statement. */
const MOST_WINDOWS = 64;

/** A window with what its commit needs of the database. */
interface Item {
  readonly handover: Handover;
  readonly prepared: PreparedReadings;
}

/** Commits windows; see `commitsOf`. */
export type Commits = (item: Item) => Promise<Taken | undefined>;

/**
 * Commits of small windows, which many sources hand over within a few milliseconds: those that come in together share one statement.
 * One that fails its fence is left out, and the others are stored.
 */
export const commitsOf = (database: Pick<Database, 'pool'>): Commits =>
  gathering<Item, Taken>((items, rows) => commitSmall(database.pool, items, rows), MOST_WINDOWS);

/** The fence of a window let nothing through. */
class NothingTaken extends Error {}

/** What the commit of a window works with. */
interface CommitGround {
  readonly database: Database;
  readonly partitions: Partitions;
  readonly prepareReadings: PrepareReadings;
  readonly commits: Commits;
}

/**
 * Hands a window over and covers it; `also` belongs to the same transaction. Throws `cancelled` where the stream was removed, its
 * source changed or the claim lost meanwhile.
 */
export async function commitWindow(
  { database, partitions, prepareReadings, commits }: CommitGround,
  handover: Handover,
  also?: (client: PoolClient, taken: Taken) => Promise<void>,
): Promise<Taken> {
  const { batch, window, source, askedAt } = handover;
  const prepared = await prepareReadings(source.projectId, batch);
  await partitions.ensure('window_log', askedAt, askedAt + HOUR);
  const item = { handover, prepared };

  async function commit(): Promise<Taken | undefined> {
    const isSmall = batch.readings <= SMALL_READINGS;
    const old = { columns: prepared.columns, now: askedAt };
    const isOld = mayBeArchived(database, old);
    if (isSmall && also === undefined && !isOld) {
      const shares =
        batch.readings <= GATHERED_READINGS && batch.refusals.length === 0 && handover.backfills === undefined;
      return shares ? await commits(item) : (await commitSmall(database.pool, [item], '')).get(item);
    }
    const all = database.transaction(async (client) => {
      const write = async (): Promise<Taken | undefined> =>
        isSmall ? (await commitSmall(client, [item], '')).get(item) : await commitLarge(client, item);
      const taken = isOld ? await withThawed(database, client, old, write) : await write();
      // Rows that were thawed for it go with it: in a database that was replaced their series are others.
      if (taken === undefined) throw new NothingTaken();
      await also?.(client, taken);
      return taken;
    });
    return await all.catch((error: unknown) => {
      if (error instanceof NothingTaken) return undefined;
      throw error;
    });
  }

  const remembered = prepared.stamp.process === handover.process;
  const taken = remembered ? await commit() : undefined;
  if (taken === undefined) {
    if (!remembered || (await database.memory.review())) {
      throw new BridgeError(
        { code: 'cancelled' },
        'the database was replaced by another state; the window is read again',
      );
    }
    throw new BridgeError(
      { code: 'cancelled' },
      `the source was changed, or taken over by another worker, while ${formatInstant(window.from)} was read`,
    );
  }
  return taken;
}

type OfWindows = ReturnType<typeof windowsOf>;

/** `origin` reads `moved`, so that the rows of the streams are locked before their readings: see `commitLarge`. */
const small = (rows: 'skip locked' | '') =>
  statementOf<OfWindows & EncodedReadings & { readonly part: Buffer }>(
    `with ${lockedStreams(rows)}, ${MOVED}, origin as (select part, stream_id from moved), ${WRITING_PARTS}, ${TAKEN_PARTS}, ${settled({ alone: rows === '' })}`,
    `commit-small ${rows}`.trim(),
  );

const COMMIT_TOGETHER = small('skip locked');
const COMMIT_SMALL = small('');

/**
 * Commits small windows by one statement. Where points of a window were refused, it has to be the only one.
 * @returns what was taken of each window; windows whose stream was removed, whose source changed or whose claim was lost are not in
 * it, and with `skip locked` neither are those whose stream another transaction holds. Of several windows of a stream one is in it,
 * because an update changes a row once. Nothing is written of the others.
 */
async function commitSmall(
  client: Pick<ClientBase, 'query'>,
  items: readonly Item[],
  rows: 'skip locked' | '',
): Promise<ReadonlyMap<Item, Taken>> {
  const statement = rows === '' ? COMMIT_SMALL : COMMIT_TOGETHER;
  const parts = items.map(({ prepared }) => prepared.columns);
  const { rows: found } = await client.query<TakenRow & { part: number }>(
    statement({
      ...windowsOf(items.map(({ handover, prepared }) => settlementOf(handover, prepared.stamp))),
      part: encodeParts(parts),
      ...encodeArrays(parts.flat()),
    }),
  );
  return new Map(
    found.map((row) => {
      const item = items[row.part - 1] as Item;
      return [item, takenFrom(row, item.handover.batch.readings)];
    }),
  );
}

const LOCK = statementOf<OfWindows>(`with ${lockedStreams('')} select from locked`);

const SETTLE_LARGE = statementOf<OfWindows>(
  `with ${lockedStreams('')}, ${MOVED},
   taken as (select part, fresh, revised, late, oldest_news from windows), ${settled({ alone: true })}`,
);

/** @returns undefined where the stream was removed, its source changed or the claim lost; then nothing was written */
async function commitLarge(client: PoolClient, { handover, prepared }: Item): Promise<Taken | undefined> {
  const { stream, window } = handover;
  const { stamp } = prepared;
  const begun = performance.now();
  // Small and large windows lock the row of the stream before its readings, so that two of them never wait in a ring.
  const { rowCount } = await client.query(LOCK(windowsOf([settlementOf(handover, stamp)])));
  if (!rowCount) return undefined;
  const taken = await writeMany(client, prepared, { streamId: stream.id, covered: intersect(stream.covered, window) });
  await client.query(SETTLE_LARGE(windowsOf([settlementOf(handover, stamp, performance.now() - begun, taken)])));
  return taken;
}
