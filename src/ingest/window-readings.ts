import type { PoolClient } from 'pg';
import { covers } from '../core/coverage.ts';
import type { Coverage } from '../core/coverage.ts';
import { MICROSECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { multirangeOf } from '../database/multirange.ts';
import { statementOf } from '../database/statement.ts';
import { cut, pick } from './cut.ts';
import type { PreparedReadings } from './prepare.ts';
import { countRows, encodeArrays } from './rows.ts';
import type { EncodedReadings, NumberedColumn } from './rows.ts';
import { WRITING, copyNew, noteCopied } from './writing.ts';

/** The number of new, duplicate and revised readings of a window, compared with the stored ones. */
export interface Taken {
  readonly fresh: number;
  /** Same series, instant, value, precision and labels as before: nothing changed. */
  readonly duplicates: number;
  /** Same series and instant, other content: the newer one replaced the older. */
  readonly revised: number;
  /** The fresh readings in time that was already covered: late data. */
  readonly late: number;
  /** The instant of the oldest new or revised reading in time already covered; null without one. */
  readonly oldestNews: Instant | null;
}

/** A row of `taken`. */
export type TakenRow = Omit<Taken, 'duplicates' | 'oldestNews'> & {
  readonly oldest_news: Instant | null;
};

/** SQL: counts rows of `written` (writing.ts), each with `is_covered`: whether its time was covered before its window. */
const COUNTED = `
  count(*) filter (where fresh) as fresh,
  count(*) filter (where not fresh) as revised,
  count(*) filter (where fresh and is_covered) as late,
  min(instant_of(at)) filter (where is_covered) as oldest_news`;

/**
 * SQL: `taken` counts the new, revised and late readings of each part. It reads `moved`: the `part` and the `ranges` that were
 * covered before.
 */
export const TAKEN_PARTS = `
  taken as (
    select part, ${COUNTED}
    from (select moved.part, fresh, at, ranges @> at as is_covered from moved left join changed using (part)) as row
    group by part)`;

/** `readings`: the number of readings that the row counts. */
export const takenFrom = ({ fresh, revised, late, ...row }: TakenRow, readings: number): Taken => ({
  fresh,
  duplicates: readings - fresh - revised,
  revised,
  late,
  oldestNews: row.oldest_news,
});

/** At most this many readings share an upsert: enough to be worth the round trip, little enough to keep memory flat. */
const UPSERT_READINGS = 20_000;

const UPSERT = statementOf<EncodedReadings & { readonly covered: string; readonly streamId: number }>(`
  with covered_before as (select $covered::tstzmultirange as ranges), origin as (select $streamId::int as stream_id),
  ${WRITING}
  select ${COUNTED} from (select fresh, at, ranges @> at as is_covered from covered_before cross join written) as row`);

/**
 * Writes many readings of one stream, in the transaction of `client`. `covered`: the time inside the window that was
 * covered before it. Readings there may be stored already and are upserted; all others are copied.
 */
export async function writeMany(
  client: PoolClient,
  { columns, table }: PreparedReadings,
  { streamId, covered }: { readonly streamId: number; readonly covered: Coverage },
): Promise<Taken> {
  const isCovered = (at: Instant): boolean => covers(covered, { from: at, to: at + MICROSECOND });
  const inCovered = covered.length === 0 ? [] : pick(columns, isCovered);
  const inNew = covered.length === 0 ? columns : pick(columns, (at) => !isCovered(at));
  // A push or another stream may have stored readings in time that this stream has not covered: COPY then fails as a whole.
  if (!(await isCopied(client, table, inNew))) return await upsert(client, columns, { streamId, covered });
  await noteCopied(client, inNew, streamId);
  const upserted = await upsert(client, inCovered, { streamId, covered });
  return { ...upserted, fresh: upserted.fresh + countRows(inNew) };
}

/** `copyNew` behind a savepoint, so that the transaction goes on where a reading is stored already. */
async function isCopied(client: PoolClient, table: string, columns: readonly NumberedColumn[]): Promise<boolean> {
  if (countRows(columns) === 0) return true;
  await client.query('savepoint copying');
  const copied = await copyNew(client, table, columns);
  await client.query(copied ? 'release savepoint copying' : 'rollback to savepoint copying');
  return copied;
}

const older = (one: Instant | null, other: Instant | null): Instant | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

async function upsert(
  client: PoolClient,
  columns: readonly NumberedColumn[],
  { streamId, covered }: { readonly streamId: number; readonly covered: Coverage },
): Promise<Taken> {
  let total: Taken = { fresh: 0, duplicates: 0, revised: 0, late: 0, oldestNews: null };
  for (const part of cut(columns, UPSERT_READINGS)) {
    const { rows } = await client.query<TakenRow>(
      UPSERT({ ...encodeArrays(part), covered: multirangeOf(covered), streamId }),
    );
    for (const row of rows) {
      const taken = takenFrom(row, countRows(part));
      total = {
        fresh: total.fresh + taken.fresh,
        duplicates: total.duplicates + taken.duplicates,
        revised: total.revised + taken.revised,
        late: total.late + taken.late,
        oldestNews: older(total.oldestNews, taken.oldestNews),
      };
    }
  }
  return total;
}
