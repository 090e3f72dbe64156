import type { Logger } from 'pino';
import { PushError } from '../client/index.ts';
import type { PushFault } from '../client/index.ts';
import { BridgeError } from '../core/errors.ts';
import { HOUR, MILLISECOND, formatInstant } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { WAITS, refusedDelay } from '../core/retry.ts';
import type { Database } from '../database/database.ts';
import { printableJson } from '../database/printable.ts';
import type { DeliveryMeters } from './meters.ts';
import type { RemoteRow } from './open-remote.ts';
import { DELIVERY_REMEDIES } from './remedies.ts';

/** A service that asks for a longer wait by Retry-After cannot stop a delivery. */
export const LONGEST_RETRY_AFTER = HOUR;

type Code = PushFault['code'] | 'config-invalid' | 'bug';

interface Ground {
  readonly database: Database;
  readonly workerId: string;
  readonly log: Logger;
  readonly now: () => Instant;
  readonly meters?: DeliveryMeters | undefined;
}

/**
 * Acts on the error of a delivery. The outbox keeps all readings, and they are sent again later. Nothing is recorded
 * where an operator changed or resumed the delivery meanwhile, or another process has claimed it.
 */
export async function actOnDelivery(
  { database, workerId, log, now, meters }: Ground,
  remote: RemoteRow,
  error: unknown,
): Promise<void> {
  if (error instanceof BridgeError && error.code === 'cancelled') return;
  const code = codeOf(error);
  meters?.failed(code);
  const message = error instanceof Error ? error.message : String(error);
  const own = error instanceof PushError ? error.cause : error;
  const remedy = (own instanceof BridgeError ? own.remedy : undefined) ?? DELIVERY_REMEDIES[code];
  const record = printableJson({ code, message, remedy, at: formatInstant(now()) });
  const context = { project: remote.project, fault: code, remedy };
  if (code === 'credentials-rejected' || code === 'config-invalid') {
    log.error(context, `delivery stopped: ${message}`);
    await database.run(
      `update remote set state = 'stopped', last_fault = $2, failures = failures + 1
       where project_id = $1 and revision = $3 and claimed_by = $4`,
      [remote.projectId, record, remote.revision, workerId],
    );
    return;
  }
  const delay = delayOf(code, error, remote.failures);
  if (code === 'bug') log.error({ ...context, err: error }, message);
  else if (isAway(code) && remote.failures === 0) log.warn(context, `delivery waits: ${message}`);
  else if (!isAway(code)) log.error(context, `delivery waits: ${message}`);
  await database.run(
    `update remote set failures = failures + 1, last_fault = $2, held_until = now() + $3 * interval '1 microsecond'
     where project_id = $1 and revision = $4 and claimed_by = $5`,
    [remote.projectId, record, delay, remote.revision, workerId],
  );
}

function codeOf(error: unknown): Code {
  if (error instanceof PushError) return error.fault.code;
  return error instanceof BridgeError && error.code === 'config-invalid' ? 'config-invalid' : 'bug';
}

const isAway = (code: Code): boolean => code === 'unreachable' || code === 'overloaded' || code === 'failed';

/** `failures`: in a row, before this one. */
function delayOf(code: Code, error: unknown, failures: number): Microseconds {
  const statedMs =
    error instanceof PushError && error.fault.code === 'overloaded' ? error.fault.retryAfterMs : undefined;
  const stated = statedMs === undefined ? undefined : Math.min(LONGEST_RETRY_AFTER, statedMs * MILLISECOND);
  return refusedDelay(isAway(code) ? WAITS.delivery : WAITS.refusedDelivery, failures, Math.random(), stated);
}
