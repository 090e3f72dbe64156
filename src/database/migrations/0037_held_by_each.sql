-- Up Migration

-- A name is held back once for each source or application that brings it, so that the end of one of them forgets no name of another.
alter table held_name drop constraint held_name_pkey;
alter table held_name add unique nulls not distinct (project_id, sensor_id, value_name, source_id, application_id);
