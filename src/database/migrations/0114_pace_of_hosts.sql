-- Up Migration

-- The pace of a host, which the sources of all projects share; a row as in `pace`, made by the first request to a host that has a pace.
create table host_pace (
  host text primary key,
  state jsonb not null,
  requests text,
  version bigint not null default 0,
  next bigint not null default 0,
  leases jsonb not null default '[]'
) with (fillfactor = 50);

-- Requests that windows under way may still need, so that runs beside each other do not use the same rest of a day.
alter table backfill_day add column reserved integer not null default 0;
