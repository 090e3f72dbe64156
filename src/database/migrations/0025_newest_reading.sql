-- The instant of the newest reading that a stream gave. Coverage grows also where the platform answers with nothing, so a sensor that
-- fell silent shows only here. Null until the stream has given a reading under this version.
alter table stream add column newest_at timestamptz;
