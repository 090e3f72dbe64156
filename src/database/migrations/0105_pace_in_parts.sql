-- Up Migration

-- A request writes the row of its source's pace twice, and PostgreSQL logs of an updated row what lies between the first and the last
-- byte that changed. So what seldom changes stands first, then the counts, which change at their end, and last what each request changes.
alter table pace rename column version to former_version;
alter table pace
  -- The requests of the last hour; see core/request-counts.ts.
  add column requests text,
  add column version bigint not null default 0,
  -- When the full burst is available again, µs.
  add column next bigint not null default 0,
  add column leases jsonb not null default '[]';
update pace set version = former_version + 1, requests = state ->> 'requests', next = coalesce((state ->> 'next')::bigint, 0),
  leases = coalesce(state -> 'leases', '[]'), state = state - 'requests' - 'next' - 'leases';
alter table pace drop column former_version;
