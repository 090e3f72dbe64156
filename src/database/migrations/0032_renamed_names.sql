-- Up Migration

-- The names that applications push and the series that take their readings. Names of sources are mapped in the file of the source.
create table renamed_name (
  project_id integer not null references ml_project,
  sensor_id text not null,
  value_name text not null,
  to_sensor_id text not null,
  to_value_name text not null,
  primary key (project_id, sensor_id, value_name),
  foreign key (project_id, to_sensor_id, to_value_name) references series (project_id, sensor_id, value_name)
);

-- When the log last told that a project nears its quota or gets new names faster than before.
alter table ml_project add column names_told_at timestamptz;
