-- Up Migration

-- Time of a stream that could not be read. Both lanes plan around it, and history asks for it again: in halves until the
-- unreadable instants are alone, then slowly.
create table unreadable (
  stream_id integer not null references stream on delete cascade,
  from_at timestamptz not null,
  to_at timestamptz not null,
  -- Failures in a row, halves included, since time beside it was read.
  tries integer not null,
  retry_at timestamptz not null,
  -- As source.last_fault.
  fault jsonb not null,
  check (from_at < to_at)
);
create index unreadable_stream on unreadable (stream_id, from_at);

-- Covered time that history asks for once more, because late data may have come into it.
alter table stream add column look_again tstzmultirange not null default '{}',
  -- How far back the last further look for late data reached, and when it was wanted.
  add column looked_back_us bigint not null default 0,
  add column looked_back_at timestamptz,
  -- New and revised readings in covered time: the age of the oldest one, and how many were older than schedule.lookBackAtMost.
  add column news_age_us bigint not null default 0,
  add column news_beyond bigint not null default 0;
