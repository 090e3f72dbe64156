-- Up Migration

-- A backfill asks for one of four kinds of time, may be paused, and keeps what was expected of it.
alter table backfill
  -- missing: time that is not covered; failed: time that could not be read; refused: hours of which points were refused; all: covered time, too.
  add column what text not null default 'missing' check (what in ('missing', 'failed', 'refused', 'all')),
  add column newest_first boolean not null default false,
  -- At most so many requests on a day of UTC.
  add column requests_per_day integer check (requests_per_day > 0),
  -- The ids of the sensors that the operator chose; null: all. It asks for the streams that have them.
  add column sensors text[],
  -- What was expected when it started; see core/quote.ts.
  add column quoted jsonb,
  drop constraint backfill_state_check,
  add constraint backfill_state_check check (state in ('running', 'paused', 'done', 'cancelled'));
update backfill set what = 'all' where again;
alter table backfill drop column again;
drop index backfill_running;
create index backfill_open on backfill (source_id) where state in ('running', 'paused');

-- The part of the range that is wanted of a stream; null: the whole range.
alter table backfill_stream add column wanted tstzmultirange;

-- What a backfill did on a day of UTC, windows that failed included.
create table backfill_day (
  backfill_id integer not null references backfill on delete cascade,
  day date not null,
  windows bigint not null,
  failures bigint not null,
  requests bigint not null,
  bytes bigint not null,
  readings bigint not null,
  -- How long its windows took, waits for the pace left out, ms.
  worked_ms double precision not null,
  primary key (backfill_id, day)
);

-- The length of all ranges together, seconds.
create function length_of(ranges tstzmultirange) returns double precision language sql immutable strict parallel safe
  return (select coalesce(sum(extract(epoch from upper(r) - lower(r))), 0)::float8 from unnest(ranges) r);
