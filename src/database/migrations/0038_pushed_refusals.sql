-- Up Migration

-- Of pushed readings that were refused for one instant, each value is kept, so that an operator sees all of them. A reading that
-- is pushed again is kept once, as before. The digest bounds the size of an index row.
alter table refusal drop constraint refusal_stream_id_project_id_application_id_sensor_variable_key;
create unique index refusal_once on refusal (stream_id, project_id, sensor, variable, at, reason) nulls not distinct
  where application_id is null;
create unique index refusal_pushed_once on refusal (application_id, project_id, sensor, variable, at, reason, md5(raw)) nulls not distinct
  where application_id is not null;
