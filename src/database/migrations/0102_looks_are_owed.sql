-- Up Migration

-- Looks for late data before a gap are owed in look_again, so no run of history leaves word for the next one. The gaps of now get theirs.
update stream set look_again = look_again + coalesce((
  select range_agg(tstzrange(upper(range) - interval '1 hour', upper(range))) from unnest(covered) as range where upper(range) < upper(covered)), '{}')
where retired_at is null;
alter table stream drop column caught_up_to;
-- How often looks were noted in look_again. A window that was planned before the last time settles none of them within the overlap.
alter table stream add column looks_noted integer not null default 0;
