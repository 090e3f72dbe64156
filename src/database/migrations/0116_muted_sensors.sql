-- Up Migration

-- A sensor whose silence nobody is told of for a while. The source stays silent in lists; only its alert leaves the sensor out.
create table muted_sensor (
  source_id integer not null references source on delete cascade,
  -- As the platform calls it.
  sensor text not null,
  muted_until timestamptz not null,
  reason text not null,
  muted_by text not null,
  primary key (source_id, sensor)
);

-- Of the silent sensors of the last look, those that were muted then.
alter table freshness add column muted integer not null default 0;
