import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { formatInstant } from '../core/instant.ts';
import { WAITS, retryDelay } from '../core/retry.ts';
import type { Database } from '../database/database.ts';
import { claimable } from '../database/presence.ts';
import { printableJson } from '../database/printable.ts';
import { alertMessageOf } from './message.ts';
import type { ToldAlert } from './message.ts';
import type { AlertTarget } from './rules.ts';
import type { SendMessage } from './target.ts';

/** A target gets at most one message in this time; what changes meanwhile goes with the next one. */
const APART = "interval '1 minute'";

/** A mute holds back what was noted before it, except what may have arrived already. */
const IS_TOLD = `(message is not null or ended_at is not null or muted_until is null or muted_until <= now())`;

const CLAIM = `
  update alert_target set claimed_by = $2
  where name = any($1) and (held_until is null or held_until <= now()) and (last_sent_at is null or last_sent_at <= now() - ${APART} or last_sent_at > now())
    and ${claimable('claimed_by', '$2')}
    and exists (select from alert_notice join alert on alert.id = alert_id where target = name and sent_at is null and ${IS_TOLD})
  returning name, failures`;

/** A message that may have arrived is sent again as it was; otherwise all that waits is one message. */
const GATHER = `
  with wanted as (
    select coalesce((select message from alert_notice where target = $1 and sent_at is null and message is not null limit 1), $2::uuid) as id),
  named as (
    update alert_notice set message = wanted.id from wanted, alert
    where target = $1 and sent_at is null and alert.id = alert_id and ${IS_TOLD}
      and (message = wanted.id or not exists (select from alert_notice where target = $1 and sent_at is null and message is not null))
    returning alert_id, change, alert_notice.message)
  select message, change, alert.id, kind, organisation, subject, severity, what, remedy, instant_of(since) as since,
    instant_of(opened_at) as "openedAt", instant_of(ended_at) as "endedAt", returns, earlier, owner
  from named join alert on alert.id = alert_id`;

const SENT = `
  with taken as (
    update alert_target set claimed_by = null, failures = 0, held_until = null, last_fault = $3, last_sent_at = now() where name = $1 returning name)
  update alert_notice set sent_at = now() from taken where target = name and message = $2 and sent_at is null`;

const FAILED = `
  update alert_target set claimed_by = null, failures = failures + 1, held_until = now() + $3 * interval '1 microsecond', last_fault = $4
  where name = $1 and claimed_by = $2`;

export interface AlertDelivery {
  readonly database: Database;
  readonly workerId: string;
  readonly log: Logger;
  readonly send: SendMessage;
  readonly now: () => number;
}

/** Sends what waits for those of the targets that no other process is sending to. Targets are asked beside each other. */
export async function deliverAlerts(ground: AlertDelivery, targets: readonly AlertTarget[]): Promise<void> {
  if (targets.length === 0) return;
  const claimed = await ground.database.rows<{ name: string; failures: number }>(CLAIM, [
    targets.map(({ name }) => name),
    ground.workerId,
  ]);
  const ends = await Promise.allSettled(
    claimed.map(async ({ name, failures }) => {
      const target = targets.find((one) => one.name === name);
      if (target !== undefined) await deliverTo(ground, target, failures);
    }),
  );
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function deliverTo(
  { database, workerId, log, send, now }: AlertDelivery,
  target: AlertTarget,
  failures: number,
): Promise<void> {
  const { name } = target;
  const changes = await database.rows<ToldAlert & { message: string }>(GATHER, [name, randomUUID()]);
  const [first] = changes;
  if (first === undefined) return;
  const id = first.message;
  const fault = await send(target, alertMessageOf(id, changes));
  if (fault?.isTaken) log.error({ target: name, reason: fault.message }, 'a target of alerts took a message in part');
  if (fault === undefined || fault.isTaken) {
    const record = fault && printableJson({ message: fault.message, remedy: fault.remedy, at: formatInstant(now()) });
    await database.run(SENT, [name, id, record ?? null]);
    if (failures > 0) log.info({ target: name }, 'the target of alerts takes messages again');
    return;
  }
  const { message, remedy, mayHaveArrived } = fault;
  if (failures === 0) log.error({ target: name, reason: message, remedy }, 'a target of alerts does not take messages');
  if (!mayHaveArrived) {
    await database.run(
      'update alert_notice set message = null where target = $1 and message = $2 and sent_at is null',
      [name, id],
    );
  }
  const record = printableJson({ message, remedy, at: formatInstant(now()) });
  await database.run(FAILED, [name, workerId, retryDelay(WAITS.alert, failures + 1, Math.random()), record]);
}
