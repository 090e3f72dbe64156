-- The version of databridge that ran a migration; null where it ran before this was noted.
alter table migration add column version text;
