-- Up Migration

-- The name of the source to which a series belongs, '' for pushing applications. A name is unique in the organisation of the
-- project, so the series of a removed source wait for a source of its name. Null: it belongs to the first that writes it.
alter table series add column owner text;

-- Where several sources gave one name, the oldest source that still gives it becomes the owner.
update series set owner = first.name
from (
  select distinct on (project_id, sensor_id, value_name) project_id, sensor_id, value_name, source.name
  from series_name join source on source.id = source_id
  order by project_id, sensor_id, value_name, source.id) as first
where first.project_id = series.project_id and first.sensor_id = series.sensor_id and first.value_name = series.value_name;

-- Raised with every hand-over, so that processes forget which series belong to pushing applications.
create table hand_over (count integer not null);
insert into hand_over values (0);
