-- Up Migration

-- The requests of the fullest second of an hour, and the minute in which it lay. Null for an hour that was counted before.
alter table request_hour add column fullest_second integer, add column fullest_second_at timestamptz;
