import { audit } from '../access/audit.ts';
import type { AlertKind, Severity } from '../core/alert.ts';
import { configInvalid } from '../core/errors.ts';
import { formatInstant, instantOrNull } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { printable } from '../database/printable.ts';

/** An alert: open, or ended. */
export interface Alert {
  readonly id: number;
  readonly kind: AlertKind;
  readonly organisation: string | null;
  readonly subject: string;
  readonly severity: Severity;
  readonly what: string;
  readonly remedy: string;
  /** When its trouble was seen first. */
  readonly since: Instant;
  readonly openedAt: Instant;
  /** When its trouble was seen last: the last look at the bridge, unless it is away. */
  readonly lastSeenAt: Instant;
  readonly endedAt: Instant | null;
  readonly returns: number;
  readonly earlier: number;
  readonly owner: string | null;
  readonly acknowledgedAt: Instant | null;
  readonly note: string | null;
  readonly mutedUntil: Instant | null;
}

export interface AlertChoice {
  /** The id of the last alert of the page before. */
  readonly before?: number | undefined;
  readonly id?: number | undefined;
  /** Undefined: open and ended ones. */
  readonly state?: 'open' | 'ended' | undefined;
  readonly kind?: AlertKind | undefined;
  readonly severity?: Severity | undefined;
  readonly subject?: string | undefined;
  /** Only of these organisations, so none of the bridge itself; undefined: all. */
  readonly organisations?: readonly string[] | undefined;
}

const ALERTS = `
  select id, kind, organisation, subject, severity, what, remedy, instant_of(since) as since, instant_of(opened_at) as "openedAt",
    instant_of(coalesce(gone_at, greatest(opened_at, (select beat_at from heartbeat where name = 'alerts')))) as "lastSeenAt",
    instant_of(ended_at) as "endedAt", returns, earlier, owner, instant_of(acknowledged_at) as "acknowledgedAt", note,
    instant_of(muted_until) as "mutedUntil"
  from alert where opened_at is not null and ($1::bigint is null or id < $1) and ($2::bigint is null or id = $2)
    and ($3::text is null or (ended_at is null) = ($3 = 'open')) and ($4::text is null or kind = $4)
    and ($5::text is null or severity = $5) and ($6::text is null or subject = $6)
    and ($7::text[] is null or organisation = any($7))
  order by id desc limit $8`;

/** The newest first. */
export const listAlerts = (database: Database, choice: AlertChoice, limit: number): Promise<Alert[]> => {
  const { before, id, state, kind, severity, subject, organisations } = choice;
  const chosen = [before, id, state, kind, severity, subject, organisations].map((value) => value ?? null);
  return database.rows<Alert & Record<string, unknown>>(ALERTS, [...chosen, limit]);
};

/** The open alert of an id, or of a kind and a subject. Throws `config-invalid` where there is none, or several. */
export async function openAlert(
  database: Database,
  { id, kind, subject }: Pick<AlertChoice, 'id' | 'kind' | 'subject'>,
): Promise<Alert> {
  const [alert, another] = await listAlerts(database, { id, kind, subject, state: 'open' }, 2);
  const named = id === undefined ? `${kind} of ${subject}` : `${id}`;
  if (alert === undefined)
    throw configInvalid(`there is no open alert ${named}`, 'databridge alerts list shows all open alerts');
  if (another !== undefined)
    throw configInvalid(
      `several organisations have an alert ${named}`,
      'give its number: databridge alerts list shows it',
    );
  return alert;
}

/** Notes who looks after an open alert. @returns false where it has ended */
export const acknowledgeAlert = (
  database: Database,
  alert: Alert,
  { actor, note }: { readonly actor: string; readonly note: string | undefined },
): Promise<boolean> =>
  change(database, alert, { actor, action: 'alert.acknowledged', detail: { note } }, [
    'owner = $2, acknowledged_at = now(), note = $3',
    [printable(actor), note === undefined ? null : printable(note)],
  ]);

/** Tells no target of an alert for a while; 0 ends that. What was told of it before is ended all the same. @returns false where it has ended */
export const muteAlert = (
  database: Database,
  alert: Alert,
  { actor, length }: { readonly actor: string; readonly length: Microseconds },
): Promise<boolean> =>
  change(database, alert, { actor, action: 'alert.muted', detail: { length } }, [
    `muted_until = case when $2::bigint > 0 then now() + $2 * interval '1 microsecond' end`,
    [length],
  ]);

function change(
  database: Database,
  { id, kind, organisation, subject }: Alert,
  {
    actor,
    action,
    detail,
  }: { readonly actor: string; readonly action: string; readonly detail: Record<string, unknown> },
  [set, values]: readonly [set: string, values: readonly unknown[]],
): Promise<boolean> {
  return database.transaction(async (client) => {
    const { rowCount } = await client.query(`update alert set ${set} where id = $1 and ended_at is null`, [
      id,
      ...values,
    ]);
    if (!rowCount) return false;
    await audit(client, actor, action, subject, {
      ...(organisation !== null && { organisation }),
      kind,
      id,
      ...detail,
    });
    return true;
  });
}

/** An alert as a JSON document. */
export const alertDocument = (alert: Alert) => ({
  ...alert,
  state: alert.endedAt === null ? ('open' as const) : ('ended' as const),
  since: formatInstant(alert.since),
  openedAt: formatInstant(alert.openedAt),
  lastSeenAt: formatInstant(alert.lastSeenAt),
  endedAt: instantOrNull(alert.endedAt),
  acknowledgedAt: instantOrNull(alert.acknowledgedAt),
  mutedUntil: instantOrNull(alert.mutedUntil),
});

/** What a target of alerts got, as a JSON document. */
export interface TargetState {
  readonly name: string;
  /** Changes of alerts that it was not told yet. */
  readonly waiting: number;
  /** Changes that it was told in the last day. */
  readonly told: number;
  readonly lastSentAt: Instant | null;
  readonly failures: number;
  readonly heldUntil: Instant | null;
  readonly fault: { readonly message: string; readonly remedy: string; readonly at: string } | null;
}

/** The targets that were ever told something, by their names. */
export const targetStates = (database: Database): Promise<TargetState[]> =>
  database.rows<TargetState & Record<string, unknown>>(
    `select name, count(alert_id) filter (where sent_at is null) as waiting, count(*) filter (where sent_at > now() - interval '1 day') as told,
       instant_of(last_sent_at) as "lastSentAt", failures, instant_of(held_until) as "heldUntil", last_fault as fault
     from alert_target left join alert_notice on target = name group by alert_target.name order by name`,
  );

export const targetDocument = (target: TargetState) => ({
  ...target,
  lastSentAt: instantOrNull(target.lastSentAt),
  heldUntil: instantOrNull(target.heldUntil),
});
