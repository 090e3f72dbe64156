-- Up Migration

-- A look for sensors is work of its own beside polling, with its own due time, claim, failures and fault.
alter table source add column look_due_at timestamptz,
  -- An operator asked for a look: the report of a look that is under way leaves it due.
  add column look_asked boolean not null default false,
  add column look_claimed_by uuid,
  add column look_failures integer not null default 0,
  -- Why the last look failed, or what an operator should know about the sensors it found.
  add column look_fault jsonb,
  -- The streams are those of a configuration that was replaced. None is asked before a look under the new one has ended.
  add column awaits_look boolean not null default false;
create index source_look_due on source (look_due_at) where state = 'active';

-- `discovered_at` is from now on the end of the last complete look. Sources that never had one, and those that take every
-- sensor, are due as they were before.
update source set look_due_at = coalesce(discovered_at + interval '1 hour', now()),
  awaits_look = discovered_at is null and exists (select from stream where source_id = source.id and retired_at is null);

-- The platform did not show the sensors of this stream in the last complete look; it is still read.
alter table stream add column absent_since timestamptz;
