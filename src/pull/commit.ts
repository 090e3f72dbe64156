import type { ClientBase, PoolClient } from 'pg';
import { intersect } from '../core/coverage.ts';
import { BridgeError } from '../core/errors.ts';
import { HOUR, formatInstant } from '../core/instant.ts';
import { statementOf } from '../database/statement.ts';
import type { PreparedReadings } from '../ingest/prepare.ts';
import { encodeArrays } from '../ingest/rows.ts';
import type { EncodedReadings } from '../ingest/rows.ts';
import { TAKEN, takenFrom, writeMany } from '../ingest/window-readings.ts';
import type { Taken, TakenRow } from '../ingest/window-readings.ts';
import { WRITING } from '../ingest/writing.ts';
import type { Bridge } from './bridge.ts';
import { LOCK_STREAM, MOVED, refusedIn, settled, settlementOf } from './settlement.ts';
import type { Handover, Settlement } from './settlement.ts';

export interface Committed extends Taken {
  readonly readings: number;
  readonly refused: number;
}

/** Windows of at most this many readings are committed by one statement, larger ones by a transaction with a COPY. */
const SMALL_READINGS = 2_000;

/**
 * Hands a window over and covers it; `also` belongs to the same transaction. Throws `cancelled` where the stream was removed, its
 * source changed or the claim lost meanwhile.
 */
export async function commitWindow(
  { database, partitions, prepareReadings }: Pick<Bridge, 'database' | 'partitions' | 'prepareReadings'>,
  handover: Handover,
  also?: (client: PoolClient, taken: Taken) => Promise<void>,
): Promise<Committed> {
  const { batch, window, projectId, askedAt } = handover;
  const prepared = await prepareReadings(projectId, batch);
  await partitions.ensure('window_log', askedAt, askedAt + HOUR);
  const remembered = prepared.stamp.process === handover.process;
  const isSmall = batch.readings <= SMALL_READINGS;
  const taken = !remembered
    ? undefined
    : isSmall && also === undefined
      ? await commitSmall(database.pool, handover, prepared)
      : await database.transaction(async (client) => {
          const written = await (isSmall ? commitSmall : commitLarge)(client, handover, prepared);
          if (written !== undefined) await also?.(client, written);
          return written;
        });
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
  return { ...taken, readings: batch.readings, refused: refusedIn(batch) };
}

/** `origin` reads `moved`, so that the row of the stream is locked before its readings: see `commitLarge`. */
const SMALL = `
  with covered_before as (select coalesce((select covered from stream where id = $streamId::int), '{}') as ranges),
  ${MOVED}, origin as (select id as stream_id from moved), ${WRITING}, ${TAKEN}, `;

const COMMIT_SMALL = statementOf<Settlement & EncodedReadings>(`${SMALL}${settled(false)}`, 'commit-small');
const COMMIT_SMALL_REFUSING = statementOf<Settlement & EncodedReadings>(
  `${SMALL}${settled(true)}`,
  'commit-small-refusing',
);

/** @returns undefined where the stream was removed, its source changed or the claim lost; then nothing was written */
async function commitSmall(
  client: Pick<ClientBase, 'query'>,
  handover: Handover,
  { columns, stamp }: PreparedReadings,
): Promise<Taken | undefined> {
  const { batch } = handover;
  const statement = batch.refusals.length > 0 ? COMMIT_SMALL_REFUSING : COMMIT_SMALL;
  const { rows } = await client.query<TakenRow & { moved: number }>(
    statement({ ...settlementOf(handover, stamp, 0), ...encodeArrays(columns) }),
  );
  const [row] = rows;
  return row?.moved ? takenFrom(row, batch.readings) : undefined;
}

const LOCK = statementOf<Settlement>(LOCK_STREAM);

const LARGE = `
  with taken as (
    select $fresh::bigint as fresh, $revised::bigint as revised, $late::bigint as late, $latenessUs::bigint as lateness_us, $oldestNews::bigint as oldest_news),
  ${MOVED}, `;

const SETTLE_LARGE = statementOf<Settlement & Taken>(`${LARGE}${settled(false)}`);
const SETTLE_LARGE_REFUSING = statementOf<Settlement & Taken>(`${LARGE}${settled(true)}`);

/** @returns undefined where the stream was removed, its source changed or the claim lost; then nothing was written */
async function commitLarge(
  client: PoolClient,
  handover: Handover,
  prepared: PreparedReadings,
): Promise<Taken | undefined> {
  const { streamId, batch, window } = handover;
  const { stamp } = prepared;
  const begun = performance.now();
  // Small and large windows lock the row of the stream before its readings, so that two of them never wait in a ring.
  const { rowCount } = await client.query(LOCK(settlementOf(handover, stamp, 0)));
  if (!rowCount) return undefined;
  const taken = await writeMany(client, prepared, { streamId, covered: intersect(handover.covered, window) });
  const statement = batch.refusals.length > 0 ? SETTLE_LARGE_REFUSING : SETTLE_LARGE;
  await client.query(statement({ ...settlementOf(handover, stamp, performance.now() - begun), ...taken }));
  return taken;
}
