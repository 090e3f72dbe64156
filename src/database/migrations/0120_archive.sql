-- Up Migration

-- The days of readings that were moved out of `reading` into a Parquet file each. A row is written by the transaction that deletes
-- the readings, so a reading is in one of the two. A row of a replaced file stays while reads and backups may use the file.
create table archived_day (
  id integer generated always as identity primary key,
  project_id integer not null references ml_project,
  -- UTC.
  day date not null,
  -- Below the directory of the archive.
  path text not null,
  sha256 text not null,
  bytes bigint not null,
  readings bigint not null,
  series integer not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  made_at timestamptz not null default now(),
  replaced_at timestamptz
);
create unique index archived_day_present on archived_day (project_id, day) where replaced_at is null;
create index archived_day_replaced on archived_day (replaced_at) where replaced_at is not null;
