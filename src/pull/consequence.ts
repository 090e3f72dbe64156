import { isOfBridge, isPermanent, isUnanswered } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';
import { HOUR, MINUTE, formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { WAITS, refusedDelay, retryDelay } from '../core/retry.ts';
import type { Wait } from '../core/retry.ts';
import type { Window } from '../core/window.ts';
import { titleOf } from '../core/source/source-name.ts';
import { formatWindow } from '../core/window.ts';
import { printableJson } from '../database/printable.ts';
import { MOST_REFUSED } from '../platform/connection/index.ts';
import { TITLE } from './open/account.ts';
import type { Bridge } from './bridge.ts';
import type { OpenSource, Stream } from './open/open-source.ts';

/** After this many failures in a row history rests, so the next live poll is the only probe. */
export const PROBES_ALONE_FROM = 3;

/**
 * Stops a source. Where the platform refused its credentials (`$5`), it stops each other source with the same credentials, too
 * (account.ts), and their faults name the source that the platform refused. The row of the pace tells the runs on other hosts, so they
 * send nothing more. It locks sources, account and paces in this order, as an operator's change does (source/gate.ts): a refusal or a
 * proof of the account, which has its row and marks all paces, waits for it or is waited for, and never in a ring.
 */
const STOP = `
  with concerned as materialized (
    select id from source where state = 'active' and (id = $1 and edition = $3 or $5 and id in (
      select other.source_id from pace as own join account on digest = own.state ->> 'account' and refused >= $4
        join pace as other on other.state ->> 'account' = digest
      where own.source_id = $1))
    order by id for no key update),
  known as materialized (
    select digest from account where $5 and digest = (select state ->> 'account' from pace where source_id = $1)
      and (select count(*) from concerned) > 0
    for no key update),
  paces as materialized (
    select source_id from pace where source_id in (select id from concerned) and (select count(*) from known) >= 0
    order by source_id for no key update),
  stopped as (
    update source set state = 'stopped', failures = failures + 1,
      last_fault = case when id = $1 then $2::jsonb else $2::jsonb - 'lane' || jsonb_build_object('where', coalesce((
        select 'source ' || ${TITLE}
        from pace as own join account on digest = own.state ->> 'account' join source on source.id = refused_by
        where own.source_id = $1), $6::text)) end
    where id in (select id from concerned))
  update pace set version = version + 1, state = state || '{"paused": true}' where source_id in (select source_id from paces)`;

/** A source that waits for its own pace looks again after this; see `forgetImpossibleWaits` in future.ts. */
export const LONGEST_OWN_HOLD = 12 * HOUR;

/** A fault as JSON, as `last_fault` keeps it for the operator. The connection has redacted the page in it already. */
export const faultRecord = (error: BridgeError, at: Instant, where?: string, lane?: 'live' | 'history'): string =>
  printableJson({
    ...error.fault,
    lane,
    message: error.message,
    remedy: error.remedy,
    at: formatInstant(at),
    where,
  });

/** Where a fault happened. */
interface Circumstances {
  /** Failures in a row of the source before this one. */
  readonly failures: number;
  /** The platform answered earlier in this run, so no refusal of a run before it counts as one in a row. */
  readonly answered?: boolean;
  readonly stream?: Stream;
  readonly window?: Window | undefined;
  readonly lane: 'live' | 'history';
  /** Whose the fault is. If the stream's own, the source is asked for its others. */
  readonly blame?: 'source' | 'stream';
  /** The window was set aside, so the next poll asks for other time and need not wait yet. */
  readonly setAside?: boolean;
}

/** The source, with the edition that the run opened. */
type FaultySource = Pick<OpenSource, 'id' | 'edition'>;

/** A run of history knows nothing of other streams, so live finds out whether the whole source is concerned. */
const isOfStreamAlone = (error: BridgeError, { blame, lane }: Circumstances): boolean =>
  (isUnanswered(error) || isPermanent(error)) && (blame === 'stream' || lane === 'history');

/**
 * Acts on a fault of the table in core/errors.ts. Where an operator changed or resumed the source since the run began, the fault
 * is of the time before: nothing is written, and the run ends.
 *
 * @returns when the stream may be asked again in its lane, where it waits apart from the source; undefined where nothing of the
 * source may be asked in this run
 */
export async function actOn(
  bridge: Bridge,
  source: FaultySource & Pick<OpenSource, 'name' | 'organisation'>,
  error: BridgeError,
  circumstances: Circumstances,
): Promise<Instant | undefined> {
  const { log, clock } = bridge;
  const { answered = false, failures, lane, setAside, stream, window } = circumstances;
  const now = clock.now();
  const where = [stream?.key, window && formatWindow(window)].filter(Boolean).join(' ');
  const record = faultRecord(error, now, where, lane);
  const context = { source: titleOf(source), stream: stream?.key, fault: error.fault.code, remedy: error.remedy };
  const holdUntil = (until: Instant, more: Omit<Hold, 'until' | 'now' | 'record'>): Promise<void> =>
    hold(bridge, source, { until, now, record, ...more });
  const alone = (its: Stream, wait: Wait): Promise<Instant | undefined> =>
    waitAlone(bridge, its, { source, now, lane, record, wait });
  if (isOfBridge(error)) {
    log.error(context, error.message);
    return stream === undefined ? undefined : await waitForBridge(bridge, stream, { source, now, lane, record });
  }
  const isAlone = isOfStreamAlone(error, circumstances);
  switch (error.fault.code) {
    case 'cancelled':
      return undefined;
    case 'throttled': {
      const { retryAt, stated, own } = error.fault;
      if (own) {
        // A wait of history is its own, because live has places and slots that history may not take.
        if (lane === 'history') return Math.min(retryAt, now + WAITS.stream.most);
        // Quiet hours may last for days, and a longer hold would be taken for the trace of a clock that was ahead.
        await holdUntil(Math.min(retryAt, now + LONGEST_OWN_HOLD), { counts: 'no', own });
        return undefined;
      }
      if (lane === 'history' && stream !== undefined) {
        // The silence is for the whole source. That history is refused again and again is no reason to keep live waiting.
        await holdUntil(retryAt, { counts: 'no' });
        const until = await alone(stream, WAITS.silentStream);
        return until === undefined ? undefined : Math.max(retryAt, until);
      }
      const asked = stated ? retryAt - now : undefined;
      const wait = refusedDelay(WAITS.throttled, answered ? 0 : failures, Math.random(), asked);
      await holdUntil(Math.max(retryAt, now + wait), { counts: stated ? 'again' : 'yes', answered });
      // It met the end of a quota, and the next poll begins with it: a quota may end at the same stream each time. Refused again
      // and again, it has had its turn, so that the next poll begins with another stream.
      if (failures > 0) await passTurn(bridge, source, stream);
      return undefined;
    }
    case 'unavailable': {
      log.warn(context, error.message);
      if (stream !== undefined && isAlone) return await alone(stream, WAITS.silentStream);
      await holdUntil(now + delay(WAITS.source, failures), { counts: 'yes' });
      await endWaits(bridge, source);
      await passTurn(bridge, source, stream);
      return undefined;
    }
    case 'credentials-rejected':
    case 'unsupported':
    case 'config-invalid': {
      if (stream !== undefined && isAlone) {
        log.error(context, error.message);
        return await alone(stream, WAITS.stream);
      }
      log.error(context, `source stopped: ${error.message}`);
      // A change, resume or pause by an operator meanwhile is newer than this fault and stays in force.
      const isAccount = error.fault.code === 'credentials-rejected' && !error.fault.right;
      const met = `source ${titleOf(source)}`;
      await bridge.database.run(STOP, [source.id, record, source.edition, MOST_REFUSED, isAccount, met]);
      return undefined;
    }
    case 'too-much':
    case 'contract-broken':
    case 'too-costly':
    case 'bug': {
      log.error(error.fault.code === 'bug' ? { ...context, err: error.cause ?? error } : context, error.message);
      if (stream === undefined || (circumstances.blame === 'source' && lane === 'live')) {
        // No stream can be read, so the platform is asked no more often for all of them than for one.
        if (stream !== undefined && (await alone(stream, WAITS.stream)) === undefined) return undefined;
        await holdUntil(now + delay(WAITS.stream, failures), { counts: 'yes' });
        return undefined;
      }
      return await alone(stream, setAside && lane === 'live' && stream.failures === 0 ? WAITS.setAside : WAITS.stream);
    }
  }
}

/** A fault in one lane of a stream; `record`: as JSON. */
interface LaneFault {
  readonly source: FaultySource;
  readonly now: Instant;
  readonly lane: 'live' | 'history';
  readonly record: string;
}

/**
 * Lets one stream wait in one lane, longer with each failure in a row; the other lane and the other streams go on (law 4).
 * @returns when it may be asked again; undefined where the edition of the source is gone
 */
async function waitAlone(
  { database }: Bridge,
  stream: Stream,
  given: LaneFault & { readonly wait: Wait },
): Promise<Instant | undefined> {
  const { source, now, lane, record, wait } = given;
  const failures = lane === 'live' ? stream.failures : stream.historyFailures;
  const retryAt = now + delay(wait, failures);
  // The list of sources shows this fault, too, because a stream that fails for ever must not look healthy there.
  const written = await database.run(
    `with told as (update source set last_fault = $3 where id = $1 and edition = $2 returning id),
     counted as (
       update work set failures = $5 from told where kind = 'history' and work.id = $4 and $6::text = 'history')
     update stream set last_fault = $3${lane === 'live' ? ', failures = failures + 1, turn_at = now(), retry_at = at_instant($7)' : ''}
     from told where stream.id = $4 and source_id = told.id`,
    [source.id, source.edition, record, stream.id, failures + 1, lane, ...(lane === 'live' ? [retryAt] : [])],
  );
  return written === 0 ? undefined : retryAt;
}

/** A stream waits for a repair of the bridge itself as long as the fault has stood, within these bounds: the platform may be asked in vain each time. Its fault keeps the instant of the first one. */
const REPAIR_WAIT = { least: MINUTE, most: HOUR };

/**
 * Lets one stream wait in one lane for a repair of the bridge itself. Nothing is counted, and neither source nor platform has a fault.
 * @returns when it may be asked again; undefined where the edition of the source is gone
 */
async function waitForBridge(
  { database }: Bridge,
  stream: Stream,
  { source, now, lane, record }: LaneFault,
): Promise<Instant | undefined> {
  const row = await database.row<{ retryAt: Instant }>(
    `with known as (
       select id, case when last_fault ->> 'code' = 'config-invalid' and last_fault ? 'own' then last_fault -> 'at' end as since
       from stream where id = $4 and source_id = $1 and ${SAME_EDITION} for no key update),
     waiting as (
       select id, $3::jsonb || jsonb_build_object('at', coalesce(since, $3::jsonb -> 'at')) as fault,
         $5 + least(greatest($5 - coalesce(instant_of((since #>> '{}')::timestamptz), $5), $6), $7) as retry_us from known)
     update stream set last_fault = fault${lane === 'live' ? ', turn_at = now(), retry_at = at_instant(retry_us)' : ''}
     from waiting where stream.id = waiting.id returning retry_us as "retryAt"`,
    [source.id, source.edition, record, stream.id, now, REPAIR_WAIT.least, REPAIR_WAIT.most],
  );
  return row?.retryAt;
}

/** SQL condition on a row of `stream`: its source has the edition `$2`. */
const SAME_EDITION = 'exists (select from source where source.id = source_id and edition = $2)';

/**
 * Ends the waits of single streams that got no answer: the platform was away for all of them, and each is asked again when it
 * answers. Until then the source waits.
 */
async function endWaits({ database }: Bridge, { id, edition }: FaultySource): Promise<void> {
  await database.run(
    `update stream set retry_at = null where source_id = $1 and ${SAME_EDITION}
     and retired_at is null and retry_at is not null and last_fault ->> 'code' = 'unavailable'`,
    [id, edition],
  );
}

/** Moves a stream to the end of the turn. */
async function passTurn({ database }: Bridge, { edition }: FaultySource, stream: Stream | undefined): Promise<void> {
  if (stream === undefined) return;
  await database.run(`update stream set turn_at = now() where id = $1 and ${SAME_EDITION}`, [stream.id, edition]);
}

/** `failures`: in a row, before this one. */
const delay = (wait: Wait, failures: number): number => retryDelay(wait, failures + 1, Math.random());

/** A hold of a source. */
interface Hold {
  readonly until: Instant;
  readonly now: Instant;
  /** The fault as JSON. */
  readonly record: string;
  /**
   * Whether it is a failure in a row. `again`: only where the platform was given the silence it asked for the last time and
   * refuses again.
   */
  readonly counts: 'yes' | 'no' | 'again';
  /** The bridge's own pace makes the source wait. */
  readonly own?: boolean;
  /** The platform answered in this run, so the failures in a row begin anew. */
  readonly answered?: boolean;
}

/**
 * Holds the source. A live poll is due at the end of the hold, because it finds out whether the platform answers again; after
 * a hold by the bridge's `own` pace it comes when it would be due anyway. The operator sees the longest hold's fault, and a
 * fault of the platform rather than the bridge's own pace. Several requests that fail at a time are one failure: while the
 * source is held, no further one is counted.
 */
async function hold({ database }: Bridge, source: FaultySource, given: Hold): Promise<void> {
  const { until, now, record, counts, own = false, answered = false } = given;
  await database.run(
    `with held as (
     update source set held_until = greatest(held_until, at_instant($2)),
       failures = case when $6 then 0 else failures end + case
         when $4 = 'no' or held_until > at_instant($7) then 0
         when $4 = 'again' and ($6 or last_fault is null or last_fault ->> 'code' <> 'throttled' or last_fault ? 'own') then 0
         else 1 end,
       last_fault = case
         when held_until >= at_instant($2) or $5 and not last_fault ? 'own' and (failures > 0 or last_fault ->> 'code' = 'throttled') then coalesce(last_fault, $3)
         else $3 end
     where id = $1 and edition = $8 returning id, held_until)
     update work set sent_at = null, due_at = case when $5 then greatest(due_at, at_instant($2)) else held.held_until end
     from held where kind = 'poll' and work.id = held.id`,
    [source.id, until, record, counts, own, answered, now, source.edition],
  );
}
