-- Up Migration

-- After a change of the source, names are given anew: the first variable that asks for a stale name gets it. The rows stay
-- until then, because they say which names the source has given so far.
alter table series_name add column stale boolean not null default false;
