-- Up Migration

-- The whole schema of databridge 0.1.0, room by room: time, projects and readings, sources and their work, what could not be
-- stored, the log, backfills, delivery, applications, operators, processes, and what changed. A later change is a further file.

-- Beside each migration stands the version of databridge that ran it.
alter table migration add column version text;

-- Time.

-- Instants are passed as whole microseconds since 1970. Only these three functions convert them from and to timestamptz.
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

-- Projects and their readings.

create table organisation (
  id text primary key,
  name text not null,
  created_at timestamptz not null default now()
);
insert into organisation (id, name) values ('default', 'Default organisation');

-- Processes that make series of a project lock its row, so that together they stay within the quota.
create table ml_project (
  id integer generated always as identity primary key,
  organisation_id text not null references organisation,
  code text not null,
  name text not null,
  created_at timestamptz not null default now(),
  -- A locked project gets no series that an operator did not release.
  locked boolean not null default false,
  series_quota integer not null default 100000,
  series_made integer not null default 0,
  -- When the log last told that the project nears its quota or gets new names faster than before.
  names_told_at timestamptz,
  unique (organisation_id, code),
  unique (organisation_id, id)
);

create table series (
  id integer generated always as identity primary key,
  project_id integer not null references ml_project,
  sensor_id text not null,
  value_name text not null,
  created_at timestamptz not null default now(),
  -- The name of the source to which the series belongs, '' for pushing applications. A name is unique in the organisation of the
  -- project, so the series of a removed source wait for a source of its name. Null: it belongs to the first that writes it.
  owner text,
  unique (project_id, sensor_id, value_name)
);

-- Raised with every hand-over, so that processes forget which series belong to pushing applications.
create table hand_over (count integer not null);
insert into hand_over values (0);

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

-- The series that were made in the hours of the last days. A project without a row had no new series in that hour.
create table series_hour (
  project_id integer not null references ml_project,
  hour timestamptz not null,
  made integer not null,
  primary key (project_id, hour)
);

-- Sources.

create table source (
  id integer generated always as identity primary key,
  organisation_id text not null default 'default',
  -- Unique in the organisation. A source stays in its organisation, and its project is one of it.
  name text not null,
  project_id integer not null references ml_project,
  kind text not null,
  platform text not null,
  -- The source as the operator wrote it; secrets are sealed (JWE), or references to the environment or a file.
  config jsonb not null,
  revision integer not null default 1,
  -- Tells a configuration from every other one, also from one with the same numbers that a restored database got anew.
  edition uuid not null default gen_random_uuid(),
  state text not null default 'active' check (state in ('active', 'paused', 'stopped')),
  -- Where catch-up begins: fixed at registration, so that "7 days back" does not move.
  start_at timestamptz not null,
  every_us bigint not null,
  phase_us bigint not null,
  settle_us bigint not null,
  -- The end of the last complete look for sensors.
  discovered_at timestamptz,
  -- The streams are those of a configuration that was replaced. None is asked before a look under the new one has ended.
  awaits_look boolean not null default false,
  -- Failures of polls in a row.
  failures integer not null default 0,
  -- No request is sent before this instant, because of failures in a row or because the platform asked to wait.
  held_until timestamptz,
  last_fault jsonb,
  -- Why the last look failed, or what an operator should know about the sensors it found.
  look_fault jsonb,
  -- How far the platform's clock is ahead of ours (µs, negative where it is behind), while its answers prove that it is off; null
  -- otherwise. See core/platform-clock.ts.
  clock_ahead_us bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (organisation_id, name),
  foreign key (organisation_id, project_id) references ml_project (organisation_id, id)
);

create function new_edition() returns trigger language plpgsql as $$
begin
  new.edition = gen_random_uuid();
  return new;
end $$;
create trigger source_edition before update of revision on source
  for each row when (old.revision <> new.revision) execute function new_edition();

