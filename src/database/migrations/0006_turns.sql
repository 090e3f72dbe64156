-- Up Migration

-- When live asked for the stream last, whatever the answer was: the stream that was asked longest ago is next.
alter table stream add column turn_at timestamptz,
  -- Failures in a row of history; `failures` counts those of live.
  add column history_failures integer not null default 0,
  -- The configuration its windows are read with. A window that was read with another one is not committed.
  add column source_revision integer not null default 1;
update stream set source_revision = source.revision from source where source.id = source_id;
