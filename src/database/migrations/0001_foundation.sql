-- Up Migration

-- Instants are passed as whole microseconds since 1970. Only these two functions convert them from and to timestamptz.
create function at_instant(us bigint) returns timestamptz language sql immutable strict parallel safe
  return timestamptz 'epoch' + us * interval '1 microsecond';
create function instant_of(at timestamptz) returns bigint language sql immutable strict parallel safe
  return (extract(epoch from at) * 1000000)::bigint;
create function instants_of(ranges tstzmultirange) returns jsonb language sql stable strict parallel safe
  return (select coalesce(jsonb_agg(jsonb_build_array(instant_of(lower(r)), instant_of(upper(r))) order by r), '[]')
          from unnest(ranges) r);

-- The share of the range `whole` that `ranges` cover, 0..1.
create function share_of(whole tstzrange, ranges tstzmultirange) returns double precision language sql stable strict parallel safe
  return (select coalesce(sum(extract(epoch from upper(r) - lower(r))), 0) / extract(epoch from upper(whole) - lower(whole))
          from unnest(ranges * tstzmultirange(whole)) r);

create table organisation (
  id text primary key,
  name text not null,
  created_at timestamptz not null default now()
);
insert into organisation (id, name) values ('default', 'Default organisation');

create table ml_project (
  id integer generated always as identity primary key,
  organisation_id text not null references organisation,
  code text not null,
  name text not null,
  created_at timestamptz not null default now(),
  unique (organisation_id, code)
);

-- The heartbeat of every process that works. The claims of a silent process are free again.
create table worker (
  id uuid primary key,
  host text not null,
  pid integer not null,
  version text not null,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now()
);

create table heartbeat (
  name text primary key,
  beat_at timestamptz not null
);

create table source (
  id integer generated always as identity primary key,
  name text not null unique,
  project_id integer not null references ml_project,
  kind text not null,
  platform text not null,
  -- The source as the operator wrote it; secrets are sealed (JWE), or references to the environment or a file.
  config jsonb not null,
  revision integer not null default 1,
  state text not null default 'active' check (state in ('active', 'paused', 'stopped')),
  -- Where catch-up begins: fixed at registration, so that "7 days back" does not move.
  start_at timestamptz not null,
  every_us bigint not null,
  phase_us bigint not null,
  settle_us bigint not null,
  next_due_at timestamptz,
  discovered_at timestamptz,
  claimed_by uuid,
  failures integer not null default 0,
  -- No request is sent before this instant, because of failures in a row or because the platform asked to wait.
  held_until timestamptz,
  last_poll_at timestamptz,
  last_success_at timestamptz,
  last_fault jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index source_due on source (next_due_at) where state = 'active';

create table stream (
  id integer generated always as identity primary key,
  source_id integer not null references source on delete cascade,
  key text not null,
  selection jsonb not null,
  sensors jsonb not null,
  covered tstzmultirange not null default '{}',
  learned jsonb,
  -- Set while catch-up, gap repair or a backfill has windows to ask; NULL when history is complete.
  history_due_at timestamptz,
  history_claimed_by uuid,
  retired_at timestamptz,
  -- A window of this stream cannot be read while windows of other streams can, so only this stream waits.
  failures integer not null default 0,
  retry_at timestamptz,
  last_fault jsonb,
  created_at timestamptz not null default now(),
  unique (source_id, key)
);
create index stream_history_due on stream (history_due_at) where history_due_at is not null;

create table pace (
  source_id integer primary key references source on delete cascade,
  version bigint not null default 0,
  state jsonb not null
);

create table token (
  source_id integer primary key references source on delete cascade,
  version bigint not null default 0,
  sealed text,
  replacing_until timestamptz
);

create table series (
  id integer generated always as identity primary key,
  project_id integer not null references ml_project,
  sensor_id text not null,
  value_name text not null,
  created_at timestamptz not null default now(),
  unique (project_id, sensor_id, value_name)
);

-- Labels are few and readings many, so a reading names its set of labels by number. Unique by hash, because 32 labels of
-- 128 characters are longer than a B-tree takes.
create table label_set (
  id integer generated always as identity primary key,
  labels text[] not null,
  exclude using hash (labels with =)
);

create table reading (
  series integer not null,
  at timestamptz not null,
  value double precision not null,
  precision smallint,
  labels integer,
  primary key (series, at)
) partition by range (at);

create table refusal (
  id bigint generated always as identity primary key,
  stream_id integer not null references stream on delete cascade,
  reason text not null,
  sensor text not null,
  variable text not null,
  at timestamptz,
  raw text not null,
  noted_at timestamptz not null default now(),
  unique nulls not distinct (stream_id, sensor, variable, at, reason)
);
create index refusal_noted on refusal (noted_at);

create table refusal_count (
  stream_id integer not null references stream on delete cascade,
  reason text not null,
  hour timestamptz not null,
  refused bigint not null,
  kept integer not null,
  primary key (stream_id, reason, hour)
);

create table backfill (
  id integer generated always as identity primary key,
  source_id integer not null references source on delete cascade,
  from_at timestamptz not null,
  to_at timestamptz not null,
  -- Covered time is asked again too; its progress is then counted in backfill_stream.
  again boolean not null,
  state text not null default 'running' check (state in ('running', 'done', 'cancelled')),
  requested_by text not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  check (from_at < to_at)
);
create index backfill_running on backfill (source_id) where state = 'running';

create table backfill_stream (
  backfill_id integer not null references backfill on delete cascade,
  stream_id integer not null references stream on delete cascade,
  done tstzmultirange not null default '{}',
  primary key (backfill_id, stream_id)
);

-- One row for each window that was asked, partitioned by day. The hourly sums per source stay when days are dropped.
create table window_log (
  stream_id integer not null,
  source_id integer not null,
  lane text not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  asked_at timestamptz not null,
  requests integer not null,
  bytes bigint not null,
  readings integer not null,
  duplicates integer not null,
  revised integer not null,
  refused integer not null,
  late integer not null,
  lateness_us bigint not null,
  waited_ms real not null,
  http_ms real not null,
  normalise_ms real not null,
  store_ms real not null,
  fault jsonb
) partition by range (asked_at);
create index window_log_source on window_log (source_id, asked_at);

create table window_sum (
  source_id integer not null references source on delete cascade,
  hour timestamptz not null,
  lane text not null,
  windows bigint not null,
  failures bigint not null,
  requests bigint not null,
  bytes bigint not null,
  readings bigint not null,
  duplicates bigint not null,
  revised bigint not null,
  refused bigint not null,
  late bigint not null,
  primary key (source_id, hour, lane)
);

create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  subject text not null,
  detail jsonb not null
);
