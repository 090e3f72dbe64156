-- Up Migration

-- The series of a project are listed in pages, in an order that no locale changes.
create index series_order on series (project_id, sensor_id collate "C", value_name collate "C");
