-- Up Migration

-- Processes that make series of a project lock its row, so that together they stay within the quota. A locked project gets no
-- series that an operator did not release.
alter table ml_project add column locked boolean not null default false;
alter table ml_project add column series_quota integer not null default 100000;
alter table ml_project add column series_made integer not null default 0;
update ml_project set series_made = (select count(*) from series where project_id = ml_project.id);
-- A project that has many series goes on growing after an update.
update ml_project set series_quota = 2 * series_made where series_made > 50000;

-- The series that were made in the hours of the last days. A project without a row had no new series in that hour.
create table series_hour (
  project_id integer not null references ml_project,
  hour timestamptz not null,
  made integer not null,
  primary key (project_id, hour)
);

-- The names that were held back, each with the source or application that brought it last. `holder`: JSON of sensor and variable, as
-- the platform of the source calls them; its points are counted in refused_hour. Readings of pushes are counted here.
create table held_name (
  project_id integer not null references ml_project,
  sensor_id text not null,
  value_name text not null,
  source_id integer references source on delete cascade,
  application_id text references application on delete cascade,
  holder text,
  readings bigint not null default 0,
  first_at timestamptz,
  last_at timestamptz,
  first_seen timestamptz not null default now(),
  last_seen timestamptz not null default now(),
  primary key (project_id, sensor_id, value_name)
);
