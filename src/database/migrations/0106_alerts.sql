-- Up Migration

-- A trouble that an operator should know of, as a state: one open row for each kind and subject. A row begins when the trouble is seen
-- first, and is an alert once the trouble has lasted (opened_at).
create table alert (
  id bigint generated always as identity primary key,
  kind text not null,
  -- Null: of the bridge as a whole.
  organisation text,
  -- The name of a source, a source and its stream, the code of a project, a host; 'bridge' for the bridge itself.
  subject text not null,
  severity text not null check (severity in ('warning', 'critical')),
  what text not null,
  remedy text not null,
  since timestamptz not null default now(),
  opened_at timestamptz,
  -- Since when the trouble is not seen any more; null while it is.
  gone_at timestamptz,
  ended_at timestamptz,
  -- How often the trouble came back before the row ended.
  returns integer not null default 0,
  -- Alerts of this kind and subject that ended in the day before this row began. The more, the longer this one waits for its end.
  earlier integer not null default 0,
  -- The operator who acknowledged it.
  owner text,
  acknowledged_at timestamptz,
  note text,
  muted_until timestamptz
);
create unique index alert_open on alert (kind, organisation, subject) nulls not distinct where ended_at is null;
create index alert_ended on alert (ended_at) where ended_at is not null;

-- A place that alerts are told to, as the file of the rules names it.
create table alert_target (
  name text primary key,
  claimed_by uuid,
  failures integer not null default 0,
  held_until timestamptz,
  last_fault jsonb,
  last_sent_at timestamptz
);

-- What a target is told of an alert: written with the change of the alert, each change once. All notices of one message have its id,
-- which stays where nobody knows whether the message arrived.
create table alert_notice (
  alert_id bigint not null references alert on delete cascade,
  target text not null references alert_target on delete cascade,
  change text not null check (change in ('opened', 'worse', 'ended')),
  -- Of the alert at that time.
  severity text not null,
  noted_at timestamptz not null default now(),
  message uuid,
  sent_at timestamptz,
  primary key (target, alert_id, change)
);
create index alert_notice_alert on alert_notice (alert_id);
create index alert_notice_waiting on alert_notice (target) where sent_at is null;

-- When the newest backup was made.
create index audit_backup on audit (at) where action = 'bridge.backup';

-- How much room the disk of a host's home has. A process notes it with its heartbeat.
alter table worker add column disk_free bigint, add column disk_size bigint;

alter table event drop constraint event_kind_check,
  add constraint event_kind_check check (kind in ('source', 'backfill', 'audit', 'alert'));

create function note_alert_event() returns trigger language plpgsql as $$
begin
  insert into event (kind, organisation, subject, content)
    values ('alert', new.organisation, new.id, jsonb_build_object('alert', new.kind, 'of', new.subject, 'severity', new.severity,
      'state', case when new.ended_at is null then 'open' else 'ended' end, 'what', new.what,
      'owner', new.owner));
  return null;
end $$;
create trigger alert_opened after insert on alert for each row when (new.opened_at is not null) execute function note_alert_event();
create trigger alert_changed after update of severity, opened_at, ended_at, owner, muted_until on alert
  for each row when (new.opened_at is not null and (old.opened_at is distinct from new.opened_at or old.ended_at is distinct from new.ended_at
    or old.severity <> new.severity or old.owner is distinct from new.owner or old.muted_until is distinct from new.muted_until))
  execute function note_alert_event();
