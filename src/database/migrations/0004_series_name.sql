-- Up Migration

-- Which variable of a source a name was given to first. Without it two variables that would become one series could
-- take turns in it, with every process that starts.
create table series_name (
  source_id integer not null references source on delete cascade,
  sensor_id text not null,
  value_name text not null,
  -- JSON: sensor and variable as the platform calls them.
  holder text not null,
  primary key (source_id, sensor_id, value_name)
);