-- Configurations that a change or a removal of their source has ended, secrets sealed, so that an operator can go back to one.
create table former_configuration (
  id bigint generated always as identity primary key,
  organisation_id text not null references organisation (id),
  name text not null,
  config jsonb not null,
  ended_at timestamptz not null default now(),
  ended_by text not null,
  ending text not null check (ending in ('changed', 'removed'))
);
create index on former_configuration (organisation_id, name, id);

-- Sensors of a source that are asked for together. Room is left on each page for the next version of a row, which changes with
-- every window.
create table stream (
  id integer generated always as identity primary key,
  source_id integer not null references source on delete cascade,
  key text not null,
  selection jsonb not null,
  sensors jsonb not null,
  -- The configuration its windows are read with. A window that was read with another one is not committed.
  source_revision integer not null default 1,
  covered tstzmultirange not null default '{}',
  learned jsonb,
  -- When live asked for the stream last, whatever the answer was: the stream that was asked longest ago is next.
  turn_at timestamptz,
  -- A window of this stream cannot be read while windows of other streams can, so only this stream waits.
  failures integer not null default 0,
  retry_at timestamptz,
  last_fault jsonb,
  -- The instant of the newest reading that the stream gave. Coverage grows also where the platform answers with nothing, so a
  -- sensor that fell silent shows only here. Null until the stream has given a reading.
  newest_at timestamptz,
  -- The platform did not show the sensors of this stream in the last complete look; it is still read.
  absent_since timestamptz,
  retired_at timestamptz,
  -- The end of a run of history: it asked the time before again for late data, so the run that continues here need not.
  caught_up_to timestamptz,
  -- Covered time that history asks for once more, because late data may have come into it.
  look_again tstzmultirange not null default '{}',
  -- How far back the last further look for late data reached, and when it was wanted.
  looked_back_us bigint not null default 0,
  looked_back_at timestamptz,
  -- Looks for late data reach no further back than this: readings before it have other names, or had another owner.
  looks_from timestamptz,
  -- New and revised readings in covered time: the age of the oldest one, and how many were older than schedule.lookBackAtMost.
  news_age_us bigint not null default 0,
  news_beyond bigint not null default 0,
  created_at timestamptz not null default now(),
  unique (source_id, key)
) with (fillfactor = 80);

-- What may be done, when, and who does it now: the poll of a source, the look for its sensors, the history of a stream. A row is
-- narrow and no index names what changes in it, because a row changes with each run. There is a row only while there is something
-- to do: the poll of a source from its first streams on, its look until none is needed, the history of a stream until it is complete.
create table work (
  kind text not null check (kind in ('poll', 'look', 'history')),
  -- Of the source or, in history, of the stream.
  id integer not null,
  source_id integer not null references source on delete cascade,
  due_at timestamptz not null,
  -- When the planner gave it to the queue; null from its claim on. A lost queue loses its jobs, so it is given again after a while.
  sent_at timestamptz,
  -- More was asked for since the claim, so that the report leaves the work due.
  asked boolean not null default false,
  -- The process that does it (worker.id). The claim ends with its report, and when the process falls silent.
  claimed_by uuid,
  -- In a row, of looks and of histories. Failures of polls are those of the source.
  failures integer not null default 0,
  -- The end of the last run, and of the last one without a fault.
  ended_at timestamptz,
  well_at timestamptz,
  primary key (kind, id)
) with (fillfactor = 50);

-- The pace that all processes share, source by source. `state`: see pace/pacer.ts.
create table pace (
  source_id integer primary key references source on delete cascade,
  version bigint not null default 0,
  state jsonb not null
) with (fillfactor = 50);

-- The token that all processes share where a source logs in.
create table token (
  source_id integer primary key references source on delete cascade,
  version bigint not null default 0,
  sealed text,
  -- Another process waits until then for the one that replaces it.
  replacing_until timestamptz
);

