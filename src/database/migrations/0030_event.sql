-- Up Migration

-- What changed, for operators that watch. Rows are kept for a day. The number of its transaction stands in each row, because the
-- ids of transactions under way at the same time become visible in another order than they were given.
create table event (
  id bigint generated always as identity,
  xact xid8 not null default pg_current_xact_id(),
  at timestamptz not null default now(),
  kind text not null check (kind in ('source', 'backfill', 'audit')),
  -- Null: of no organisation.
  organisation text,
  subject text not null,
  content jsonb not null,
  primary key (xact, id)
);
create index event_age on event (at);

-- Names these rows: a restored database has others under the same numbers.
create table event_epoch (epoch text not null default left(gen_random_uuid()::text, 8));
insert into event_epoch default values;

create function note_source_event() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into event (kind, organisation, subject, content)
      values ('source', old.organisation_id, old.name, jsonb_build_object('change', 'removed'));
    return null;
  end if;
  insert into event (kind, organisation, subject, content)
    values ('source', new.organisation_id, new.name, jsonb_build_object(
      'change', case when tg_op = 'INSERT' then 'created' else 'changed' end,
      'state', new.state, 'revision', new.revision, 'failures', new.failures,
      'fault', new.last_fault - 'page', 'lookFault', new.look_fault - 'page'));
  return null;
end $$;

create trigger source_made after insert on source for each row execute function note_source_event();
create trigger source_removed after delete on source for each row execute function note_source_event();
-- A source that goes on failing for the same reason, and one that goes on well, is no event.
create trigger source_changed after update of state, revision, last_fault, look_fault, failures on source
  for each row when (old.state <> new.state or old.revision <> new.revision or (old.failures > 0) <> (new.failures > 0)
    or old.last_fault ->> 'code' is distinct from new.last_fault ->> 'code'
    or old.look_fault ->> 'code' is distinct from new.look_fault ->> 'code')
  execute function note_source_event();

create function note_backfill_event() returns trigger language plpgsql as $$
begin
  insert into event (kind, organisation, subject, content)
    select 'backfill', organisation_id, new.id, jsonb_build_object('source', name, 'state', new.state)
    from source where source.id = new.source_id;
  return null;
end $$;

create trigger backfill_made after insert on backfill for each row execute function note_backfill_event();
create trigger backfill_changed after update of state on backfill
  for each row when (old.state <> new.state) execute function note_backfill_event();

create function note_audit_event() returns trigger language plpgsql as $$
begin
  insert into event (kind, organisation, subject, content)
    values ('audit', new.detail ->> 'organisation', new.id,
      jsonb_build_object('actor', new.actor, 'action', new.action, 'subject', new.subject));
  return null;
end $$;

create trigger audit_made after insert on audit for each row execute function note_audit_event();
