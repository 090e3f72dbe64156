import type { PoolClient } from 'pg';
import { alertKeyOf, stepAlerts } from '../core/alert.ts';
import type { AlertChanges, AlertRow } from '../core/alert.ts';
import type { Instant } from '../core/instant.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { LOCKS } from '../database/locks.ts';
import { printableJson } from '../database/printable.ts';
import type { Observed } from './observe.ts';
import type { AlertRules } from './rules.ts';

/** The bridge is looked at this often, by one process of all. */
const EVALUATE_EVERY = "interval '9 s'";

/** A rest that is longer stems from a clock that was ahead. */
const LONGEST_REST = "interval '10 minutes'";

/** A turn names its instant, so that a process that lost its turn changes nothing. A beat in the future stems from a clock that was ahead. */
const TAKE_TURN = `
  insert into heartbeat as last (name, beat_at) values ('alerts', now())
  on conflict (name) do update set beat_at = now() where last.beat_at not between now() - ${EVALUATE_EVERY} and now()
    and not exists (select from heartbeat where name = 'alerts rest' and beat_at between now() and now() + ${LONGEST_REST})
  returning beat_at::text as turn`;

/** The turn of this process; undefined where it is another one's, or not yet time. */
export const takeTurn = async (database: Database): Promise<string | undefined> =>
  (await database.row<{ turn: string }>(TAKE_TURN))?.turn;

/** Lets no process look at the bridge for a while. */
export const restFor = (database: Database, ms: number): Promise<number> =>
  database.run(
    `insert into heartbeat (name, beat_at) values ('alerts rest', now() + least($1 * interval '1 ms', ${LONGEST_REST}))
     on conflict (name) do update set beat_at = excluded.beat_at`,
    [Math.round(ms)],
  );

const OPEN = `
  select id, kind, organisation, subject, severity, what, remedy, instant_of(since) as since, instant_of(opened_at) as "openedAt",
    instant_of(gone_at) as "goneAt", returns, earlier
  from alert where ended_at is null`;

const EARLIER = `
  select kind, organisation, subject, count(*)::int as count from alert
  where ended_at > now() - interval '1 day' group by 1, 2, 3`;

const BEGIN = `
  insert into alert (kind, organisation, subject, severity, what, remedy, since, opened_at, earlier)
  select kind, organisation, subject, severity, what, remedy, now(), case when opens then now() end, earlier
  from jsonb_to_recordset($1::jsonb) as one (kind text, organisation text, subject text, severity text, what text, remedy text, opens boolean, earlier int)
  on conflict do nothing`;

const CHANGE = `
  update alert set severity = one.severity, what = one.what, remedy = one.remedy, returns = one.returns,
    opened_at = case when one.opens then coalesce(opened_at, now()) end,
    gone_at = case when one.gone then coalesce(gone_at, now()) end
  from jsonb_to_recordset($1::jsonb) as one (id bigint, severity text, what text, remedy text, returns int, opens boolean, gone boolean)
  where alert.id = one.id and ended_at is null`;

const END =
  'update alert set ended_at = now(), gone_at = coalesce(gone_at, now()) where id = any($1) and ended_at is null';

/** A trouble that went away before it was an alert leaves nothing behind. */
const DROP = 'delete from alert where id = any($1) and opened_at is null';

/** What each target is to be told of alerts that are open or ended just now, each change once. A mute holds back only the beginning. */
const NOTE = `
  with target as (
    select name, severities, organisations from jsonb_to_recordset($1::jsonb) as one (name text, severities text[], organisations text[])),
  known as (insert into alert_target (name) select name from target on conflict do nothing),
  told as (
    select alert.id, target.name, case when ended_at is null then 'opened' else 'ended' end as change, severity
    from alert cross join target
    where opened_at is not null and (
      ended_at is null and severity = any(severities) and (organisations is null or organisation = any(organisations))
        and (muted_until is null or muted_until <= now())
      or ended_at > now() - interval '1 hour'
        and exists (select from alert_notice where alert_id = alert.id and target = target.name and change = 'opened'))
    union all
    select alert.id, notice.target, 'worse', alert.severity from alert join alert_notice as notice on alert_id = alert.id
      join target on target.name = notice.target and alert.severity = any(severities)
    where ended_at is null and change = 'opened' and notice.severity = 'warning' and alert.severity = 'critical'
      and (muted_until is null or muted_until <= now()))
  insert into alert_notice (alert_id, target, change, severity) select id, name, change, severity from told
  on conflict do nothing`;

/**
 * Brings the table of alerts to what was observed, and notes what is to be told, in one transaction. @returns the changes; undefined
 * where another process took the turn over meanwhile
 */
export const applyObserved = (
  database: Database,
  turn: string,
  { troubles, unknown, unjudgedFor }: Observed,
  rules: AlertRules,
): Promise<AlertChanges | undefined> =>
  database.transaction(async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [LOCKS.alerts]);
    const [present] = await rowsOf<{ now: Instant; mine: boolean }>(
      client,
      `select instant_of(now()) as now, beat_at = $1::timestamptz as mine from heartbeat where name = 'alerts'`,
      [turn],
    );
    if (present?.mine !== true) return undefined;
    const rows = await rowsOf<AlertRow & Record<string, unknown>>(client, OPEN);
    const ended = await rowsOf<Pick<AlertRow, 'kind' | 'organisation' | 'subject'> & { count: number }>(
      client,
      EARLIER,
    );
    const changes = stepAlerts(rows, troubles, {
      now: present.now,
      patienceOf: rules.patienceOf,
      unknown,
      unjudgedFor,
      earlier: new Map(ended.map((one) => [alertKeyOf(one), one.count])),
    });
    await write(client, changes);
    await client.query(NOTE, [
      printableJson(rules.targets.map(({ name, severities, organisations }) => ({ name, severities, organisations }))),
    ]);
    return changes;
  });

async function write(client: PoolClient, { begun, changed, ended, dropped }: AlertChanges): Promise<void> {
  const idsOf = (rows: readonly AlertRow[]) => rows.map(({ id }) => id);
  if (ended.length > 0) await client.query(END, [idsOf(ended)]);
  if (dropped.length > 0) await client.query(DROP, [idsOf(dropped)]);
  const opens = ({ openedAt, ...row }: AlertRow) => ({ ...row, opens: openedAt !== null, gone: row.goneAt !== null });
  if (changed.length > 0) await client.query(CHANGE, [printableJson(changed.map(opens))]);
  if (begun.length > 0) await client.query(BEGIN, [printableJson(begun.map(opens))]);
}

/** Forgets alerts that ended more than `days` ago, with their notices, what no target took in two weeks, and targets that are in no file. */
export async function dropOldAlerts(
  database: Database,
  { days, targets }: { readonly days: number; readonly targets: readonly string[] },
): Promise<void> {
  await database.run(`delete from alert where ended_at < now() - greatest($1, 14) * interval '1 day'`, [days]);
  await database.run(
    `delete from alert_target where name <> all($1) and greatest(last_sent_at, held_until) < now() - interval '14 days'`,
    [targets],
  );
  await database.run(
    `delete from alert_notice using alert where alert.id = alert_id and ended_at is not null and sent_at is null
       and noted_at < now() - interval '14 days'`,
  );
}
