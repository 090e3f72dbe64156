-- Up Migration

-- Samples that became neither a reading nor a refusal: equal to another one of their window (repeats), or not asked for,
-- because they lie outside their window or belong to a sensor that is not chosen (outside).
alter table window_log add column repeats integer not null default 0, add column outside integer not null default 0;
alter table window_sum add column repeats bigint not null default 0, add column outside bigint not null default 0;

-- A pushed reading that was refused is a refusal of its application and its project.
alter table refusal add column application_id text references application on delete cascade,
  drop constraint refusal_stream_id_project_id_sensor_variable_at_reason_key,
  add unique nulls not distinct (stream_id, project_id, application_id, sensor, variable, at, reason);
create index refusal_application on refusal (application_id, noted_at) where application_id is not null;

alter table refusal_count drop constraint refusal_count_pkey;
alter table refusal_count alter stream_id drop not null,
  add column application_id text references application on delete cascade,
  add column project_id integer references ml_project,
  add unique (stream_id, reason, hour),
  add check (stream_id is not null or (application_id is not null and project_id is not null));
create unique index refusal_count_pushed on refusal_count (application_id, project_id, reason, hour)
  where application_id is not null;
