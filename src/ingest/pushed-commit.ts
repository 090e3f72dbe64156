import type { PoolClient } from 'pg';
import type { Database } from '../database/database.ts';
import { OUTBOXED } from './outbox.ts';
import { spanOf } from './pushed-spans.ts';
import { countRows, encodeArrays } from './rows.ts';
import type { NumberedColumn } from './rows.ts';
import { WRITTEN, copyRows, isKeyTaken } from './writing.ts';

/** What the readings of a push were to the database. Together they are all of them. */
export interface PushCounts {
  /** Stored for the first time. */
  readonly accepted: number;
  /** There already with the same value, precision and labels. */
  readonly duplicates: number;
  /** There already with other content, which was replaced. */
  readonly revised: number;
}

/** Columns of one push. No two pushes of a commit hold the same reading. */
export type PushColumns = readonly NumberedColumn[];

/** Commits above this go by COPY, smaller ones by one upsert. */
const SMALL = 500;

/** A database that does not answer for so long is not waited for any more: its connection is given up. */
const PATIENCE_MS = 60_000;

/**
 * Stores pushes in ONE transaction, durable when it returns, and counts each of them exactly.
 * `table`: the partition that holds all of it, otherwise `reading`. `fresh`: most likely none of the readings is there, so COPY is tried first.
 */
export async function commitPushes(
  database: Database,
  pushes: readonly PushColumns[],
  { table, fresh }: { table: string; fresh: boolean },
): Promise<PushCounts[]> {
  const pieces = inKeyOrder(pushes);
  const columns = pieces.map(({ numbered }) => numbered);
  const rows = countRows(columns);
  if (rows === 0) return pushes.map(() => ({ accepted: 0, duplicates: 0, revised: 0 }));
  return await withClient(database, async (client) => {
    const copyable = fresh && rows > SMALL && !(await isHandedOver(client, pushes));
    if (copyable && (await isCopied(client, table, columns))) return countsOf(pushes, pieces, NONE_KNOWN);
    return countsOf(pushes, pieces, await upsert(client, columns, rows));
  });
}

/** A stretch of one series and the push it came with. */
interface Piece {
  readonly push: number;
  readonly numbered: NumberedColumn;
}

/** Ordered by series and time: three times as fast as any other order, and writers never wait for each other in a ring. */
function inKeyOrder(pushes: readonly PushColumns[]): Piece[] {
  const pieces = pushes.flatMap((columns, push) => columns.map((numbered) => ({ push, numbered })));
  if (pushes.length === 1) return pieces;
  const firstOf = ({ numbered }: Piece): number => spanOf(numbered.column.segments).first;
  return pieces.sort((one, other) => one.numbered.series - other.numbered.series || firstOf(one) - firstOf(other));
}

/** Whether a project of these pushes hands over what it takes: COPY would take no note of it. */
async function isHandedOver(client: PoolClient, pushes: readonly PushColumns[]): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'handed-over',
    text: 'select from remote join series using (project_id) where series.id = any($1::int[]) limit 1',
    values: [pushes.flatMap(([first]) => first?.series ?? [])],
  });
  return Boolean(rowCount);
}

async function isCopied(client: PoolClient, table: string, columns: readonly NumberedColumn[]): Promise<boolean> {
  try {
    await copyRows(client, table, columns);
    return true;
  } catch (error) {
    if (!isKeyTaken(error)) throw error;
    return false;
  }
}

/** Places of rows that were there already, in ascending order; the first row is 1. */
interface Known {
  readonly same: readonly number[] | null;
  readonly revised: readonly number[] | null;
}

const NONE_KNOWN: Known = { same: null, revised: null };

/**
 * Says of each row that is not new what it was. Grouped instead of joined, so that no plan is quadratic; and not even
 * that where all were new.
 */
const UPSERT = `
  with incoming as (
    select * from unnest($1::int4[], $2::timestamptz[], $3::float8[], $4::int2[], $5::int4[])
      with ordinality as row (series, at, value, precision, labels, place)),
  origin as (select null::int as stream_id),
  ${WRITTEN}, ${OUTBOXED},
  known as (
    select max(place) as place, bool_or(not fresh) as revised
    from (select series, at, place, null::boolean as fresh from incoming
          where (select count(*) from written where fresh) < $6::int
          union all select series, at, null, fresh from written) as row
    group by series, at having bool_or(fresh) is not true)
  select array_agg(place order by place) filter (where revised is null) as same,
         array_agg(place order by place) filter (where revised) as revised
  from known where place is not null`;

async function upsert(client: PoolClient, columns: readonly NumberedColumn[], rows: number): Promise<Known> {
  const { rows: answer } = await client.query<{ same: number[] | null; revised: number[] | null }>({
    // The plan of a small one can be kept; how many rows a large one has is worth knowing to the planner.
    ...(rows <= SMALL && { name: 'push-small' }),
    text: UPSERT,
    values: [...encodeArrays(columns), rows],
  });
  return answer[0] ?? NONE_KNOWN;
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

/** Counts places at the push whose piece holds them. */
function attribute(pieces: readonly Piece[], places: readonly number[], counts: number[]): void {
  let next = 0;
  let end = 0;
  for (const { push, numbered } of pieces) {
    end += countRows([numbered]);
    for (; next < places.length && (places[next] as number) <= end; next += 1) counts[push] = (counts[push] ?? 0) + 1;
  }
}

/** A connection for one commit. One that hangs is broken off: what it was doing was then either done wholly or not at all. */
async function withClient<T>(database: Database, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await database.pool.connect();
  let broken: Error | undefined;
  let released = false;
  const release = (): void => {
    if (released) return;
    released = true;
    client.release(broken);
  };
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  const patience = setTimeout(() => {
    broken = new Error('no answer to a commit');
    release();
  }, PATIENCE_MS);
  try {
    await makeDurable(client);
    return await work(client);
  } finally {
    clearTimeout(patience);
    release();
    client.off('error', onError);
  }
}

const durable = new WeakSet<PoolClient>();

/** A commit is answered when it is on disk, also where a database is set to say so earlier. Asked once a connection. */
async function makeDurable(client: PoolClient): Promise<void> {
  if (durable.has(client)) return;
  await client.query(
    `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`,
  );
  durable.add(client);
}
