import type { PoolClient } from 'pg';
import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { REMEMBERS } from '../database/memory.ts';
import type { Stamp } from '../database/memory.ts';
import { statementOf } from '../database/statement.ts';
import { withDurableClient } from './durable-client.ts';
import { spanOf } from './pushed-spans.ts';
import { countRows, encodeArrays } from './rows.ts';
import type { EncodedReadings, NumberedColumn } from './rows.ts';
import { mayBeArchived, withThawed } from './thaw.ts';
import { WRITING, copyNew, isHandedOver } from './writing.ts';

/** How many readings of a push were new, duplicate or revised. The three add up to all of them. */
export interface PushCounts {
  /** Stored for the first time. */
  readonly accepted: number;
  /** Stored before with the same value, precision and labels. */
  readonly duplicates: number;
  /** Stored before with other content, which was replaced. */
  readonly revised: number;
}

/** Columns of one push. No two pushes of a commit hold the same reading. */
export type PushColumns = readonly NumberedColumn[];

/** Commits of at most this many readings go by one upsert; larger ones try COPY first. */
const SMALL_READINGS = 500;

/**
 * Stores pushes in ONE transaction, which is durable when the function returns, and counts each push exactly.
 * `table`: the partition that holds all of the readings, otherwise `reading`. `now`: by the clock of the database. `fresh`: most likely none of the readings
 * is stored, so that COPY is worth a try. Throws `OtherDatabase` where the numbers of the columns no longer hold.
 */
export async function commitPushes(
  database: Database,
  pushes: readonly PushColumns[],
  { table, fresh, stamp, now }: { table: string; fresh: boolean; stamp: Stamp; now: Instant },
): Promise<PushCounts[]> {
  const pieces = inKeyOrder(pushes);
  const columns = pieces.map(({ numbered }) => numbered);
  const rows = countRows(columns);
  if (rows === 0) return pushes.map(() => ({ accepted: 0, duplicates: 0, revised: 0 }));
  return await withDurableClient(database, async (client) => {
    if (mayBeArchived(database, { columns, now }))
      return countsOf(pushes, pieces, await upsertOld(database, client, columns, { rows, stamp, now }));
    // Only an upsert notes readings in the outbox. All readings of a push belong to one project.
    const firstSeries = pushes.flatMap(([first]) => first?.series ?? []);
    const copyable = fresh && rows > SMALL_READINGS && !(await isHandedOver(client, firstSeries));
    if (copyable && (await copy(client, table, columns, stamp))) return countsOf(pushes, pieces, NONE_KNOWN);
    return countsOf(pushes, pieces, await upsert(client, columns, { rows, stamp }));
  });
}

/** The database was replaced by an older state while readings were prepared: their series have other numbers there. */
export class OtherDatabase extends Error {}

const CHECK = statementOf<Stamp>(`select from (select 1) as one where ${REMEMBERS}`, 'remembers');

/** `copyNew`, in a transaction with the look whether the numbers of the columns hold. @returns false where nothing was copied */
async function copy(client: PoolClient, table: string, columns: PushColumns, stamp: Stamp): Promise<boolean> {
  let copied = false;
  await client.query('begin');
  try {
    const { rowCount } = await client.query(CHECK(stamp));
    if (!rowCount) throw new OtherDatabase();
    copied = await copyNew(client, table, columns);
  } finally {
    await client.query(copied ? 'commit' : 'rollback');
  }
  return copied;
}

/** Upserts readings of which some may lie in the archive. */
async function upsertOld(
  database: Database,
  client: PoolClient,
  columns: PushColumns,
  given: { readonly rows: number; readonly stamp: Stamp; readonly now: Instant },
): Promise<Known> {
  await client.query('begin');
  try {
    const known = await withThawed(database, client, { columns, now: given.now }, () => upsert(client, columns, given));
    await client.query('commit');
    return known;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** A stretch of one series and the push it came with. */
interface Piece {
  readonly push: number;
  readonly numbered: NumberedColumn;
}

/**
 * Orders by series and time. PostgreSQL takes this order three times as fast as any other, and two writers in the same
 * order never wait for each other in a ring.
 */
function inKeyOrder(pushes: readonly PushColumns[]): Piece[] {
  const pieces = pushes.flatMap((columns, push) => columns.map((numbered) => ({ push, numbered })));
  if (pushes.length === 1) return pieces;
  const firstOf = ({ numbered }: Piece): number => spanOf(numbered.column.segments).first;
  return pieces.sort((one, other) => one.numbered.series - other.numbered.series || firstOf(one) - firstOf(other));
}

/** Places of readings that were stored before, in ascending order; the place of the first reading is 1. */
interface Known {
  readonly same: readonly number[] | null;
  readonly revised: readonly number[] | null;
}

const NONE_KNOWN: Known = { same: null, revised: null };

/**
 * `known` holds the place of each reading that is not new. It groups instead of joining, so that no plan is quadratic,
 * and it reads `incoming` only where some reading is not new.
 */
const UPSERT = `
  with origin as (select null::int as stream_id where ${REMEMBERS}), ${WRITING},
  known as (
    select max(place) as place, bool_or(not fresh) as revised
    from (select series, at, place, null::boolean as fresh from incoming
          where (select count(*) from written where fresh) < $rows::int
          union all select series, at, null, fresh from written) as row
    group by series, at having bool_or(fresh) is not true)
  select array_agg(place order by place) filter (where revised is null) as same,
         array_agg(place order by place) filter (where revised) as revised,
         exists (select from origin) as remembered
  from known where place is not null`;

type UpsertValues = EncodedReadings & Stamp & { readonly rows: number };

/** The plan of a small upsert can be kept. A large one is planned anew, because its number of rows decides on the plan. */
const UPSERT_SMALL = statementOf<UpsertValues>(UPSERT, 'push-small');
const UPSERT_LARGE = statementOf<UpsertValues>(UPSERT);

async function upsert(
  client: PoolClient,
  columns: readonly NumberedColumn[],
  { rows, stamp }: { readonly rows: number; readonly stamp: Stamp },
): Promise<Known> {
  const statement = rows <= SMALL_READINGS ? UPSERT_SMALL : UPSERT_LARGE;
  const { rows: answer } = await client.query<Known & { readonly remembered: boolean }>(
    statement({ ...encodeArrays(columns), ...stamp, rows }),
  );
  const [known] = answer;
  if (known?.remembered !== true) throw new OtherDatabase();
  return known;
}

function countsOf(pushes: readonly PushColumns[], pieces: readonly Piece[], known: Known): PushCounts[] {
  const total = pushes.map((columns) => countRows(columns));
  const same = pushes.map(() => 0);
  const revised = pushes.map(() => 0);
  attribute(pieces, known.same ?? [], same);
  attribute(pieces, known.revised ?? [], revised);
  return total.map((rows, push) => {
    const [duplicates, replaced] = [same[push] ?? 0, revised[push] ?? 0];
    return { accepted: rows - duplicates - replaced, duplicates, revised: replaced };
  });
}

/** Adds each place to the count of the push whose piece holds it. */
function attribute(pieces: readonly Piece[], places: readonly number[], counts: number[]): void {
  let next = 0;
  let end = 0;
  for (const { push, numbered } of pieces) {
    end += countRows([numbered]);
    for (; next < places.length && (places[next] as number) <= end; next += 1) counts[push] = (counts[push] ?? 0) + 1;
  }
}
