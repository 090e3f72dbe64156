-- Up Migration

-- The variable of a source that a name was given to first. Without this table, two variables with the same name could take
-- turns in one series, because each process that starts would decide anew.
create table series_name (
  source_id integer not null references source on delete cascade,
  sensor_id text not null,
  value_name text not null,
  -- JSON: sensor and variable as the platform calls them.
  holder text not null,
  primary key (source_id, sensor_id, value_name)
);
