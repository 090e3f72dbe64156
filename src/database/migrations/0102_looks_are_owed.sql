-- Up Migration

-- The bridge notes in look_again which looks for late data it owes, so no run of history leaves word for the next one. The gaps that are
-- open now get the look before them here.
update stream set look_again = look_again + coalesce((
  select range_agg(tstzrange(upper(range) - interval '1 hour', upper(range))) from unnest(covered) as range where upper(range) < upper(covered)), '{}')
where retired_at is null;
alter table stream drop column caught_up_to;
-- How often commits noted looks in look_again. A window that was planned before the last time settles of them only what is older than
-- the overlap.
alter table stream add column looks_noted integer not null default 0;