-- An account at a platform: all sources with the same address, user and secret share it.
create table account (
  -- Keyed hash of the three; the key is not in the database.
  digest text primary key,
  -- A request with these credentials was accepted, and none was refused since. Otherwise one request at a time may try them.
  proven boolean not null default false,
  -- Requests refused since the last accepted one.
  refused integer not null default 0,
  -- What the platform said when it refused one last. A process that only finds the mark of another one tells it to the operator as well.
  refusal text,
  -- The request or login that tries them now, and until when it counts.
  probe uuid,
  probe_until timestamptz,
  -- When a source was last linked to the account or a configuration with it changed. An account without a source is kept for a while,
  -- because a source has none between a change and its next run.
  used_at timestamptz not null default now()
);

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

-- Backfills that operators asked for.

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

-- Names: which variable or application gives which series.

-- The variable of a source that a name was given to first. Without this table, two variables with the same name could take
-- turns in one series, because each process that starts would decide anew.
create table series_name (
  source_id integer not null references source on delete cascade,
  sensor_id text not null,
  value_name text not null,
  -- JSON: sensor and variable as the platform calls them.
  holder text not null,
  -- After a change of the source, names are given anew: the first variable that asks for a stale name gets it. The rows stay
  -- until then, because they say which names the source has given so far.
  stale boolean not null default false,
  primary key (source_id, sensor_id, value_name)
);

-- Clients that may push readings.
create table application (
  id text primary key,
  organisation_id text not null references organisation,
  name text not null,
  -- Codes of the only projects it may push to; null is every project of its organisation.
  projects text[],
  -- SHA-256. A rotation keeps the previous hash for a while, so at most two secrets are valid at a time.
  secret_hash bytea not null,
  previous_secret_hash bytea,
  previous_secret_until timestamptz,
  -- An access token counts while the number in it is this one; a change of the number ends all earlier ones.
  token_generation integer not null default 0,
  tokens_ended_at timestamptz,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create unique index application_name on application (organisation_id, name) where revoked_at is null;
create index application_revoked on application (revoked_at) where revoked_at is not null;
create index application_tokens_ended on application (tokens_ended_at) where tokens_ended_at is not null;

-- The names that applications push and the series that take their readings. Names of sources are mapped in the file of the source.
create table renamed_name (
  project_id integer not null references ml_project,
  sensor_id text not null,
  value_name text not null,
  to_sensor_id text not null,
  to_value_name text not null,
  primary key (project_id, sensor_id, value_name),
  foreign key (project_id, to_sensor_id, to_value_name) references series (project_id, sensor_id, value_name)
);

-- The names that were held back, once for each source or application that brings them, so that the end of one of them forgets no
-- name of another. `holder`: JSON of sensor and variable, as the platform of the source calls them; its points are counted in
-- refused_hour. Readings of pushes are counted here.
create table held_name (
  project_id integer not null references ml_project,
  sensor_id text not null,
  value_name text not null,
  source_id integer references source on delete cascade,
  application_id text references application on delete cascade,
  holder text,
  readings bigint not null default 0,
  first_at timestamptz,
  last_at timestamptz,
  first_seen timestamptz not null default now(),
  last_seen timestamptz not null default now(),
  unique nulls not distinct (project_id, sensor_id, value_name, source_id, application_id)
);

-- Points that did not become readings.

-- The points of a stream that were refused and still are: those of each window replace all that stood in its time, so asking
-- again counts nothing twice and a mended mapping leaves nothing behind. Each point is held by its instant, because a window may
-- end inside an hour: as µs from the middle of the hour, which fits four bytes. `examples`: [point, value] of at most three.
create table refused_hour (
  stream_id integer not null references stream on delete cascade,
  hour timestamptz not null,
  sensor text not null,
  variable text not null,
  reason text not null,
  points integer[] not null,
  examples jsonb not null default '[]',
  noted_at timestamptz not null default now(),
  primary key (stream_id, hour, sensor, variable, reason)
) with (fillfactor = 80);

-- A pushed reading that was refused: a refusal of its application and project. A reading that a remote service refused: a refusal of
-- its project, and of its stream where it was pulled.
create table refusal (
  id bigint generated always as identity primary key,
  stream_id integer references stream on delete cascade,
  project_id integer references ml_project,
  application_id text references application on delete cascade,
  reason text not null,
  sensor text not null,
  variable text not null,
  at timestamptz,
  raw text not null,
  noted_at timestamptz not null default now(),
  check (stream_id is not null or project_id is not null)
);
create index refusal_noted on refusal (noted_at);
create index refusal_project on refusal (project_id, noted_at) where project_id is not null;
create index refusal_application on refusal (application_id, noted_at) where application_id is not null;
-- Of pushed readings that were refused for one instant, each value is kept, so that an operator sees all of them. A reading that
-- is pushed again is kept once. The digest bounds the size of an index row.
create unique index refusal_once on refusal (stream_id, project_id, sensor, variable, at, reason) nulls not distinct
  where application_id is null;
create unique index refusal_pushed_once on refusal (application_id, project_id, sensor, variable, at, reason, md5(raw)) nulls not distinct
  where application_id is not null;

create table refusal_count (
  stream_id integer references stream on delete cascade,
  application_id text references application on delete cascade,
  project_id integer references ml_project,
  reason text not null,
  hour timestamptz not null,
  refused bigint not null,
  kept integer not null,
  unique (stream_id, reason, hour),
  check (stream_id is not null or (application_id is not null and project_id is not null))
);
create unique index refusal_count_pushed on refusal_count (application_id, project_id, reason, hour)
  where application_id is not null;

-- The log of windows.

-- One row for each window that was asked, partitioned by day. Housekeeping puts the quiet live windows of a stream and minute into
-- one row, which counts them: sums, the span of their time, and the instant at which the first was asked. Lengths of time are
-- averages of a window then.
create table window_log (
  stream_id integer not null,
  source_id integer not null,
  lane text not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  asked_at timestamptz not null,
  windows integer not null default 1,
  requests integer not null,
  bytes bigint not null,
  readings integer not null,
  duplicates integer not null,
  revised integer not null,
  refused integer not null,
  -- Samples that became neither a reading nor a refusal: equal to another one of their window (repeats), or not asked for,
  -- because they lie outside their window or belong to a sensor that is not chosen (outside).
  repeats integer not null default 0,
  outside integer not null default 0,
  late integer not null,
  lateness_us bigint not null,
  waited_ms real not null,
  http_ms real not null,
  normalise_ms real not null,
  store_ms real not null,
  slowest_ms real,
  fault jsonb
) partition by range (asked_at);
create index window_log_source on window_log (source_id, asked_at);

-- Its hourly sums, which stay when days are dropped.
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
  repeats bigint not null default 0,
  outside bigint not null default 0,
  late bigint not null,
  primary key (source_id, hour, lane)
);

