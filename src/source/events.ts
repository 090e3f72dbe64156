import { formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';

/** A place in the order of the events: all events before it are committed, and no event will come before it any more. */
export interface EventPosition {
  /** Names the events of this database. */
  readonly epoch: string;
  /** Number of a transaction, as text. */
  readonly xact: string;
  readonly id: number;
  /** When the place was told, in seconds since 1970. */
  readonly toldAt: number;
}

/** A change that operators may want to see at once. */
export interface BridgeEvent {
  readonly position: EventPosition;
  readonly kind: 'source' | 'backfill' | 'audit' | 'alert';
  /** Null: of no organisation. */
  readonly organisation: string | null;
  /** The name of a source, the number of a backfill, of an entry of the audit or of an alert. */
  readonly subject: string;
  readonly at: Instant;
  /** The facts of its kind, without a secret. */
  readonly content: Readonly<Record<string, unknown>>;
}

/** Rows are kept for a day; a place that is older than this may lie before the oldest of them. Seconds. */
const RESUMABLE_SECONDS = 23 * 3600;

/** No event is visible yet that will come before this one: every transaction before it has ended. */
const HORIZON = 'pg_snapshot_xmin(pg_current_snapshot())';

/**
 * The place at which a new stream begins: behind every event whose turn has come. Events of the last moments may be told behind it,
 * because a transaction that began before them is still under way.
 */
export async function presentPosition(database: Database): Promise<EventPosition> {
  const row = await database.row<EventPosition & Record<string, unknown>>(
    `select epoch, ${HORIZON}::text as xact, 0 as id, extract(epoch from now())::bigint as "toldAt" from event_epoch`,
  );
  if (row === undefined) throw new Error('the database lacks the epoch of its events');
  return row;
}

/** A place as text that a client sends back. */
export const formatPosition = ({ epoch, xact, id, toldAt }: EventPosition): string =>
  `${epoch}-${xact}-${id}-${toldAt}`;

const POSITION = /^([0-9a-f]{8})-(\d{1,19})-(\d{1,15})-(\d{1,12})$/;

/**
 * The place that a client had reached; undefined where it cannot go on there: the text is no place, it is too old, or the database was
 * replaced by another one.
 */
export async function resumedPosition(database: Database, text: string): Promise<EventPosition | undefined> {
  const [, epoch, xact, id, toldAt] = POSITION.exec(text) ?? [];
  if (epoch === undefined || xact === undefined) return undefined;
  const found = await database.row(
    `select from event_epoch where epoch = $1 and $2::xid8 <= ${HORIZON} and $3 > extract(epoch from now()) - ${RESUMABLE_SECONDS}`,
    [epoch, xact, Number(toldAt)],
  );
  return found === undefined ? undefined : { epoch, xact, id: Number(id), toldAt: Number(toldAt) };
}

/** At most `limit` events behind a place, in their order; with `organisations` those of these organisations only. */
export async function eventsAfter(
  database: Database,
  { epoch, xact, id }: EventPosition,
  { organisations, limit }: { readonly organisations: readonly string[] | undefined; readonly limit: number },
): Promise<readonly BridgeEvent[]> {
  const rows = await database.rows<Omit<BridgeEvent, 'position'> & { xact: string; id: number; toldAt: number }>(
    `select xact::text as xact, id, kind, organisation, subject, instant_of(at) as at, content,
       extract(epoch from now())::bigint as "toldAt"
     from event where (xact, id) > ($1::xid8, $2) and xact < ${HORIZON} and ($3::text[] is null or organisation = any($3))
     order by event.xact, event.id limit $4`,
    [xact, id, organisations ?? null, limit],
  );
  return rows.map(({ xact: its, id: own, toldAt, ...event }) => ({
    ...event,
    position: { epoch, xact: its, id: own, toldAt },
  }));
}

/** An event as a JSON document. */
export const eventDocument = ({ kind, organisation, subject, at, content }: BridgeEvent): Record<string, unknown> => ({
  kind,
  organisation,
  subject,
  at: formatInstant(at),
  ...content,
});
