import { isUnanswered } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';
import { MINUTE, SECOND, formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { retryDelay } from '../core/retry.ts';
import type { Window } from '../core/window.ts';
import { formatWindow } from '../core/window.ts';
import { printableJson } from '../database/printable.ts';
import type { Bridge } from './bridge.ts';
import type { OpenSource, Stream } from './open-source.ts';

/** From this many failures in a row on history rests, so the next live poll is the only probe. */
export const PROBES_ALONE_FROM = 3;

const SOURCE_RETRY = { first: SECOND, most: 5 * MINUTE };
const THROTTLED_RETRY = { first: 5 * SECOND, most: 5 * MINUTE };
const STREAM_RETRY = { first: 30 * SECOND, most: 30 * MINUTE };
const UNANSWERED_STREAM_RETRY = { first: 5 * SECOND, most: 30 * MINUTE };

/** A fault as `last_fault` keeps it for the operator. The connection has redacted the page in it already. */
export const faultRecord = (
  error: BridgeError,
  at: Instant,
  where?: string,
  lane?: 'live' | 'history',
): Record<string, unknown> => ({
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
  readonly stream?: Stream;
  readonly window?: Window;
  readonly lane: 'live' | 'history';
  /** A 5xx or a time-out is the stream's own (core/turn.ts); the source is asked for its other streams. */
  readonly blame?: 'source' | 'stream';
}

/**
 * Acts on a fault of the table in core/errors.ts.
 *
 * @returns when the stream may be asked again, where only this stream waits; undefined where nothing of the source may be
 * asked in this run
 */
export async function actOn(
  bridge: Bridge,
  source: Pick<OpenSource, 'id' | 'name' | 'revision'>,
  error: BridgeError,
  circumstances: Circumstances,
): Promise<Instant | undefined> {
  const { log, clock } = bridge;
  const now = clock.now();
  const where = [circumstances.stream?.key, circumstances.window && formatWindow(circumstances.window)]
    .filter(Boolean)
    .join(' ');
  const record = printableJson(faultRecord(error, now, where, circumstances.lane));
  const context = {
    source: source.name,
    stream: circumstances.stream?.key,
    fault: error.fault.code,
    remedy: error.remedy,
  };
  switch (error.fault.code) {
    case 'cancelled':
      return undefined;
    case 'throttled': {
      const { retryAt, stated, own } = error.fault;
      const until = stated ? retryAt : Math.max(retryAt, now + delay(circumstances.failures, THROTTLED_RETRY));
      // Where the platform named no time, the wait grows with every refusal in a row.
      await hold(bridge, source.id, until, record, stated ? 0 : 1, own);
      // The refusal was this stream's turn, so the next poll begins with another stream. A wait for the own pace asked nothing.
      if (own === undefined && circumstances.lane === 'live') await passTurn(bridge, circumstances.stream);
      return undefined;
    }
    case 'unavailable': {
      log.warn(context, error.message);
      const { stream, lane } = circumstances;
      if (stream !== undefined && isUnanswered(error) && (circumstances.blame === 'stream' || lane === 'history')) {
        return await waitAlone(bridge, stream, {
          sourceId: source.id,
          now,
          lane,
          record,
          range: UNANSWERED_STREAM_RETRY,
        });
      }
      await hold(bridge, source.id, now + delay(circumstances.failures, SOURCE_RETRY), record, 1);
      await passTurn(bridge, stream);
      return undefined;
    }
    case 'credentials-rejected':
    case 'unsupported':
    case 'config-invalid': {
      log.error(context, `source stopped: ${error.message}`);
      // A change, resume or pause by an operator meanwhile is newer than this fault and stays in force.
      await bridge.database.run(
        `update source set state = 'stopped', last_fault = $2, failures = failures + 1
         where id = $1 and revision = $3 and state = 'active'`,
        [source.id, record, source.revision],
      );
      return undefined;
    }
    case 'too-much':
    case 'contract-broken':
    case 'bug': {
      const { stream, lane } = circumstances;
      const detail = error.fault.code === 'bug' ? { ...context, err: error.cause ?? error } : context;
      log.error(detail, error.message);
      if (stream === undefined) {
        await hold(bridge, source.id, now + delay(circumstances.failures, STREAM_RETRY), record, 1);
        return undefined;
      }
      return await waitAlone(bridge, stream, { sourceId: source.id, now, lane, record, range: STREAM_RETRY });
    }
  }
}

/**
 * Lets one stream wait in one lane, longer with each failure in a row; the other lane and the other streams go on (law 4).
 * @returns when it may be asked again
 */
async function waitAlone(
  bridge: Bridge,
  stream: Stream,
  given: {
    readonly sourceId: number;
    readonly now: Instant;
    readonly lane: 'live' | 'history';
    readonly record: string;
    readonly range: { readonly first: number; readonly most: number };
  },
): Promise<Instant> {
  const { sourceId, now, lane, record, range } = given;
  // The list of sources shows this fault, too, because a stream that fails for ever must not look healthy there.
  await bridge.database.run('update source set last_fault = $2 where id = $1', [sourceId, record]);
  const retryAt = now + delay(lane === 'live' ? stream.failures : stream.historyFailures, range);
  const live = 'failures = failures + 1, turn_at = now(), retry_at = at_instant($3)';
  await (lane === 'live'
    ? bridge.database.run(`update stream set last_fault = $2, ${live} where id = $1`, [stream.id, record, retryAt])
    : bridge.database.run('update stream set last_fault = $2, history_failures = history_failures + 1 where id = $1', [
        stream.id,
        record,
      ]));
  return retryAt;
}

/** Moves a stream to the end of the turn. */
async function passTurn(bridge: Bridge, stream: Stream | undefined): Promise<void> {
  if (stream !== undefined) await bridge.database.run('update stream set turn_at = now() where id = $1', [stream.id]);
}

const delay = (failures: number, range: { first: number; most: number }): number =>
  retryDelay(failures + 1, { ...range, random: Math.random() });

/**
 * Holds the source until `until`. A live poll is due right then, because it finds out whether the platform answers again;
 * after a hold by the bridge's `own` pace it comes when it would be due anyway. The operator sees the longest hold's fault.
 */
async function hold(
  bridge: Bridge,
  sourceId: number,
  until: Instant,
  fault: string,
  failures: number,
  own = false,
): Promise<void> {
  await bridge.database.run(
    `update source set held_until = greatest(held_until, at_instant($2)),
       next_due_at = greatest(case when $5 then next_due_at else held_until end, at_instant($2)),
       failures = failures + $4, last_fault = case when held_until >= at_instant($2) then coalesce(last_fault, $3) else $3 end
     where id = $1`,
    [sourceId, until, fault, failures, own],
  );
}