-- Delivery to another service.

-- Where the readings of a project are pushed to; a project without a row keeps them here only.
create table remote (
  project_id integer primary key references ml_project,
  url text not null,
  organisation text not null,
  -- The project code at the remote service.
  code text not null,
  application_id text not null,
  -- JWE, or a reference to the environment.
  secret text not null,
  -- The outbox is full at this number of readings; then the project's sources are not asked.
  most_waiting bigint not null check (most_waiting > 0),
  state text not null default 'active' check (state in ('active', 'stopped')),
  -- Raised with every change by an operator.
  revision integer not null default 1,
  -- A body may hold at most this many readings, as learned from refusals of larger bodies.
  batch integer,
  waiting bigint not null default 0,
  counted_at timestamptz,
  full_since timestamptz,
  claimed_by uuid,
  failures integer not null default 0,
  held_until timestamptz,
  last_delivery_at timestamptz,
  last_fault jsonb,
  created_at timestamptz not null default now()
);

create table remote_token (
  project_id integer primary key references remote on delete cascade,
  version bigint not null default 0,
  sealed text,
  replacing_until timestamptz
);

-- Readings that are stored here and not yet delivered, in the order in which they were stored. A row holds the readings of
-- one window or push as columns.
create table outbox (
  id bigint generated always as identity primary key,
  -- No foreign key, because each window would lock the row of its project; projects are never removed.
  project_id integer not null,
  -- Null for readings that a client pushed.
  stream_id integer,
  readings integer not null,
  -- Rows live for moments, so compressing them would cost more than it saves.
  series int4[] storage external not null,
  at timestamptz[] storage external not null,
  value float8[] storage external not null,
  precision int2[] storage external not null,
  labels int4[] storage external not null,
  noted_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index outbox_project on outbox (project_id, id) include (readings);

create table delivery_sum (
  project_id integer not null references ml_project,
  hour timestamptz not null,
  requests bigint not null,
  readings bigint not null,
  refused bigint not null,
  primary key (project_id, hour)
);

-- Tokens of applications, and what applications did with them.

create table signing_key (
  kid text primary key,
  -- JWK.
  public_key jsonb not null,
  -- JWK, sealed; null once the key signs no more.
  private_key text,
  created_at timestamptz not null default now(),
  -- The key is published before this instant, so that every verifier knows it in time.
  signs_from timestamptz not null,
  signs_until timestamptz
);

-- A family is all refresh tokens that follow from one created token: each renewal adds a generation; one is unused.
create table refresh_family (
  id bigint generated always as identity primary key,
  application_id text not null references application on delete cascade,
  -- Of the secret that made it; the family ends with it.
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  -- When its newest token expires.
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_because text
);
create index refresh_family_application on refresh_family (application_id, created_at);
create index refresh_family_expiry on refresh_family (expires_at);

create table refresh_token (
  -- SHA-256.
  hash bytea primary key,
  family_id bigint not null references refresh_family on delete cascade,
  generation integer not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The next token is computed from this seed and the token, which is not stored; null when the grace time is over.
  successor_seed bytea,
  unique (family_id, generation)
);
create index refresh_token_expiry on refresh_token (expires_at);
create index refresh_token_seed on refresh_token (family_id) where successor_seed is not null;

-- The pushes of each application. Every process adds its sums every few seconds, so that no push waits for them; a killed
-- process loses those of its last seconds.
create table application_use (
  application_id text primary key references application on delete cascade,
  last_push_at timestamptz not null,
  pushes bigint not null,
  accepted bigint not null,
  duplicates bigint not null,
  revised bigint not null,
  -- Of bodies, after unpacking.
  bytes bigint not null
);

-- People and programs that use the operator API.

create table operator_account (
  id bigint generated always as identity primary key,
  -- Lower case, because it is typed at sign-in and stands in the audit.
  name text not null unique,
  role text not null check (role in ('viewer', 'operator', 'admin')),
  -- Ids of the only organisations it sees; null is all.
  organisations text[],
  -- argon2id with its parameters and salt, as PHC strings have them; null: it signs in otherwise, or not at all.
  password_hash text,
  -- A password that the operator did not choose ends then, and allows nothing but the choice of another one.
  password_until timestamptz,
  -- The identity at an OIDC issuer that it signs in with; its name and address there may change, the subject does not.
  oidc_issuer text,
  oidc_subject text,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  constraint operator_oidc unique (oidc_issuer, oidc_subject),
  check ((oidc_issuer is null) = (oidc_subject is null))
);

-- A personal token: a program presents it instead of a password.
create table operator_token (
  id text primary key,
  operator_id bigint not null references operator_account on delete cascade,
  name text not null,
  -- SHA-256.
  hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- To the minute.
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index operator_token_operator on operator_token (operator_id, created_at);
create index operator_token_expiry on operator_token (expires_at);

-- A browser that signed in.
create table operator_session (
  id text primary key,
  -- SHA-256 of the cookie.
  hash bytea not null unique,
  -- Of operator_account, without a foreign key, because a backup holds that table and not this one.
  operator_id bigint not null,
  created_at timestamptz not null default now(),
  -- To the minute.
  used_at timestamptz not null default now(),
  address text not null,
  agent text not null
);
create index operator_session_operator on operator_session (operator_id, created_at);
create index operator_session_age on operator_session (created_at);

-- Processes.

-- The heartbeat of every process that works. The claims of a silent process are free again.
create table worker (
  id uuid primary key,
  host text not null,
  pid integer not null,
  version text not null,
  -- A command that asks a platform beside the workers is present while it runs, because its leases count only then. It polls nothing.
  polls boolean not null default true,
  -- The ids of its sealing keys. A rotation of the key waits until all processes have the new one.
  kids text[],
  -- How far the host's clock is ahead of the database's (µs, negative where it is behind), while the process polls nothing
  -- because of that; null otherwise.
  clock_ahead_us bigint,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now()
);

create table heartbeat (
  name text primary key,
  beat_at timestamptz not null
);

-- How much each process remembers of this database: it raises its mark with everything it learns, in the transaction that
-- reads it. A database that was restored holds an older mark, and the process that finds it forgets everything.
create table memory (
  process uuid primary key,
  mark bigint not null,
  at timestamptz not null default now()
);

-- The key of the sealed secrets, by its id, and a text that it sealed. A process whose keys do not open the text refuses to work.
-- A row without a text stands for secrets that were given up: the next process that starts makes it with its own key.
create table sealing (
  id boolean primary key default true check (id),
  kid text,
  canary text,
  -- Since when values are sealed anew with this key; null where none is left.
  rotating_since timestamptz,
  check ((kid is null) = (canary is null))
);

-- What changed.

create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  subject text not null,
  detail jsonb not null
);

-- The same for operators that watch. Rows are kept for a day. The number of its transaction stands in each row, because the
-- ids of transactions under way at the same time become visible in another order than they were given.
create table event (
  id bigint generated always as identity,
  xact xid8 not null default pg_current_xact_id(),
  at timestamptz not null default now(),
  kind text not null check (kind in ('source', 'backfill', 'audit')),
  -- Null: of no organisation.
  organisation text,
  subject text not null,
  content jsonb not null,
  primary key (xact, id)
);
create index event_age on event (at);

-- Names these rows: a restored database has others under the same numbers.
create table event_epoch (epoch text not null default left(gen_random_uuid()::text, 8));
insert into event_epoch default values;

create function note_source_event() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into event (kind, organisation, subject, content)
      values ('source', old.organisation_id, old.name, jsonb_build_object('change', 'removed'));
    return null;
  end if;
  insert into event (kind, organisation, subject, content)
    values ('source', new.organisation_id, new.name, jsonb_build_object(
      'change', case when tg_op = 'INSERT' then 'created' else 'changed' end,
      'state', new.state, 'revision', new.revision, 'failures', new.failures,
      'fault', new.last_fault - 'page', 'lookFault', new.look_fault - 'page'));
  return null;
end $$;

create trigger source_made after insert on source for each row execute function note_source_event();
create trigger source_removed after delete on source for each row execute function note_source_event();
-- A source that goes on failing for the same reason, and one that goes on well, is no event.
create trigger source_changed after update of state, revision, last_fault, look_fault, failures on source
  for each row when (old.state <> new.state or old.revision <> new.revision or (old.failures > 0) <> (new.failures > 0)
    or old.last_fault ->> 'code' is distinct from new.last_fault ->> 'code'
    or old.look_fault ->> 'code' is distinct from new.look_fault ->> 'code')
  execute function note_source_event();

create function note_backfill_event() returns trigger language plpgsql as $$
begin
  insert into event (kind, organisation, subject, content)
    select 'backfill', organisation_id, new.id, jsonb_build_object('source', name, 'state', new.state)
    from source where source.id = new.source_id;
  return null;
end $$;

create trigger backfill_made after insert on backfill for each row execute function note_backfill_event();
create trigger backfill_changed after update of state on backfill
  for each row when (old.state <> new.state) execute function note_backfill_event();

create function note_audit_event() returns trigger language plpgsql as $$
begin
  insert into event (kind, organisation, subject, content)
    values ('audit', new.detail ->> 'organisation', new.id,
      jsonb_build_object('actor', new.actor, 'action', new.action, 'subject', new.subject));
  return null;
end $$;

create trigger audit_made after insert on audit for each row execute function note_audit_event();
