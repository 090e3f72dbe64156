import { isUnanswered, isUnreadable } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';
import { isLight } from '../core/learn.ts';
import { afterRead, afterUnread } from '../core/unreadable.ts';
import type { Circumstances, Unreadable } from '../core/unreadable.ts';
import { formatWindow, lengthOf } from '../core/window.ts';
import type { Window } from '../core/window.ts';
import { rowsOf } from '../database/database.ts';
import type { Bridge } from './bridge.ts';
import { faultRecord } from './consequence.ts';
import type { OpenSource, Stream } from './open/open-source.ts';

/** The part of a stream that its stretches depend on. */
const circumstancesOf = ({ clock }: Bridge, { platform }: OpenSource): Circumstances => ({
  now: clock.now(),
  minWindow: platform.facts.minWindow,
});

/**
 * Whether a window is at fault, so that other time of the stream can be asked for. `too-much` that no halving helps counts. A
 * request without an answer counts where no shorter window helps and the source was well before.
 */
export const isWindowAtFault = (
  error: BridgeError,
  window: Window,
  { source, failures }: { readonly source: OpenSource; readonly failures: number },
): boolean =>
  isUnreadable(error) ||
  (isUnanswered(error) && failures === 0 && isLight(lengthOf(window), source.platform.facts.minWindow));

/** Notes that a window could not be read. @returns the unreadable stretches of the stream */
export async function setAside(
  bridge: Bridge,
  source: OpenSource,
  given: {
    readonly stream: Stream;
    readonly window: Window;
    readonly lane: 'live' | 'history';
    /** It was known to be unreadable, so the log says nothing. */
    readonly isKnown?: boolean;
  },
  error: BridgeError,
): Promise<readonly Unreadable[]> {
  const { stream, window, lane, isKnown = false } = given;
  const circumstances = circumstancesOf(bridge, source);
  const where = `${stream.key} ${formatWindow(window)}`;
  const fault = faultRecord(error, circumstances.now, where, lane);
  if (!isKnown) {
    bridge.log.info(
      { source: source.name, stream: stream.key, window: formatWindow(window), fault: error.code },
      `set aside, and asked for again later: ${error.message}`,
    );
  }
  return await change(bridge, stream, (stretches) => afterUnread(stretches, window, circumstances), fault);
}

/** Notes that a window was read. @returns the unreadable stretches of the stream */
export async function noteRead(
  bridge: Bridge,
  source: OpenSource,
  { stream, window }: { readonly stream: Stream; readonly window: Window },
): Promise<readonly Unreadable[]> {
  const { unreadable } = stream;
  if (!unreadable.some(({ from, to }) => from <= window.to && window.from <= to)) return unreadable;
  const circumstances = circumstancesOf(bridge, source);
  return await change(bridge, stream, (stretches) => afterRead(stretches, window, circumstances));
}

/** A stored stretch with its fault as JSON. */
type Stored = Unreadable & { readonly fault: string };

/** Replaces the unreadable stretches of a stream; new ones get `fault`. The row of the stream is locked meanwhile. */
async function change(
  { database }: Bridge,
  { id }: Stream,
  next: (stretches: readonly Stored[]) => readonly (Unreadable & { readonly fault?: string })[],
  fault?: string,
): Promise<readonly Unreadable[]> {
  return await database.transaction(async (client) => {
    await client.query('select from stream where id = $1 for no key update', [id]);
    const before = await rowsOf<Stored & Record<string, unknown>>(
      client,
      `with before as (delete from unreadable where stream_id = $1 returning *)
       select instant_of(from_at) as from, instant_of(to_at) as to, tries, instant_of(retry_at) as "retryAt", fault::text as fault
       from before order by from_at`,
      [id],
    );
    const after = next(before);
    await client.query(
      `insert into unreadable (stream_id, from_at, to_at, tries, retry_at, fault)
       select id, at_instant("from"), at_instant("to"), tries, at_instant(retry), fault::jsonb
       from stream cross join unnest($2::bigint[], $3::bigint[], $4::int[], $5::bigint[], $6::text[]) as row ("from", "to", tries, retry, fault)
       where id = $1`,
      [
        id,
        after.map(({ from }) => from),
        after.map(({ to }) => to),
        after.map(({ tries }) => tries),
        after.map(({ retryAt }) => retryAt),
        after.map((stretch) => stretch.fault ?? fault),
      ],
    );
    return after;
  });
}
