import type { BridgeError } from '../core/errors.ts';
import { MINUTE, SECOND, formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { retryDelay } from '../core/retry.ts';
import type { Window } from '../core/window.ts';
import { formatWindow } from '../core/window.ts';
import { printableJson } from '../database/printable.ts';
import type { Bridge } from './bridge.ts';
import type { OpenSource, Stream } from './open-source.ts';

/** After this many failures in a row history rests, and each attempt of the live lane is the one probe. */
export const PROBES_ALONE_FROM = 3;

const SOURCE_RETRY = { first: SECOND, most: 5 * MINUTE };
const THROTTLED_RETRY = { first: 5 * SECOND, most: 5 * MINUTE };
const STREAM_RETRY = { first: 30 * SECOND, most: 30 * MINUTE };

/** What an operator is shown of a fault; a page is redacted by the connection before it gets here. */
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

/**
 * Acts on a fault of the table in core/errors.ts.
 *
 * @returns when the stream may be asked again where it alone waits; undefined where nothing of the source may be asked
 */
export async function actOn(
  bridge: Bridge,
  source: Pick<OpenSource, 'id' | 'name' | 'revision'>,
  error: BridgeError,
  place: { failures: number; stream?: Stream; window?: Window; lane: 'live' | 'history' },
): Promise<Instant | undefined> {
  const { log, clock } = bridge;
  const now = clock.now();
  const where = [place.stream?.key, place.window && formatWindow(place.window)].filter(Boolean).join(' ');
  const record = printableJson(faultRecord(error, now, where, place.lane));
  const context = { source: source.name, stream: place.stream?.key, fault: error.fault.code, remedy: error.remedy };
  switch (error.fault.code) {
    case 'cancelled':
      return undefined;
    case 'throttled': {
      const { retryAt, stated, own } = error.fault;
      const until = stated ? retryAt : Math.max(retryAt, now + delay(place.failures, THROTTLED_RETRY));
      // Where the platform named no time, every refusal in a row makes the wait longer.
      await hold(bridge, source.id, until, record, stated ? 0 : 1, own);
      return undefined;
    }
    case 'unavailable': {
      log.warn(context, error.message);
      await hold(bridge, source.id, now + delay(place.failures, SOURCE_RETRY), record, 1);
      return undefined;
    }
    case 'credentials-rejected':
    case 'unsupported':
    case 'config-invalid': {
      log.error(context, `source stopped: ${error.message}`);
      // Where an operator changed, resumed or paused it meanwhile, that is the newer word.
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
      const retryAt = now + delay(place.stream?.failures ?? place.failures, STREAM_RETRY);
      const detail = error.fault.code === 'bug' ? { ...context, err: error.cause ?? error } : context;
      log.error({ ...detail, retryAt: formatInstant(retryAt) }, error.message);
      if (place.stream === undefined) {
        await hold(bridge, source.id, retryAt, record, 1);
        return undefined;
      }
      // A page of the past that cannot be read is no reason to leave the edge alone (law 4).
      await bridge.database.run(
        `update stream set last_fault = $2, failures = failures + 1,
           retry_at = case when $4 = 'live' then at_instant($3) else retry_at end where id = $1`,
        [place.stream.id, record, retryAt, place.lane],
      );
      await bridge.database.run('update source set last_fault = $2 where id = $1', [source.id, record]);
      return retryAt;
    }
  }
}

const delay = (failures: number, range: { first: number; most: number }): number =>
  retryDelay(failures + 1, { ...range, random: Math.random() });

/**
 * Nothing is asked before `until`. Live is the first then, to find out whether all is well again, whenever it would be
 * due; of the bridge's `own` pace there is nothing to find out. What holds longest is what an operator is shown.
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
