-- A database at migration 0040_work, see README.md.

create table migration (id serial primary key, name varchar(255) not null, run_on timestamp not null);

-- 0001_foundation.sql
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

-- 0002_access.sql
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
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create unique index application_name on application (organisation_id, name) where revoked_at is null;
create index application_revoked on application (revoked_at) where revoked_at is not null;

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

-- 0003_outbox.sql
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
  series int4[] not null,
  at timestamptz[] not null,
  value float8[] not null,
  precision int2[] not null,
  labels int4[] not null,
  noted_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index outbox_project on outbox (project_id, id) include (readings);
-- Rows live for moments, so compressing them would cost more than it saves.
alter table outbox alter series set storage external, alter at set storage external, alter value set storage external,
  alter precision set storage external, alter labels set storage external;

create table delivery_sum (
  project_id integer not null references ml_project,
  hour timestamptz not null,
  requests bigint not null,
  readings bigint not null,
  refused bigint not null,
  primary key (project_id, hour)
);

-- A reading that the remote service refused is a refusal of its project, and of its stream where it was pulled.
alter table refusal alter stream_id drop not null,
  add project_id integer references ml_project,
  drop constraint refusal_stream_id_sensor_variable_at_reason_key,
  add unique nulls not distinct (stream_id, project_id, sensor, variable, at, reason),
  add check (stream_id is not null or project_id is not null);
create index refusal_project on refusal (project_id, noted_at) where project_id is not null;

-- 0004_series_name.sql
-- The variable of a source that a name was given to first. Without this table, two variables with the same name could take
-- turns in one series, because each process that starts would decide anew.
create table series_name (
  source_id integer not null references source on delete cascade,
  sensor_id text not null,
  value_name text not null,
  -- JSON: sensor and variable as the platform calls them.
  holder text not null,
  primary key (source_id, sensor_id, value_name)
);

-- 0005_caught_up.sql
-- The end of a run of history: it asked the time before again for late data, so the run that continues here need not.
alter table stream add column caught_up_to timestamptz;

-- 0006_turns.sql
-- When live asked for the stream last, whatever the answer was: the stream that was asked longest ago is next.
alter table stream add column turn_at timestamptz,
  -- Failures in a row of history; `failures` counts those of live.
  add column history_failures integer not null default 0,
  -- The configuration its windows are read with. A window that was read with another one is not committed.
  add column source_revision integer not null default 1;
update stream set source_revision = source.revision from source where source.id = source_id;

-- 0007_refused_and_repeated.sql
-- Samples that became neither a reading nor a refusal: equal to another one of their window (repeats), or not asked for,
-- because they lie outside their window or belong to a sensor that is not chosen (outside).
alter table window_log add column repeats integer not null default 0, add column outside integer not null default 0;
alter table window_sum add column repeats bigint not null default 0, add column outside bigint not null default 0;

-- A pushed reading that was refused is a refusal of its application and its project.
alter table refusal add column application_id text references application on delete cascade,
  drop constraint refusal_stream_id_project_id_sensor_variable_at_reason_key,
  add unique nulls not distinct (stream_id, project_id, application_id, sensor, variable, at, reason);
create index refusal_application on refusal (application_id, noted_at) where application_id is not null;

alter table refusal_count drop constraint refusal_count_pkey;
alter table refusal_count alter stream_id drop not null,
  add column application_id text references application on delete cascade,
  add column project_id integer references ml_project,
  add unique (stream_id, reason, hour),
  add check (stream_id is not null or (application_id is not null and project_id is not null));
create unique index refusal_count_pushed on refusal_count (application_id, project_id, reason, hour)
  where application_id is not null;

-- 0009_account.sql
-- An account at a platform: all sources with the same address, user and secret share it.
create table account (
  -- Keyed hash of the three; the key is not in the database.
  digest text primary key,
  -- A request with these credentials was accepted, and none was refused since. Otherwise one request at a time may try them.
  proven boolean not null default false,
  -- Requests refused since the last accepted one.
  refused integer not null default 0,
  -- The request or login that tries them now, and until when it counts.
  probe uuid,
  probe_until timestamptz
);

-- 0010_looks.sql
-- A look for sensors is work of its own beside polling, with its own due time, claim, failures and fault.
alter table source add column look_due_at timestamptz,
  -- An operator asked for a look: the report of a look that is under way leaves it due.
  add column look_asked boolean not null default false,
  add column look_claimed_by uuid,
  add column look_failures integer not null default 0,
  -- Why the last look failed, or what an operator should know about the sensors it found.
  add column look_fault jsonb,
  -- The streams are those of a configuration that was replaced. None is asked before a look under the new one has ended.
  add column awaits_look boolean not null default false;
create index source_look_due on source (look_due_at) where state = 'active';

-- `discovered_at` is from now on the end of the last complete look. Sources that never had one, and those that take every
-- sensor, are due as they were before.
update source set look_due_at = coalesce(discovered_at + interval '1 hour', now()),
  awaits_look = discovered_at is null and exists (select from stream where source_id = source.id and retired_at is null);

-- The platform did not show the sensors of this stream in the last complete look; it is still read.
alter table stream add column absent_since timestamptz;

-- 0011_source_key.sql
-- Names of sources are unique in their organisation. A source stays in its organisation, and its project is one of it.
alter table ml_project add unique (organisation_id, id);
alter table source add column organisation_id text not null default 'default';
update source set organisation_id = ml_project.organisation_id from ml_project where ml_project.id = project_id;
alter table source drop constraint source_name_key, add unique (organisation_id, name),
  add foreign key (organisation_id, project_id) references ml_project (organisation_id, id);

-- 0012_names_under_change.sql
-- After a change of the source, names are given anew: the first variable that asks for a stale name gets it. The rows stay
-- until then, because they say which names the source has given so far.
alter table series_name add column stale boolean not null default false;

-- 0013_asked_later.sql
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

-- 0014_memory.sql
-- How much each process remembers of this database: it raises its mark with everything it learns, in the transaction that
-- reads it. A database that was restored holds an older mark, and the process that finds it forgets everything.
create table memory (
  process uuid primary key,
  mark bigint not null,
  at timestamptz not null default now()
);

-- Tells a configuration from every other one, also from one with the same numbers that a restored database got anew.
alter table source add column edition uuid not null default gen_random_uuid();

create function new_edition() returns trigger language plpgsql as $$
begin
  new.edition = gen_random_uuid();
  return new;
end $$;
create trigger source_edition before update of revision on source
  for each row when (old.revision <> new.revision) execute function new_edition();

-- 0020_series_owner.sql
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

-- 0021_clock.sql
-- How far the host's clock is ahead of the database's (µs, negative where it is behind), while the worker polls nothing
-- because of that; null otherwise.
alter table worker add column clock_ahead_us bigint;

-- 0022_platform_clock.sql
-- How far the platform's clock is ahead of ours (µs, negative where it is behind), while its answers prove that it is off; null
-- otherwise. See core/platform-clock.ts.
alter table source add column clock_ahead_us bigint;

-- 0023_history_asked.sql
-- An operator asked for the history of the stream since its last claim: the run under way is followed by another one at once.
alter table stream add column history_asked boolean not null default false;

-- 0024_account_used.sql
-- When a source was last linked to the account or a configuration with it changed. An account without a source is kept for a while,
-- because a source has none between a change and its next run.
alter table account add column used_at timestamptz not null default now();

-- 0025_newest_reading.sql
-- The instant of the newest reading that a stream gave. Coverage grows also where the platform answers with nothing, so a sensor that
-- fell silent shows only here. Null until the stream has given a reading under this version.
alter table stream add column newest_at timestamptz;

-- 0026_former_configuration.sql
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

-- 0027_ended_tokens.sql
-- An access token counts while the number in it is that of its application; a change of the number ends all earlier ones.
alter table application
  add column token_generation integer not null default 0,
  add column tokens_ended_at timestamptz;
create index application_tokens_ended on application (tokens_ended_at) where tokens_ended_at is not null;

-- A family ends with the secret that made it. It is not known for old families: a family from before the end of an
-- overlap gets the previous secret, so that none outlives a secret that was replaced.
alter table refresh_family add column secret_hash bytea;
update refresh_family set secret_hash = case
    when previous_secret_until is null or refresh_family.created_at >= previous_secret_until then application.secret_hash
    else previous_secret_hash end
  from application where application.id = application_id;
alter table refresh_family alter column secret_hash set not null;

-- 0027_made_by.sql
-- The version of databridge that ran a migration; null where it ran before this was noted.
alter table migration add column version text;

-- 0027_refused_hour.sql
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

-- The points that were kept so far. One without an instant stands at the hour in which it was noted.
insert into refused_hour (stream_id, hour, sensor, variable, reason, points, examples, noted_at)
select stream_id, hour, sensor, variable, reason, array_agg(point order by point),
  jsonb_build_array(jsonb_build_array(min(point), (array_agg(raw order by point))[1])), max(noted_at)
from (
  select refusal.*, date_trunc('hour', coalesce(at, noted_at), 'UTC') as hour,
    (instant_of(coalesce(at, date_trunc('hour', noted_at, 'UTC'))) - instant_of(date_trunc('hour', coalesce(at, noted_at), 'UTC')) - 1800000000)::int as point
  from refusal where stream_id is not null) as kept
group by stream_id, hour, sensor, variable, reason;

-- Those of a remote service stay with their project, too.
delete from refusal where stream_id is not null and project_id is null;

-- What remains are points that were counted and not kept: no one knows their sensors and instants.
delete from refusal_count where stream_id is not null and refused <= kept;
update refusal_count set refused = refused - kept, kept = 0 where stream_id is not null;

-- 0028_commands_present.sql
-- A command that asks a platform beside the workers is present while it runs, because its leases count only then. It polls nothing.
alter table worker add column polls boolean not null default true;

-- 0029_operators.sql
-- People and programs that use the operator API.
create table operator_account (
  id bigint generated always as identity primary key,
  -- Lower case, because it is typed at sign-in and stands in the audit.
  name text not null unique,
  role text not null check (role in ('viewer', 'operator', 'admin')),
  -- Ids of the only organisations it sees; null is all.
  organisations text[],
  created_at timestamptz not null default now(),
  disabled_at timestamptz
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

-- 0030_event.sql
-- What changed, for operators that watch. Rows are kept for a day. The number of its transaction stands in each row, because the
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

-- 0030_held_names.sql
-- Processes that make series of a project lock its row, so that together they stay within the quota. A locked project gets no
-- series that an operator did not release.
alter table ml_project add column locked boolean not null default false;
alter table ml_project add column series_quota integer not null default 100000;
alter table ml_project add column series_made integer not null default 0;
update ml_project set series_made = (select count(*) from series where project_id = ml_project.id);
-- A project that has many series goes on growing after an update.
update ml_project set series_quota = 2 * series_made where series_made > 50000;

-- The series that were made in the hours of the last days. A project without a row had no new series in that hour.
create table series_hour (
  project_id integer not null references ml_project,
  hour timestamptz not null,
  made integer not null,
  primary key (project_id, hour)
);

-- The names that were held back, each with the source or application that brought it last. `holder`: JSON of sensor and variable, as
-- the platform of the source calls them; its points are counted in refused_hour. Readings of pushes are counted here.
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
  primary key (project_id, sensor_id, value_name)
);

-- 0030_sealing.sql
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

-- 0031_worker_keys.sql
-- The ids of the sealing keys that a process has. A rotation of the key waits until all processes have the new one.
alter table worker add column kids text[];

-- 0032_renamed_names.sql
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

-- When the log last told that a project nears its quota or gets new names faster than before.
alter table ml_project add column names_told_at timestamptz;

-- 0033_application_use.sql
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

-- 0033_operator_sessions.sql
alter table operator_account
  -- argon2id with its parameters and salt, as PHC strings have them; null: it signs in otherwise, or not at all.
  add column password_hash text,
  -- A password that the operator did not choose ends then, and allows nothing but the choice of another one.
  add column password_until timestamptz;

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

-- 0034_operator_oidc.sql
-- The identity at an OIDC issuer that an operator signs in with; its name and address there may change, the subject does not.
alter table operator_account
  add column oidc_issuer text,
  add column oidc_subject text,
  add constraint operator_oidc unique (oidc_issuer, oidc_subject),
  add check ((oidc_issuer is null) = (oidc_subject is null));

-- 0035_account_refusal.sql
-- What the platform said when it refused a request with these credentials the last time. A process that only finds the mark
-- of another one tells it to the operator as well.
alter table account add column refusal text;

-- 0036_stream_looks_from.sql
-- Looks for late data reach no further back than this: readings before it have other names, or had another owner.
alter table stream add column looks_from timestamptz;

-- 0037_held_by_each.sql
-- A name is held back once for each source or application that brings it, so that the end of one of them forgets no name of another.
alter table held_name drop constraint held_name_pkey;
alter table held_name add unique nulls not distinct (project_id, sensor_id, value_name, source_id, application_id);

-- 0038_pushed_refusals.sql
-- Of pushed readings that were refused for one instant, each value is kept, so that an operator sees all of them. A reading that
-- is pushed again is kept once, as before. The digest bounds the size of an index row.
alter table refusal drop constraint refusal_stream_id_project_id_application_id_sensor_variable_key;
create unique index refusal_once on refusal (stream_id, project_id, sensor, variable, at, reason) nulls not distinct
  where application_id is null;
create unique index refusal_pushed_once on refusal (application_id, project_id, sensor, variable, at, reason, md5(raw)) nulls not distinct
  where application_id is not null;

-- 0039_quiet_windows.sql
-- A source that is polled each second writes more rows here than readings. Housekeeping puts the quiet live windows of a stream and
-- minute into one row, which counts them: sums, the span of their time, and the instant at which the first was asked. Lengths of time
-- are averages of a window then.
alter table window_log add column windows integer not null default 1, add column slowest_ms real;

-- 0040_work.sql
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

insert into work (kind, id, source_id, due_at, claimed_by, ended_at, well_at)
  select 'poll', id, id, coalesce(next_due_at, now()), claimed_by, last_poll_at, last_success_at from source
  where exists (select from stream where source_id = source.id and retired_at is null);
insert into work (kind, id, source_id, due_at, asked, claimed_by, failures)
  select 'look', id, id, coalesce(look_due_at, now()), look_asked, look_claimed_by, look_failures from source
  where look_due_at is not null or look_claimed_by is not null;
insert into work (kind, id, source_id, due_at, asked, claimed_by, failures)
  select 'history', id, source_id, coalesce(history_due_at, now()), history_asked, history_claimed_by, history_failures from stream
  where retired_at is null and (history_due_at is not null or history_claimed_by is not null);

drop index source_due, stream_history_due;
alter table source drop column next_due_at, drop column claimed_by, drop column last_poll_at, drop column last_success_at,
  drop column look_due_at, drop column look_asked, drop column look_claimed_by, drop column look_failures;
alter table stream drop column history_due_at, drop column history_asked, drop column history_claimed_by, drop column history_failures;

-- Room on each page for the next version of a row that changes with every window or request.
alter table stream set (fillfactor = 80);
alter table pace set (fillfactor = 50);

-- The rows.

truncate organisation, hand_over, event_epoch cascade;
alter table source disable trigger user;
alter table backfill disable trigger user;
alter table audit disable trigger user;
create table reading_2026_11 partition of reading FOR VALUES FROM ('2026-11-01 00:00:00+00') TO ('2026-12-01 00:00:00+00');
create table window_log_2026_11_22 partition of window_log FOR VALUES FROM ('2026-11-22 00:00:00+00') TO ('2026-11-23 00:00:00+00');
insert into organisation (id, name, created_at) values
  ('acme', 'Acme', '2026-11-22 08:43:26.918441+00'),
  ('default', 'Default organisation', '2026-11-22 08:43:26.852048+00');
insert into ml_project (id, organisation_id, code, name, created_at, locked, series_quota, series_made, names_told_at) overriding system value values
  ('1', 'default', 'press-shop', 'Press shop', '2026-11-22 08:43:27.646704+00', 'false', '100000', '9', NULL),
  ('2', 'acme', 'kiln', 'kiln', '2026-11-22 08:43:28.41776+00', 'false', '100000', '9', NULL);
select setval(pg_get_serial_sequence('ml_project', 'id'), (select max(id) from ml_project));
insert into worker (id, host, pid, version, started_at, beat_at, clock_ahead_us, polls, kids) values
  ('a1293de8-b46f-4708-b2b6-f29e6f73a695', 'a-host', '21308', '0.1.0', '2026-11-22 08:43:31.767082+00', '2026-11-22 08:44:17.311428+00', NULL, 'true', NULL);
insert into heartbeat (name, beat_at) values
  ('planner', '2026-11-22 08:44:18.174761+00');
insert into source (id, name, project_id, kind, platform, config, revision, state, start_at, every_us, phase_us, settle_us, discovered_at, failures, held_until, last_fault, created_at, updated_at, look_fault, awaits_look, organisation_id, edition, clock_ahead_us) overriding system value values
  ('1', 'north', '1', 'user-credentials', 'influxdb', '{"kind": "user-credentials", "name": "north", "pace": {"burst": 10, "concurrency": 2, "requestsPerSecond": 50}, "mapping": {"labels": ["north"]}, "options": {"database": "plant", "sensorTag": "machine"}, "project": "press-shop", "platform": "influxdb", "schedule": {"every": "2s", "start": "5h", "settle": "5s", "overlap": "1m"}, "connection": {"url": "http://north.invalid", "password": {"$sealed": "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..4jpRqfr5LkeIm0HT.G4vFAmbMyIWnH01tuJwGs72bgYgiGn_KXQ.rEo25c3PGLibSs6QJcyAzQ"}, "username": "bridge@plant.test"}}', '2', 'active', '2026-11-22 03:43:33+00', '2000000', '1628963', '5000000', '2026-11-22 08:44:11.369098+00', '0', NULL, NULL, '2026-11-22 08:43:33.147033+00', '2026-11-22 08:44:11.114097+00', NULL, 'false', 'default', 'f96329d6-475b-4ec7-a709-ce6723afdaec', NULL),
  ('2', 'west', '2', 'user-credentials', 'influxdb', '{"kind": "user-credentials", "name": "west", "pace": {"burst": 1, "concurrency": 1, "requestsPerSecond": 1}, "options": {"database": "plant", "sensorTag": "machine"}, "project": "kiln", "platform": "influxdb", "schedule": {"every": "1s", "start": "2026-11-22T00:00:00Z", "settle": "5s", "catchUp": "oldest", "overlap": "0s", "maxWindow": "30m"}, "connection": {"url": "http://west.invalid", "password": {"$sealed": "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..n41PG7jdZlcSZldP.XqXnAelt9wUO7M2qoh2Gag_dS4tFNgk4oQ.7rMggvotDo1fGaZzCFe2zQ"}, "username": "bridge@plant.test"}, "organisation": "acme"}', '1', 'paused', '2026-11-22 00:00:00+00', '1000000', '400592', '5000000', '2026-11-22 08:43:35.246248+00', '0', NULL, NULL, '2026-11-22 08:43:34.671844+00', '2026-11-22 08:43:34.683247+00', NULL, 'false', 'acme', 'aed8d7c7-a771-4bbd-8eba-3cc198c1eccb', NULL),
  ('3', 'south', '2', 'user-credentials', 'thingsboard', '{"kind": "user-credentials", "name": "south", "pace": {"burst": 1, "concurrency": 1, "requestsPerSecond": 2}, "mapping": {"labels": ["south"], "booleans": "number"}, "project": "kiln", "platform": "thingsboard", "schedule": {"every": "2s", "start": "3h", "settle": "5s", "overlap": "1m", "maxWindow": "2h"}, "connection": {"url": "http://south.invalid", "password": {"$sealed": "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..D0xhB-NS3VjrAvZR.16_mzYT48ZkyUbdjllssZ1JiNNdTIrcs9g.I3WtVC4YWs87J4Hn1COiRg"}, "username": "bridge@plant.test"}, "organisation": "acme"}', '1', 'active', '2026-11-22 05:43:55+00', '2000000', '1403434', '5000000', '2026-11-22 08:43:57.32088+00', '0', NULL, NULL, '2026-11-22 08:43:55.118948+00', '2026-11-22 08:43:55.125031+00', NULL, 'false', 'acme', '450d1bd3-b046-4b77-a77e-e75ffe80a22d', NULL),
  ('4', 'east', '1', 'user-credentials', 'thingsboard', '{"kind": "user-credentials", "name": "east", "pace": {"burst": 10, "concurrency": 2, "requestsPerSecond": 50}, "project": "press-shop", "platform": "thingsboard", "schedule": {"every": "2s", "start": "4h", "settle": "5s", "overlap": "1m"}, "connection": {"url": "http://east.invalid", "password": {"$sealed": "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..Pld2QaJKooA6W9_f.1R5mpA0_eQAjy1MnMtE9Mnfrq04exvKUPw.J_62RXaSBBhAW-_kZzJolQ"}, "username": "bridge@plant.test"}}', '1', 'stopped', '2026-11-22 04:43:58+00', '2000000', '1924842', '5000000', '2026-11-22 08:43:58.298769+00', '1', NULL, '{"at": "2026-11-22T08:44:06.307862Z", "code": "credentials-rejected", "lane": "live", "right": false, "where": "00000000-0000-4000-8000-00000000000b 2026-11-22T08:42:44Z/2026-11-22T08:44:01Z", "remedy": "Check user name and password by hand in the web page of the server; the user must be activated and not locked.", "message": "ThingsBoard refused the login: Authentication failed (401/10)"}', '2026-11-22 08:43:58.002367+00', '2026-11-22 08:43:58.013505+00', NULL, 'false', 'default', '3a39a1ae-c8f1-47ed-ae81-1e0efdd87f66', NULL);
select setval(pg_get_serial_sequence('source', 'id'), (select max(id) from source));
insert into stream (id, source_id, key, selection, sensors, covered, learned, retired_at, failures, retry_at, last_fault, created_at, caught_up_to, turn_at, source_revision, absent_since, look_again, looked_back_us, looked_back_at, news_age_us, news_beyond, newest_at, looks_from) overriding system value values
  ('1', '1', 'motor', '{"group": "motor"}', '[{"id": "press-1", "group": "motor", "variables": ["motor.current", "motor.running", "motor.speed"]}, {"id": "press-2", "group": "motor", "variables": ["motor.current", "motor.running", "motor.speed"]}]', '{["2026-11-22 03:43:33+00","2026-11-22 08:44:12+00")}', '{"length": 3600000000}', NULL, '0', NULL, NULL, '2026-11-22 08:43:33.593757+00', NULL, NULL, '2', NULL, '{}', '0', NULL, '0', '0', NULL, NULL),
  ('2', '1', 'oil', '{"group": "oil"}', '[{"id": "press-1", "group": "oil", "variables": ["oil.state", "oil.temperature"]}, {"id": "press-2", "group": "oil", "variables": ["oil.state", "oil.temperature"]}]', '{["2026-11-22 03:43:33+00","2026-11-22 08:44:12+00")}', '{"length": 3600000000}', NULL, '0', NULL, NULL, '2026-11-22 08:43:33.593757+00', NULL, NULL, '2', NULL, '{}', '0', NULL, '0', '0', NULL, NULL),
  ('3', '2', 'motor', '{"group": "motor"}', '[{"id": "saw-1", "group": "motor", "variables": ["motor.current", "motor.running", "motor.speed"]}]', '{["2026-11-22 00:00:00+00","2026-11-22 04:30:00+00"),["2026-11-22 08:13:30+00","2026-11-22 08:43:46+00")}', '{"length": 1800000000}', NULL, '0', NULL, NULL, '2026-11-22 08:43:35.246248+00', '2026-11-22 04:30:00+00', NULL, '1', NULL, '{}', '0', NULL, '0', '0', NULL, NULL),
  ('4', '2', 'oil', '{"group": "oil"}', '[{"id": "saw-1", "group": "oil", "variables": ["oil.state", "oil.temperature"]}]', '{["2026-11-22 00:00:00+00","2026-11-22 04:00:00+00"),["2026-11-22 08:13:31+00","2026-11-22 08:43:47+00")}', '{"length": 1800000000}', NULL, '0', NULL, NULL, '2026-11-22 08:43:35.246248+00', '2026-11-22 04:00:00+00', NULL, '1', NULL, '{}', '0', NULL, '0', '0', NULL, NULL),
  ('5', '3', '00000000-0000-4000-8000-000000000001', '{"group": "00000000-0000-4000-8000-000000000001", "sensors": ["00000000-0000-4000-8000-000000000001"], "variables": ["flow", "temperature", "running"]}', '[{"id": "00000000-0000-4000-8000-000000000001", "name": "pump-1", "group": "00000000-0000-4000-8000-000000000001", "variables": ["flow", "temperature", "running"]}]', '{["2026-11-22 03:00:00+00","2026-11-22 05:00:00+00"),["2026-11-22 05:43:55+00","2026-11-22 08:44:12+00")}', '{"length": 7200000000}', NULL, '0', NULL, NULL, '2026-11-22 08:43:57.32088+00', NULL, NULL, '1', NULL, '{}', '0', NULL, '0', '0', NULL, NULL),
  ('6', '3', '00000000-0000-4000-8000-000000000002', '{"group": "00000000-0000-4000-8000-000000000002", "sensors": ["00000000-0000-4000-8000-000000000002"], "variables": ["flow", "temperature", "running"]}', '[{"id": "00000000-0000-4000-8000-000000000002", "name": "pump-2", "group": "00000000-0000-4000-8000-000000000002", "variables": ["flow", "temperature", "running"]}]', '{["2026-11-20 00:00:00+00","2026-11-20 02:00:00+00"),["2026-11-22 03:00:00+00","2026-11-22 05:00:00+00"),["2026-11-22 05:43:55+00","2026-11-22 08:44:12+00")}', '{"length": 7200000000}', NULL, '0', NULL, NULL, '2026-11-22 08:43:57.32088+00', NULL, NULL, '1', NULL, '{}', '0', NULL, '0', '0', NULL, NULL),
  ('7', '4', '00000000-0000-4000-8000-00000000000b', '{"group": "00000000-0000-4000-8000-00000000000b", "sensors": ["00000000-0000-4000-8000-00000000000b"], "variables": ["flow", "temperature", "running"]}', '[{"id": "00000000-0000-4000-8000-00000000000b", "name": "pump-11", "group": "00000000-0000-4000-8000-00000000000b", "variables": ["flow", "temperature", "running"]}]', '{["2026-11-22 04:43:58+00","2026-11-22 08:43:59+00")}', '{"length": 5400000000}', NULL, '0', NULL, NULL, '2026-11-22 08:43:58.298769+00', NULL, NULL, '1', NULL, '{}', '0', NULL, '0', '0', NULL, NULL);
select setval(pg_get_serial_sequence('stream', 'id'), (select max(id) from stream));
insert into pace (source_id, version, state) values
  ('1', '108', '{"next": 1795337057785230, "leases": [], "holdUntil": 0}'),
  ('2', '69', '{"next": 1795337049896034, "leases": [], "holdUntil": 0}'),
  ('3', '68', '{"next": 1795337059054466, "leases": [], "holdUntil": 0}'),
  ('4', '26', '{"next": 1795337046304208, "leases": [], "holdUntil": 0}');
insert into token (source_id, version, sealed, replacing_until) values
  ('3', '1', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..CEwEvX37GBQ0LmMt.vBFTwfVqDK8ygX0tglPEK5tNJ0Ff1xwiYCsGSFFPLI2FhZp5TyT7gEteflFcapTSY55QOG2zgkm6t7wXnwxAHh8Qday28Tuw7ICtkPYC6o73RJjiEb7jtH3-oKjKgbjEaBC2EPrxCDWg5MljAab3wTHqE96zHn3y_9gBcIdU-9kC0QUD6ZuaH1HcLtVnCNaUCBJjkBUiwwFRILrLyE7MomTYF_lll29YkPJWqgurwervc0c1EuCqydatWLX0qMDEQP061w4xokp4j56sJkUmRSqqefOfvh8Dco2Fdtgf_fMuB_DV-cByAgxlWq1Jbgo2FtZT-VX65KJGn7NkgIOe9YuKoJoBk8Shkmuy6Pdj_0SNK4P6lrXhTakvDMaxzJ6J6av6ciEwo8BKlfyrsE-SiQ33l0JjEsxsXOKtS89AZYyyhVrgGYa_ayKiwVzEP0zrTLxP1bmPcs6XlAR5qSePqgB5cmHFa5iL5KuBqBJZl2dxWirap0L3V2iQ_R3E8IYnORg7uoyPPQVQRwqyV9ApfSWnMSwsRLxauzH1Y1_A8pdrLLZ20AvKylMpmPF8qrVrrlk7DIjun1UrUqVBfoepHb86S52M3AqKQCeyEP_oYQZ90kvJb1EUI9N-xdK3xaeoDWR3kFzm3k1rc3xC-APiSmR_RQ5Jd4bhjE_M2sxBgm6vgGUB6NnwDrn9A1hpt0-Jjd8Ui5xOdcyNXzudx9_OevoS-SZlqpRMDy-D-4b5_D58QWTBXv-p43HWwQcWK5NBkg6wYvkYojgmwzE8-Xt692aHVipR8h2anaLmO4PfBLNApnZn1u90TkH1OR3bnvKGL2dqR98ND9nA8mahvQ68P28HqNr95Q.W75eyMVo-fV9t22MAdA7WA', NULL),
  ('4', '1', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..tRTn0cQK73R1ffVt.nnMD6EOkl6Htp6VQ5neuwVUR9Sam4QMeXXgXaBPkP21M9Gx8aJsNxwb8yfFUo-Qv2UuBecEbIRx7iNQuJCoyf63Tdj25cZ-E8m1D25lNCUt9fDm8IHEhj3xi_ggdODirKCUuFkx8IstB-ezHVrgZb83x8e_niRyzAGKao_iRdPvFZwZBz9dSOxUl1Sun4EcPeYrstVOBuzurTXCnI_dZ-EmlAHC454O8mvinineZwoWtWi6BSr5vl1qzZCAW6eb0nlhEjH7Fd1_biyzcV60QUak8GHaZ-CSJ7x_xGHZOIvVfoto9BR9ut7ZcTwmuqbnDRWpGkWxH8L3sJYQ_h9M9H54aEQ4tFsmEadamTOpoN5FaByHC0gSebowQKtn3CGbmeIhM5Sb7Y4ZkZQmuUeFbZhQD4TCaLX8qmHpTl7nwySM7TclDehcTMN83OFKTyZ8t0Vs47eBCG4Kfm0k53W4rySlicRqmqRAitZmsr64gbq__QtE1RpiFRve9JjBqKPe0-q4yj_DDh6xkzN8c8dbCM3N1T_vdogjwZ5ALndD69xJEHSKPuzFrZKp4eQnUsEnaKOSOIq2_MIvKY-nO3mSQPz9hWX5VqWW9Jk3fbr48hkXiSg2uMg8u3wefyBHcTdJTwMZYLlQC3i6uF63o-OHJaAbWyIxHiu4LuND5CBCjJukgOWWLucotiddSfV1KsFqTvlpUYPdI-4Yfx4ElCuVoXjLKECHhn6S0vUANJDKlyMUYu0cDtcaQBzxJVdve_ovMZlHsJJe-0A7iZIeJOvDeByGt4M7Z5zNEAHulU9huK17ZgfPrpVQHNcxKLP3KMhNPaZsdAl64he8YibNPGSPpHxpHLUJbtw.xhVGFykNf10zSg1XTI4nKw', '2026-11-22 08:45:06.257998+00');
insert into series (id, project_id, sensor_id, value_name, created_at, owner) overriding system value values
  ('1', '1', 'press-1', 'oil_temperature', '2026-11-22 08:43:33.781981+00', 'north'),
  ('10', '2', '00000000-0000-4000-8000-000000000001', 'flow', '2026-11-22 08:43:57.844623+00', 'south'),
  ('11', '2', '00000000-0000-4000-8000-000000000001', 'running', '2026-11-22 08:43:57.844623+00', 'south'),
  ('12', '2', '00000000-0000-4000-8000-000000000001', 'temperature', '2026-11-22 08:43:57.844623+00', 'south'),
  ('13', '1', '00000000-0000-4000-8000-00000000000b', 'flow', '2026-11-22 08:43:58.31967+00', 'east'),
  ('14', '1', '00000000-0000-4000-8000-00000000000b', 'temperature', '2026-11-22 08:43:58.31967+00', 'east'),
  ('15', '2', '00000000-0000-4000-8000-000000000002', 'flow', '2026-11-22 08:43:58.330117+00', 'south'),
  ('16', '2', '00000000-0000-4000-8000-000000000002', 'running', '2026-11-22 08:43:58.330117+00', 'south'),
  ('17', '2', '00000000-0000-4000-8000-000000000002', 'temperature', '2026-11-22 08:43:58.330117+00', 'south'),
  ('18', '1', 'gateway-7', 'power', '2026-11-22 08:44:06.627534+00', NULL),
  ('2', '1', 'press-2', 'oil_temperature', '2026-11-22 08:43:33.781981+00', 'north'),
  ('3', '1', 'press-1', 'motor_current', '2026-11-22 08:43:33.785055+00', 'north'),
  ('4', '1', 'press-1', 'motor_speed', '2026-11-22 08:43:33.785055+00', 'north'),
  ('5', '1', 'press-2', 'motor_current', '2026-11-22 08:43:33.785055+00', 'north'),
  ('6', '1', 'press-2', 'motor_speed', '2026-11-22 08:43:33.785055+00', 'north'),
  ('7', '2', 'saw-1', 'motor_current', '2026-11-22 08:43:36.254749+00', 'west'),
  ('8', '2', 'saw-1', 'motor_speed', '2026-11-22 08:43:36.254749+00', 'west'),
  ('9', '2', 'saw-1', 'oil_temperature', '2026-11-22 08:43:37.26633+00', 'west');
select setval(pg_get_serial_sequence('series', 'id'), (select max(id) from series));
insert into label_set (id, labels) overriding system value values
  ('1', '{south}'),
  ('2', '{pushed}');
select setval(pg_get_serial_sequence('label_set', 'id'), (select max(id) from label_set));
insert into reading (series, at, value, precision, labels) values
  ('1', '2026-11-22 04:20:00+00', '-78.266', NULL, NULL),
  ('1', '2026-11-22 07:10:00+00', '49.472', NULL, NULL),
  ('1', '2026-11-22 07:20:00+00', '-99.094', NULL, NULL),
  ('1', '2026-11-22 07:30:00+00', '-29.798', NULL, NULL),
  ('1', '2026-11-22 07:40:00+00', '-96.754', NULL, NULL),
  ('1', '2026-11-22 08:10:00+00', '-31.824', NULL, NULL),
  ('1', '2026-11-22 08:20:00+00', '60.632', NULL, NULL),
  ('1', '2026-11-22 08:30:00+00', '-29.382', NULL, NULL),
  ('1', '2026-11-22 08:40:00+00', '-99.299', NULL, NULL),
  ('1', '2026-11-22 08:00:00+00', '-52.429', NULL, NULL),
  ('1', '2026-11-22 04:00:00+00', '-39.26', NULL, NULL),
  ('1', '2026-11-22 04:10:00+00', '2.006', NULL, NULL),
  ('1', '2026-11-22 07:00:00+00', '31.51', NULL, NULL),
  ('1', '2026-11-22 04:30:00+00', '-28.589', NULL, NULL),
  ('1', '2026-11-22 06:10:00+00', '74.047', NULL, NULL),
  ('1', '2026-11-22 06:00:00+00', '98.232', NULL, NULL),
  ('1', '2026-11-22 05:50:00+00', '0', NULL, NULL),
  ('1', '2026-11-22 05:40:00+00', '-74.824', NULL, NULL),
  ('1', '2026-11-22 05:30:00+00', '0', NULL, NULL),
  ('1', '2026-11-22 05:20:00+00', '-80.781', NULL, NULL),
  ('1', '2026-11-22 05:10:00+00', '-87.557', NULL, NULL),
  ('1', '2026-11-22 05:00:00+00', '0', NULL, NULL),
  ('1', '2026-11-22 04:50:00+00', '-45.097', NULL, NULL),
  ('1', '2026-11-22 07:50:00+00', '13.638', NULL, NULL),
  ('1', '2026-11-22 04:40:00+00', '-78.68', NULL, NULL),
  ('1', '2026-11-22 06:20:00+00', '54.664', NULL, NULL),
  ('1', '2026-11-22 06:30:00+00', '-37.335', NULL, NULL),
  ('1', '2026-11-22 06:40:00+00', '94.947', NULL, NULL),
  ('1', '2026-11-22 06:50:00+00', '0', NULL, NULL),
  ('10', '2026-11-22 03:00:00+00', '96.716', NULL, '1'),
  ('10', '2026-11-22 04:10:00+00', '76.846', NULL, '1'),
  ('10', '2026-11-22 04:20:00+00', '81.644', NULL, '1'),
  ('10', '2026-11-22 04:30:00+00', '-66.084', NULL, '1'),
  ('10', '2026-11-22 04:40:00+00', '8.472', NULL, '1'),
  ('10', '2026-11-22 04:50:00+00', '22.187', NULL, '1'),
  ('10', '2026-11-22 03:40:00+00', '84.006', NULL, '1'),
  ('10', '2026-11-22 03:30:00+00', '-84.092', NULL, '1'),
  ('10', '2026-11-22 03:20:00+00', '-99.728', NULL, '1'),
  ('10', '2026-11-22 03:10:00+00', '-65.979', NULL, '1'),
  ('10', '2026-11-22 04:00:00+00', '0', NULL, '1'),
  ('10', '2026-11-22 06:10:00+00', '-21.842', NULL, '1'),
  ('10', '2026-11-22 07:30:00+00', '60.211', NULL, '1'),
  ('10', '2026-11-22 07:40:00+00', '-44.445', NULL, '1'),
  ('10', '2026-11-22 07:50:00+00', '0', NULL, '1'),
  ('10', '2026-11-22 08:00:00+00', '0', NULL, '1'),
  ('10', '2026-11-22 08:10:00+00', '91.305', NULL, '1'),
  ('10', '2026-11-22 08:20:00+00', '-54.892', NULL, '1'),
  ('10', '2026-11-22 03:50:00+00', '34.701', NULL, '1'),
  ('10', '2026-11-22 06:20:00+00', '-49.247', NULL, '1'),
  ('10', '2026-11-22 06:30:00+00', '-21.448', NULL, '1'),
  ('10', '2026-11-22 06:40:00+00', '62.801', NULL, '1'),
  ('10', '2026-11-22 08:30:00+00', '48.704', NULL, '1'),
  ('10', '2026-11-22 08:40:00+00', '-81.3', NULL, '1'),
  ('10', '2026-11-22 06:50:00+00', '-49.392', NULL, '1'),
  ('10', '2026-11-22 07:00:00+00', '15.658', NULL, '1'),
  ('10', '2026-11-22 07:10:00+00', '-91.303', NULL, '1'),
  ('10', '2026-11-22 05:50:00+00', '0', NULL, '1'),
  ('10', '2026-11-22 06:00:00+00', '67.893', NULL, '1'),
  ('10', '2026-11-22 07:20:00+00', '-89.468', NULL, '1'),
  ('11', '2026-11-22 06:00:00+00', '1', NULL, '1'),
  ('11', '2026-11-22 07:00:00+00', '0', NULL, '1'),
  ('11', '2026-11-22 03:00:00+00', '0', NULL, '1'),
  ('11', '2026-11-22 04:00:00+00', '1', NULL, '1'),
  ('11', '2026-11-22 08:00:00+00', '1', NULL, '1'),
  ('12', '2026-11-22 04:30:00+00', '0', NULL, '1'),
  ('12', '2026-11-22 07:40:00+00', '-0.764', NULL, '1'),
  ('12', '2026-11-22 07:30:00+00', '95.605', NULL, '1'),
  ('12', '2026-11-22 07:20:00+00', '-96.4', NULL, '1'),
  ('12', '2026-11-22 07:10:00+00', '-75.074', NULL, '1'),
  ('12', '2026-11-22 07:00:00+00', '45.137', NULL, '1'),
  ('12', '2026-11-22 06:50:00+00', '75.857', NULL, '1'),
  ('12', '2026-11-22 06:40:00+00', '0', NULL, '1'),
  ('12', '2026-11-22 06:30:00+00', '-4.644', NULL, '1'),
  ('12', '2026-11-22 06:10:00+00', '58.973', NULL, '1'),
  ('12', '2026-11-22 06:00:00+00', '-59.286', NULL, '1'),
  ('12', '2026-11-22 05:50:00+00', '91.372', NULL, '1'),
  ('12', '2026-11-22 06:20:00+00', '70.624', NULL, '1'),
  ('12', '2026-11-22 08:40:00+00', '-61.588', NULL, '1'),
  ('12', '2026-11-22 08:30:00+00', '90.595', NULL, '1'),
  ('12', '2026-11-22 08:20:00+00', '19.635', NULL, '1'),
  ('12', '2026-11-22 08:10:00+00', '50.461', NULL, '1'),
  ('12', '2026-11-22 08:00:00+00', '-86.893', NULL, '1'),
  ('12', '2026-11-22 07:50:00+00', '-76.959', NULL, '1'),
  ('12', '2026-11-22 04:50:00+00', '27.416', NULL, '1'),
  ('12', '2026-11-22 04:40:00+00', '0', NULL, '1'),
  ('12', '2026-11-22 04:20:00+00', '58.374', NULL, '1'),
  ('12', '2026-11-22 04:10:00+00', '64.396', NULL, '1'),
  ('12', '2026-11-22 04:00:00+00', '34.151', NULL, '1'),
  ('12', '2026-11-22 03:50:00+00', '76.934', NULL, '1'),
  ('12', '2026-11-22 03:40:00+00', '94.336', NULL, '1'),
  ('12', '2026-11-22 03:30:00+00', '21.942', NULL, '1'),
  ('12', '2026-11-22 03:20:00+00', '-82.795', NULL, '1'),
  ('12', '2026-11-22 03:10:00+00', '22.016', NULL, '1'),
  ('12', '2026-11-22 03:00:00+00', '28.649', NULL, '1'),
  ('13', '2026-11-22 05:50:00+00', '0', NULL, NULL),
  ('13', '2026-11-22 06:00:00+00', '-19.604', NULL, NULL),
  ('13', '2026-11-22 06:10:00+00', '87.712', NULL, NULL),
  ('13', '2026-11-22 06:40:00+00', '-11.771', NULL, NULL),
  ('13', '2026-11-22 07:40:00+00', '-14.921', NULL, NULL),
  ('13', '2026-11-22 07:30:00+00', '48.453', NULL, NULL),
  ('13', '2026-11-22 06:50:00+00', '58.394', NULL, NULL),
  ('13', '2026-11-22 07:20:00+00', '-43.059', NULL, NULL),
  ('13', '2026-11-22 07:00:00+00', '15.832', NULL, NULL),
  ('13', '2026-11-22 07:10:00+00', '-74.631', NULL, NULL),
  ('13', '2026-11-22 04:50:00+00', '-4.885', NULL, NULL),
  ('13', '2026-11-22 05:00:00+00', '-86.177', NULL, NULL),
  ('13', '2026-11-22 07:50:00+00', '-33.697', NULL, NULL),
  ('13', '2026-11-22 05:10:00+00', '10.962', NULL, NULL),
  ('13', '2026-11-22 08:00:00+00', '-26.604', NULL, NULL),
  ('13', '2026-11-22 08:10:00+00', '65.058', NULL, NULL),
  ('13', '2026-11-22 08:20:00+00', '0', NULL, NULL),
  ('13', '2026-11-22 08:30:00+00', '89.302', NULL, NULL),
  ('13', '2026-11-22 08:40:00+00', '6.615', NULL, NULL),
  ('13', '2026-11-22 05:20:00+00', '0', NULL, NULL),
  ('13', '2026-11-22 05:30:00+00', '23.202', NULL, NULL),
  ('13', '2026-11-22 05:40:00+00', '-76.583', NULL, NULL),
  ('13', '2026-11-22 06:20:00+00', '0', NULL, NULL),
  ('13', '2026-11-22 06:30:00+00', '-17.101', NULL, NULL),
  ('14', '2026-11-22 08:30:00+00', '1.906', NULL, NULL),
  ('14', '2026-11-22 04:50:00+00', '0', NULL, NULL),
  ('14', '2026-11-22 07:40:00+00', '21.917', NULL, NULL),
  ('14', '2026-11-22 07:30:00+00', '85.828', NULL, NULL),
  ('14', '2026-11-22 07:20:00+00', '-95.296', NULL, NULL),
  ('14', '2026-11-22 07:10:00+00', '30.447', NULL, NULL),
  ('14', '2026-11-22 07:00:00+00', '38.328', NULL, NULL),
  ('14', '2026-11-22 06:50:00+00', '-77.901', NULL, NULL),
  ('14', '2026-11-22 06:10:00+00', '-58.105', NULL, NULL),
  ('14', '2026-11-22 06:00:00+00', '32.191', NULL, NULL),
  ('14', '2026-11-22 05:50:00+00', '-67.187', NULL, NULL),
  ('14', '2026-11-22 05:40:00+00', '-87.49', NULL, NULL),
  ('14', '2026-11-22 05:30:00+00', '-17.247', NULL, NULL),
  ('14', '2026-11-22 06:40:00+00', '72.95', NULL, NULL),
  ('14', '2026-11-22 06:30:00+00', '92.788', NULL, NULL),
  ('14', '2026-11-22 05:00:00+00', '82.435', NULL, NULL),
  ('14', '2026-11-22 05:10:00+00', '-39.272', NULL, NULL),
  ('14', '2026-11-22 05:20:00+00', '51.004', NULL, NULL),
  ('14', '2026-11-22 06:20:00+00', '0', NULL, NULL),
  ('14', '2026-11-22 07:50:00+00', '-19.268', NULL, NULL),
  ('14', '2026-11-22 08:00:00+00', '39.269', NULL, NULL),
  ('14', '2026-11-22 08:10:00+00', '67.858', NULL, NULL),
  ('14', '2026-11-22 08:20:00+00', '0', NULL, NULL),
  ('14', '2026-11-22 08:40:00+00', '30.821', NULL, NULL),
  ('15', '2026-11-22 08:00:00+00', '97.231', NULL, '1'),
  ('15', '2026-11-20 01:20:00+00', '-43.311', NULL, '1'),
  ('15', '2026-11-20 01:10:00+00', '58.203', NULL, '1'),
  ('15', '2026-11-20 01:00:00+00', '55.592', NULL, '1'),
  ('15', '2026-11-20 00:50:00+00', '-26.456', NULL, '1'),
  ('15', '2026-11-20 00:40:00+00', '-17.78', NULL, '1'),
  ('15', '2026-11-20 00:30:00+00', '-62.977', NULL, '1'),
  ('15', '2026-11-20 00:20:00+00', '28.295', NULL, '1'),
  ('15', '2026-11-20 00:10:00+00', '-22.453', NULL, '1'),
  ('15', '2026-11-20 00:00:00+00', '66.564', NULL, '1'),
  ('15', '2026-11-20 01:50:00+00', '87.865', NULL, '1'),
  ('15', '2026-11-20 01:40:00+00', '32.197', NULL, '1'),
  ('15', '2026-11-20 01:30:00+00', '-72.32', NULL, '1'),
  ('15', '2026-11-22 04:50:00+00', '-60.49', NULL, '1'),
  ('15', '2026-11-22 04:40:00+00', '-71.981', NULL, '1'),
  ('15', '2026-11-22 04:30:00+00', '47.566', NULL, '1'),
  ('15', '2026-11-22 04:20:00+00', '-43.203', NULL, '1'),
  ('15', '2026-11-22 04:10:00+00', '-91.15', NULL, '1'),
  ('15', '2026-11-22 04:00:00+00', '-97.679', NULL, '1'),
  ('15', '2026-11-22 03:50:00+00', '34', NULL, '1'),
  ('15', '2026-11-22 03:40:00+00', '89.363', NULL, '1'),
  ('15', '2026-11-22 03:30:00+00', '16.353', NULL, '1'),
  ('15', '2026-11-22 03:20:00+00', '0', NULL, '1'),
  ('15', '2026-11-22 03:10:00+00', '-65.488', NULL, '1'),
  ('15', '2026-11-22 03:00:00+00', '-28.872', NULL, '1'),
  ('15', '2026-11-22 06:10:00+00', '30.616', NULL, '1'),
  ('15', '2026-11-22 06:00:00+00', '-1.847', NULL, '1'),
  ('15', '2026-11-22 05:50:00+00', '-54.348', NULL, '1'),
  ('15', '2026-11-22 07:40:00+00', '39.816', NULL, '1'),
  ('15', '2026-11-22 07:30:00+00', '67.052', NULL, '1'),
  ('15', '2026-11-22 07:20:00+00', '-13.007', NULL, '1'),
  ('15', '2026-11-22 07:10:00+00', '-7.825', NULL, '1'),
  ('15', '2026-11-22 07:00:00+00', '-96.14', NULL, '1'),
  ('15', '2026-11-22 06:50:00+00', '0', NULL, '1'),
  ('15', '2026-11-22 06:40:00+00', '0', NULL, '1'),
  ('15', '2026-11-22 06:30:00+00', '-59.697', NULL, '1'),
  ('15', '2026-11-22 06:20:00+00', '-23.141', NULL, '1'),
  ('15', '2026-11-22 08:40:00+00', '66.608', NULL, '1'),
  ('15', '2026-11-22 08:30:00+00', '0', NULL, '1'),
  ('15', '2026-11-22 08:20:00+00', '-1.71', NULL, '1'),
  ('15', '2026-11-22 08:10:00+00', '-32.441', NULL, '1'),
  ('15', '2026-11-22 07:50:00+00', '-86.601', NULL, '1'),
  ('16', '2026-11-22 06:00:00+00', '1', NULL, '1'),
  ('16', '2026-11-22 03:00:00+00', '0', NULL, '1'),
  ('16', '2026-11-20 00:00:00+00', '1', NULL, '1'),
  ('16', '2026-11-20 01:00:00+00', '0', NULL, '1'),
  ('16', '2026-11-22 04:00:00+00', '0', NULL, '1'),
  ('16', '2026-11-22 08:00:00+00', '0', NULL, '1'),
  ('16', '2026-11-22 07:00:00+00', '1', NULL, '1'),
  ('17', '2026-11-22 06:10:00+00', '-95.183', NULL, '1'),
  ('17', '2026-11-22 03:00:00+00', '-32.413', NULL, '1'),
  ('17', '2026-11-22 03:10:00+00', '-37.141', NULL, '1'),
  ('17', '2026-11-22 08:40:00+00', '-58.346', NULL, '1'),
  ('17', '2026-11-22 08:30:00+00', '50.335', NULL, '1'),
  ('17', '2026-11-22 08:20:00+00', '9.114', NULL, '1'),
  ('17', '2026-11-22 08:10:00+00', '95.697', NULL, '1'),
  ('17', '2026-11-22 08:00:00+00', '-78.581', NULL, '1'),
  ('17', '2026-11-22 07:50:00+00', '37.101', NULL, '1'),
  ('17', '2026-11-22 07:00:00+00', '81.597', NULL, '1'),
  ('17', '2026-11-22 07:10:00+00', '0', NULL, '1'),
  ('17', '2026-11-22 07:20:00+00', '15.666', NULL, '1'),
  ('17', '2026-11-22 07:30:00+00', '36.91', NULL, '1'),
  ('17', '2026-11-22 07:40:00+00', '-39.555', NULL, '1'),
  ('17', '2026-11-22 05:50:00+00', '-11.791', NULL, '1'),
  ('17', '2026-11-22 06:00:00+00', '-16.194', NULL, '1'),
  ('17', '2026-11-20 00:00:00+00', '23.578', NULL, '1'),
  ('17', '2026-11-20 00:10:00+00', '-96.763', NULL, '1'),
  ('17', '2026-11-20 00:20:00+00', '87.365', NULL, '1'),
  ('17', '2026-11-20 00:30:00+00', '-19.24', NULL, '1'),
  ('17', '2026-11-20 00:40:00+00', '-30.178', NULL, '1'),
  ('17', '2026-11-20 00:50:00+00', '-97.317', NULL, '1'),
  ('17', '2026-11-20 01:00:00+00', '0', NULL, '1'),
  ('17', '2026-11-20 01:10:00+00', '-16.822', NULL, '1'),
  ('17', '2026-11-20 01:20:00+00', '-75.896', NULL, '1'),
  ('17', '2026-11-20 01:30:00+00', '56.634', NULL, '1'),
  ('17', '2026-11-20 01:40:00+00', '74.127', NULL, '1'),
  ('17', '2026-11-20 01:50:00+00', '-5.135', NULL, '1'),
  ('17', '2026-11-22 03:20:00+00', '7.326', NULL, '1'),
  ('17', '2026-11-22 03:30:00+00', '-91.102', NULL, '1'),
  ('17', '2026-11-22 03:40:00+00', '-73.74', NULL, '1'),
  ('17', '2026-11-22 03:50:00+00', '0', NULL, '1'),
  ('17', '2026-11-22 04:00:00+00', '0', NULL, '1'),
  ('17', '2026-11-22 04:10:00+00', '0', NULL, '1'),
  ('17', '2026-11-22 04:20:00+00', '96.584', NULL, '1'),
  ('17', '2026-11-22 04:30:00+00', '-22.186', NULL, '1'),
  ('17', '2026-11-22 04:40:00+00', '21.644', NULL, '1'),
  ('17', '2026-11-22 04:50:00+00', '95.216', NULL, '1'),
  ('17', '2026-11-22 06:20:00+00', '61.814', NULL, '1'),
  ('17', '2026-11-22 06:30:00+00', '-96.473', NULL, '1'),
  ('17', '2026-11-22 06:40:00+00', '-99.166', NULL, '1'),
  ('17', '2026-11-22 06:50:00+00', '-59.307', NULL, '1'),
  ('18', '2026-11-21 20:31:00+00', '7.75', '90', '2'),
  ('18', '2026-11-21 20:32:00+00', '8', '90', '2'),
  ('18', '2026-11-21 20:33:00+00', '8.25', '90', '2'),
  ('18', '2026-11-21 20:34:00+00', '8.5', '90', '2'),
  ('18', '2026-11-21 20:35:00+00', '8.75', '90', '2'),
  ('18', '2026-11-21 20:36:00+00', '9', '90', '2'),
  ('18', '2026-11-21 20:37:00+00', '9.25', '90', '2'),
  ('18', '2026-11-21 20:38:00+00', '9.5', '90', '2'),
  ('18', '2026-11-21 20:39:00+00', '9.75', '90', '2'),
  ('18', '2026-11-21 20:25:00+00', '6.25', '90', '2'),
  ('18', '2026-11-21 20:24:00+00', '6', '90', '2'),
  ('18', '2026-11-21 20:23:00+00', '5.75', '90', '2'),
  ('18', '2026-11-21 20:22:00+00', '5.5', '90', '2'),
  ('18', '2026-11-21 20:21:00+00', '5.25', '90', '2'),
  ('18', '2026-11-21 20:27:00+00', '6.75', '90', '2'),
  ('18', '2026-11-21 20:20:00+00', '5', '90', '2'),
  ('18', '2026-11-21 20:19:00+00', '4.75', '90', '2'),
  ('18', '2026-11-21 20:18:00+00', '4.5', '90', '2'),
  ('18', '2026-11-21 20:17:00+00', '4.25', '90', '2'),
  ('18', '2026-11-21 20:16:00+00', '4', '90', '2'),
  ('18', '2026-11-21 20:15:00+00', '3.75', '90', '2'),
  ('18', '2026-11-21 20:14:00+00', '3.5', '90', '2'),
  ('18', '2026-11-21 20:13:00+00', '3.25', '90', '2'),
  ('18', '2026-11-21 20:12:00+00', '3', '90', '2'),
  ('18', '2026-11-21 20:11:00+00', '2.75', '90', '2'),
  ('18', '2026-11-21 20:10:00+00', '2.5', '90', '2'),
  ('18', '2026-11-21 20:09:00+00', '2.25', '90', '2'),
  ('18', '2026-11-21 20:08:00+00', '2', '90', '2'),
  ('18', '2026-11-21 20:07:00+00', '1.75', '90', '2'),
  ('18', '2026-11-21 20:06:00+00', '1.5', '90', '2'),
  ('18', '2026-11-21 20:05:00+00', '1.25', '90', '2'),
  ('18', '2026-11-21 20:04:00+00', '1', '90', '2'),
  ('18', '2026-11-21 20:03:00+00', '0.75', '90', '2'),
  ('18', '2026-11-21 20:02:00+00', '0.5', '90', '2'),
  ('18', '2026-11-21 20:01:00+00', '0.25', '90', '2'),
  ('18', '2026-11-21 20:00:00+00', '0', '90', '2'),
  ('18', '2026-11-21 20:26:00+00', '6.5', '90', '2'),
  ('18', '2026-11-21 20:28:00+00', '7', '90', '2'),
  ('18', '2026-11-21 20:29:00+00', '7.25', '90', '2'),
  ('18', '2026-11-21 20:30:00+00', '7.5', '90', '2'),
  ('2', '2026-11-22 04:10:00+00', '3.848', NULL, NULL),
  ('2', '2026-11-22 07:50:00+00', '61.227', NULL, NULL),
  ('2', '2026-11-22 08:00:00+00', '-46.028', NULL, NULL),
  ('2', '2026-11-22 08:10:00+00', '1.669', NULL, NULL),
  ('2', '2026-11-22 08:20:00+00', '0', NULL, NULL),
  ('2', '2026-11-22 08:30:00+00', '-77.47', NULL, NULL),
  ('2', '2026-11-22 08:40:00+00', '0', NULL, NULL),
  ('2', '2026-11-22 06:20:00+00', '20.88', NULL, NULL),
  ('2', '2026-11-22 06:30:00+00', '-46.121', NULL, NULL),
  ('2', '2026-11-22 06:40:00+00', '-84.781', NULL, NULL),
  ('2', '2026-11-22 06:50:00+00', '75.168', NULL, NULL),
  ('2', '2026-11-22 07:00:00+00', '-8.67', NULL, NULL),
  ('2', '2026-11-22 07:10:00+00', '55.148', NULL, NULL),
  ('2', '2026-11-22 07:20:00+00', '-11.013', NULL, NULL),
  ('2', '2026-11-22 07:30:00+00', '0', NULL, NULL),
  ('2', '2026-11-22 07:40:00+00', '-74.944', NULL, NULL),
  ('2', '2026-11-22 04:00:00+00', '-68.475', NULL, NULL),
  ('2', '2026-11-22 04:20:00+00', '-11.568', NULL, NULL),
  ('2', '2026-11-22 04:30:00+00', '0.17', NULL, NULL),
  ('2', '2026-11-22 04:40:00+00', '-59.122', NULL, NULL),
  ('2', '2026-11-22 04:50:00+00', '-78.977', NULL, NULL),
  ('2', '2026-11-22 05:00:00+00', '85.948', NULL, NULL),
  ('2', '2026-11-22 05:10:00+00', '27.453', NULL, NULL),
  ('2', '2026-11-22 05:20:00+00', '0', NULL, NULL),
  ('2', '2026-11-22 05:30:00+00', '0', NULL, NULL),
  ('2', '2026-11-22 05:40:00+00', '62.391', NULL, NULL),
  ('2', '2026-11-22 05:50:00+00', '-20.008', NULL, NULL),
  ('2', '2026-11-22 06:00:00+00', '-99.841', NULL, NULL),
  ('2', '2026-11-22 06:10:00+00', '82.045', NULL, NULL),
  ('3', '2026-11-22 07:35:00+00', '-32.91', NULL, NULL),
  ('3', '2026-11-22 07:30:00+00', '18.091', NULL, NULL),
  ('3', '2026-11-22 07:25:00+00', '-41.99', NULL, NULL),
  ('3', '2026-11-22 07:20:00+00', '0', NULL, NULL),
  ('3', '2026-11-22 07:15:00+00', '0', NULL, NULL),
  ('3', '2026-11-22 07:10:00+00', '-6.919', NULL, NULL),
  ('3', '2026-11-22 07:05:00+00', '-69.601', NULL, NULL),
  ('3', '2026-11-22 07:45:00+00', '47.714', NULL, NULL),
  ('3', '2026-11-22 04:00:00+00', '-75.071', NULL, NULL),
  ('3', '2026-11-22 07:00:00+00', '-4.671', NULL, NULL),
  ('3', '2026-11-22 06:55:00+00', '7.203', NULL, NULL),
  ('3', '2026-11-22 06:50:00+00', '-63.42', NULL, NULL),
  ('3', '2026-11-22 06:45:00+00', '-14.046', NULL, NULL),
  ('3', '2026-11-22 06:40:00+00', '54.554', NULL, NULL),
  ('3', '2026-11-22 06:35:00+00', '19.421', NULL, NULL),
  ('3', '2026-11-22 06:30:00+00', '-55.177', NULL, NULL),
  ('3', '2026-11-22 06:25:00+00', '-73.59', NULL, NULL),
  ('3', '2026-11-22 08:30:00+00', '10.803', NULL, NULL),
  ('3', '2026-11-22 08:25:00+00', '-82.676', NULL, NULL),
  ('3', '2026-11-22 08:20:00+00', '-16.512', NULL, NULL),
  ('3', '2026-11-22 08:15:00+00', '67.725', NULL, NULL),
  ('3', '2026-11-22 08:10:00+00', '84.584', NULL, NULL),
  ('3', '2026-11-22 08:05:00+00', '34.405', NULL, NULL),
  ('3', '2026-11-22 08:00:00+00', '-25.439', NULL, NULL),
  ('3', '2026-11-22 07:55:00+00', '30.711', NULL, NULL),
  ('3', '2026-11-22 04:40:00+00', '-22.401', NULL, NULL),
  ('3', '2026-11-22 07:50:00+00', '17.664', NULL, NULL),
  ('3', '2026-11-22 06:20:00+00', '-59.194', NULL, NULL),
  ('3', '2026-11-22 06:15:00+00', '-64.96', NULL, NULL),
  ('3', '2026-11-22 08:40:00+00', '51.937', NULL, NULL),
  ('3', '2026-11-22 08:35:00+00', '0', NULL, NULL),
  ('3', '2026-11-22 04:05:00+00', '-6.9', NULL, NULL),
  ('3', '2026-11-22 04:10:00+00', '5.237', NULL, NULL),
  ('3', '2026-11-22 04:15:00+00', '-16.019', NULL, NULL),
  ('3', '2026-11-22 04:20:00+00', '-84.575', NULL, NULL),
  ('3', '2026-11-22 04:25:00+00', '55.017', NULL, NULL),
  ('3', '2026-11-22 04:30:00+00', '4.789', NULL, NULL),
  ('3', '2026-11-22 04:35:00+00', '97.517', NULL, NULL),
  ('3', '2026-11-22 04:45:00+00', '0', NULL, NULL),
  ('3', '2026-11-22 04:50:00+00', '-88.864', NULL, NULL),
  ('3', '2026-11-22 04:55:00+00', '0', NULL, NULL),
  ('3', '2026-11-22 05:00:00+00', '-70.402', NULL, NULL),
  ('3', '2026-11-22 05:05:00+00', '-23.612', NULL, NULL),
  ('3', '2026-11-22 05:10:00+00', '83.297', NULL, NULL),
  ('3', '2026-11-22 05:15:00+00', '0', NULL, NULL),
  ('3', '2026-11-22 05:20:00+00', '-40.549', NULL, NULL),
  ('3', '2026-11-22 05:25:00+00', '-90.37', NULL, NULL),
  ('3', '2026-11-22 05:30:00+00', '0', NULL, NULL),
  ('3', '2026-11-22 05:35:00+00', '-62.996', NULL, NULL),
  ('3', '2026-11-22 05:40:00+00', '41.132', NULL, NULL),
  ('3', '2026-11-22 05:45:00+00', '-28.566', NULL, NULL),
  ('3', '2026-11-22 05:50:00+00', '-50.159', NULL, NULL),
  ('3', '2026-11-22 05:55:00+00', '25.268', NULL, NULL),
  ('3', '2026-11-22 06:00:00+00', '57.688', NULL, NULL),
  ('3', '2026-11-22 06:05:00+00', '71.19', NULL, NULL),
  ('3', '2026-11-22 06:10:00+00', '-28.607', NULL, NULL),
  ('3', '2026-11-22 07:40:00+00', '-73.105', NULL, NULL),
  ('4', '2026-11-22 07:00:00+00', '-31.493', NULL, NULL),
  ('4', '2026-11-22 07:05:00+00', '55.646', NULL, NULL),
  ('4', '2026-11-22 07:10:00+00', '-42.773', NULL, NULL),
  ('4', '2026-11-22 07:15:00+00', '-19.601', NULL, NULL),
  ('4', '2026-11-22 07:20:00+00', '-71.956', NULL, NULL),
  ('4', '2026-11-22 07:25:00+00', '27.555', NULL, NULL),
  ('4', '2026-11-22 07:30:00+00', '-26.285', NULL, NULL),
  ('4', '2026-11-22 07:35:00+00', '33.98', NULL, NULL),
  ('4', '2026-11-22 07:40:00+00', '0', NULL, NULL),
  ('4', '2026-11-22 04:45:00+00', '-33.751', NULL, NULL),
  ('4', '2026-11-22 04:50:00+00', '-37.582', NULL, NULL),
  ('4', '2026-11-22 04:55:00+00', '-82.573', NULL, NULL),
  ('4', '2026-11-22 05:00:00+00', '-82.499', NULL, NULL),
  ('4', '2026-11-22 05:05:00+00', '-69.761', NULL, NULL),
  ('4', '2026-11-22 05:10:00+00', '-40.745', NULL, NULL),
  ('4', '2026-11-22 05:15:00+00', '0', NULL, NULL),
  ('4', '2026-11-22 05:20:00+00', '-42.844', NULL, NULL),
  ('4', '2026-11-22 05:25:00+00', '-82.11', NULL, NULL),
  ('4', '2026-11-22 05:30:00+00', '0', NULL, NULL),
  ('4', '2026-11-22 05:35:00+00', '14.767', NULL, NULL),
  ('4', '2026-11-22 05:40:00+00', '13.818', NULL, NULL),
  ('4', '2026-11-22 05:45:00+00', '-72.516', NULL, NULL),
  ('4', '2026-11-22 05:50:00+00', '42.196', NULL, NULL),
  ('4', '2026-11-22 05:55:00+00', '-1.318', NULL, NULL),
  ('4', '2026-11-22 06:00:00+00', '13.276', NULL, NULL),
  ('4', '2026-11-22 06:05:00+00', '17.305', NULL, NULL),
  ('4', '2026-11-22 06:10:00+00', '0', NULL, NULL),
  ('4', '2026-11-22 04:00:00+00', '56.618', NULL, NULL),
  ('4', '2026-11-22 04:05:00+00', '-12.75', NULL, NULL),
  ('4', '2026-11-22 04:10:00+00', '-39.379', NULL, NULL),
  ('4', '2026-11-22 04:15:00+00', '0', NULL, NULL),
  ('4', '2026-11-22 04:20:00+00', '0', NULL, NULL),
  ('4', '2026-11-22 04:25:00+00', '71.163', NULL, NULL),
  ('4', '2026-11-22 04:30:00+00', '88.925', NULL, NULL),
  ('4', '2026-11-22 04:35:00+00', '95.634', NULL, NULL),
  ('4', '2026-11-22 04:40:00+00', '-37.368', NULL, NULL),
  ('4', '2026-11-22 07:45:00+00', '0', NULL, NULL),
  ('4', '2026-11-22 07:50:00+00', '81.611', NULL, NULL),
  ('4', '2026-11-22 07:55:00+00', '20.759', NULL, NULL),
  ('4', '2026-11-22 08:00:00+00', '68.904', NULL, NULL),
  ('4', '2026-11-22 08:05:00+00', '-68.617', NULL, NULL),
  ('4', '2026-11-22 08:10:00+00', '21.137', NULL, NULL),
  ('4', '2026-11-22 08:15:00+00', '-56.038', NULL, NULL),
  ('4', '2026-11-22 08:20:00+00', '0', NULL, NULL),
  ('4', '2026-11-22 08:25:00+00', '-2.241', NULL, NULL),
  ('4', '2026-11-22 08:30:00+00', '26.247', NULL, NULL),
  ('4', '2026-11-22 08:35:00+00', '0', NULL, NULL),
  ('4', '2026-11-22 08:40:00+00', '-4.67', NULL, NULL),
  ('4', '2026-11-22 06:15:00+00', '51.387', NULL, NULL),
  ('4', '2026-11-22 06:20:00+00', '58.708', NULL, NULL),
  ('4', '2026-11-22 06:25:00+00', '-64.833', NULL, NULL),
  ('4', '2026-11-22 06:30:00+00', '-70.79', NULL, NULL),
  ('4', '2026-11-22 06:35:00+00', '44.415', NULL, NULL),
  ('4', '2026-11-22 06:40:00+00', '62.355', NULL, NULL),
  ('4', '2026-11-22 06:45:00+00', '41.337', NULL, NULL),
  ('4', '2026-11-22 06:50:00+00', '33.169', NULL, NULL),
  ('4', '2026-11-22 06:55:00+00', '0', NULL, NULL),
  ('5', '2026-11-22 05:00:00+00', '-73.682', NULL, NULL),
  ('5', '2026-11-22 04:55:00+00', '-8.862', NULL, NULL),
  ('5', '2026-11-22 04:50:00+00', '96.185', NULL, NULL),
  ('5', '2026-11-22 04:45:00+00', '76.006', NULL, NULL),
  ('5', '2026-11-22 07:40:00+00', '0', NULL, NULL),
  ('5', '2026-11-22 07:35:00+00', '-65.77', NULL, NULL),
  ('5', '2026-11-22 07:00:00+00', '52.514', NULL, NULL),
  ('5', '2026-11-22 06:55:00+00', '0', NULL, NULL),
  ('5', '2026-11-22 06:50:00+00', '-60.312', NULL, NULL),
  ('5', '2026-11-22 06:45:00+00', '-51.412', NULL, NULL),
  ('5', '2026-11-22 04:40:00+00', '-41.966', NULL, NULL),
  ('5', '2026-11-22 04:35:00+00', '9.718', NULL, NULL),
  ('5', '2026-11-22 06:40:00+00', '5.228', NULL, NULL),
  ('5', '2026-11-22 06:35:00+00', '-16.268', NULL, NULL),
  ('5', '2026-11-22 06:30:00+00', '-49.943', NULL, NULL),
  ('5', '2026-11-22 06:25:00+00', '0', NULL, NULL),
  ('5', '2026-11-22 06:20:00+00', '-75.706', NULL, NULL),
  ('5', '2026-11-22 06:15:00+00', '0', NULL, NULL),
  ('5', '2026-11-22 07:45:00+00', '3.301', NULL, NULL),
  ('5', '2026-11-22 07:50:00+00', '62.598', NULL, NULL),
  ('5', '2026-11-22 07:55:00+00', '17.366', NULL, NULL),
  ('5', '2026-11-22 08:00:00+00', '-43.362', NULL, NULL),
  ('5', '2026-11-22 08:05:00+00', '-88.563', NULL, NULL),
  ('5', '2026-11-22 08:10:00+00', '-22.223', NULL, NULL),
  ('5', '2026-11-22 08:15:00+00', '81.168', NULL, NULL),
  ('5', '2026-11-22 08:20:00+00', '14.106', NULL, NULL),
  ('5', '2026-11-22 08:25:00+00', '-93.233', NULL, NULL),
  ('5', '2026-11-22 05:35:00+00', '-84.206', NULL, NULL),
  ('5', '2026-11-22 05:40:00+00', '35.164', NULL, NULL),
  ('5', '2026-11-22 05:45:00+00', '3.259', NULL, NULL),
  ('5', '2026-11-22 05:50:00+00', '-67.638', NULL, NULL),
  ('5', '2026-11-22 05:55:00+00', '7.107', NULL, NULL),
  ('5', '2026-11-22 06:00:00+00', '-67.796', NULL, NULL),
  ('5', '2026-11-22 06:05:00+00', '0', NULL, NULL),
  ('5', '2026-11-22 06:10:00+00', '9.965', NULL, NULL),
  ('5', '2026-11-22 05:30:00+00', '-39.25', NULL, NULL),
  ('5', '2026-11-22 05:25:00+00', '-75.714', NULL, NULL),
  ('5', '2026-11-22 08:30:00+00', '0', NULL, NULL),
  ('5', '2026-11-22 08:35:00+00', '39.368', NULL, NULL),
  ('5', '2026-11-22 08:40:00+00', '0', NULL, NULL),
  ('5', '2026-11-22 07:30:00+00', '6.027', NULL, NULL),
  ('5', '2026-11-22 07:25:00+00', '0', NULL, NULL),
  ('5', '2026-11-22 07:20:00+00', '-88.889', NULL, NULL),
  ('5', '2026-11-22 07:15:00+00', '-26.276', NULL, NULL),
  ('5', '2026-11-22 07:10:00+00', '29.46', NULL, NULL),
  ('5', '2026-11-22 07:05:00+00', '3.294', NULL, NULL),
  ('5', '2026-11-22 04:00:00+00', '0', NULL, NULL),
  ('5', '2026-11-22 04:05:00+00', '0', NULL, NULL),
  ('5', '2026-11-22 04:10:00+00', '-55.073', NULL, NULL),
  ('5', '2026-11-22 04:15:00+00', '-65.958', NULL, NULL),
  ('5', '2026-11-22 04:20:00+00', '0', NULL, NULL),
  ('5', '2026-11-22 04:25:00+00', '4.518', NULL, NULL),
  ('5', '2026-11-22 04:30:00+00', '58.943', NULL, NULL),
  ('5', '2026-11-22 05:20:00+00', '-84.495', NULL, NULL),
  ('5', '2026-11-22 05:15:00+00', '47.063', NULL, NULL),
  ('5', '2026-11-22 05:10:00+00', '-59.512', NULL, NULL),
  ('5', '2026-11-22 05:05:00+00', '2.813', NULL, NULL),
  ('6', '2026-11-22 04:45:00+00', '-50.382', NULL, NULL),
  ('6', '2026-11-22 04:00:00+00', '19.976', NULL, NULL),
  ('6', '2026-11-22 04:05:00+00', '79.516', NULL, NULL),
  ('6', '2026-11-22 04:10:00+00', '0', NULL, NULL),
  ('6', '2026-11-22 04:15:00+00', '-17.407', NULL, NULL),
  ('6', '2026-11-22 04:20:00+00', '-76.011', NULL, NULL),
  ('6', '2026-11-22 04:25:00+00', '0', NULL, NULL),
  ('6', '2026-11-22 04:30:00+00', '39.007', NULL, NULL),
  ('6', '2026-11-22 04:35:00+00', '-75.591', NULL, NULL),
  ('6', '2026-11-22 04:40:00+00', '90.478', NULL, NULL),
  ('6', '2026-11-22 04:50:00+00', '-93.848', NULL, NULL),
  ('6', '2026-11-22 04:55:00+00', '-19.244', NULL, NULL),
  ('6', '2026-11-22 05:00:00+00', '-18.571', NULL, NULL),
  ('6', '2026-11-22 05:05:00+00', '91.812', NULL, NULL),
  ('6', '2026-11-22 05:10:00+00', '-17.016', NULL, NULL),
  ('6', '2026-11-22 05:15:00+00', '-77.413', NULL, NULL),
  ('6', '2026-11-22 05:20:00+00', '-97.295', NULL, NULL),
  ('6', '2026-11-22 05:25:00+00', '56.549', NULL, NULL),
  ('6', '2026-11-22 05:30:00+00', '32.472', NULL, NULL),
  ('6', '2026-11-22 05:35:00+00', '0', NULL, NULL),
  ('6', '2026-11-22 05:40:00+00', '9.407', NULL, NULL),
  ('6', '2026-11-22 05:45:00+00', '0', NULL, NULL),
  ('6', '2026-11-22 05:50:00+00', '0', NULL, NULL),
  ('6', '2026-11-22 05:55:00+00', '-71.975', NULL, NULL),
  ('6', '2026-11-22 06:00:00+00', '-36.668', NULL, NULL),
  ('6', '2026-11-22 06:05:00+00', '-10.19', NULL, NULL),
  ('6', '2026-11-22 06:10:00+00', '0', NULL, NULL),
  ('6', '2026-11-22 07:40:00+00', '-33.587', NULL, NULL),
  ('6', '2026-11-22 07:35:00+00', '-27.711', NULL, NULL),
  ('6', '2026-11-22 07:30:00+00', '0', NULL, NULL),
  ('6', '2026-11-22 07:25:00+00', '-91.617', NULL, NULL),
  ('6', '2026-11-22 07:20:00+00', '0', NULL, NULL),
  ('6', '2026-11-22 07:15:00+00', '0', NULL, NULL),
  ('6', '2026-11-22 07:10:00+00', '60.553', NULL, NULL),
  ('6', '2026-11-22 07:05:00+00', '-15.267', NULL, NULL),
  ('6', '2026-11-22 07:00:00+00', '-54.402', NULL, NULL),
  ('6', '2026-11-22 06:55:00+00', '41.466', NULL, NULL),
  ('6', '2026-11-22 06:50:00+00', '-39.976', NULL, NULL),
  ('6', '2026-11-22 06:45:00+00', '-50.401', NULL, NULL),
  ('6', '2026-11-22 06:40:00+00', '38.544', NULL, NULL),
  ('6', '2026-11-22 06:35:00+00', '5.671', NULL, NULL),
  ('6', '2026-11-22 06:30:00+00', '0', NULL, NULL),
  ('6', '2026-11-22 06:25:00+00', '-18.289', NULL, NULL),
  ('6', '2026-11-22 06:20:00+00', '92.015', NULL, NULL),
  ('6', '2026-11-22 06:15:00+00', '-99.419', NULL, NULL),
  ('6', '2026-11-22 08:40:00+00', '-69.399', NULL, NULL),
  ('6', '2026-11-22 08:35:00+00', '-69.346', NULL, NULL),
  ('6', '2026-11-22 08:30:00+00', '-60.759', NULL, NULL),
  ('6', '2026-11-22 08:25:00+00', '-70.881', NULL, NULL),
  ('6', '2026-11-22 08:20:00+00', '0', NULL, NULL),
  ('6', '2026-11-22 08:15:00+00', '35.173', NULL, NULL),
  ('6', '2026-11-22 08:10:00+00', '49.106', NULL, NULL),
  ('6', '2026-11-22 08:05:00+00', '-80.169', NULL, NULL),
  ('6', '2026-11-22 08:00:00+00', '-80.084', NULL, NULL),
  ('6', '2026-11-22 07:55:00+00', '38.571', NULL, NULL),
  ('6', '2026-11-22 07:50:00+00', '0', NULL, NULL),
  ('6', '2026-11-22 07:45:00+00', '52.194', NULL, NULL),
  ('7', '2026-11-22 01:55:00+00', '-95.855', NULL, NULL),
  ('7', '2026-11-22 02:30:00+00', '72.885', NULL, NULL),
  ('7', '2026-11-22 02:35:00+00', '-29.011', NULL, NULL),
  ('7', '2026-11-22 02:40:00+00', '5.972', NULL, NULL),
  ('7', '2026-11-22 02:45:00+00', '42.561', NULL, NULL),
  ('7', '2026-11-22 02:50:00+00', '-41.452', NULL, NULL),
  ('7', '2026-11-22 02:55:00+00', '81.528', NULL, NULL),
  ('7', '2026-11-22 03:00:00+00', '-19.945', NULL, NULL),
  ('7', '2026-11-22 03:05:00+00', '-15.286', NULL, NULL),
  ('7', '2026-11-22 03:10:00+00', '-33.936', NULL, NULL),
  ('7', '2026-11-22 03:15:00+00', '0', NULL, NULL),
  ('7', '2026-11-22 03:20:00+00', '9.545', NULL, NULL),
  ('7', '2026-11-22 03:25:00+00', '32.98', NULL, NULL),
  ('7', '2026-11-22 01:50:00+00', '0', NULL, NULL),
  ('7', '2026-11-22 01:45:00+00', '-3.418', NULL, NULL),
  ('7', '2026-11-22 01:40:00+00', '-88.393', NULL, NULL),
  ('7', '2026-11-22 01:35:00+00', '77.941', NULL, NULL),
  ('7', '2026-11-22 01:30:00+00', '86.713', NULL, NULL),
  ('7', '2026-11-22 00:30:00+00', '52.919', NULL, NULL),
  ('7', '2026-11-22 00:35:00+00', '-97.574', NULL, NULL),
  ('7', '2026-11-22 00:40:00+00', '73.24', NULL, NULL),
  ('7', '2026-11-22 00:45:00+00', '-82.158', NULL, NULL),
  ('7', '2026-11-22 00:50:00+00', '73.813', NULL, NULL),
  ('7', '2026-11-22 00:55:00+00', '-77.854', NULL, NULL),
  ('7', '2026-11-22 01:00:00+00', '0', NULL, NULL),
  ('7', '2026-11-22 01:05:00+00', '25.343', NULL, NULL),
  ('7', '2026-11-22 01:10:00+00', '77.869', NULL, NULL),
  ('7', '2026-11-22 01:15:00+00', '-18.138', NULL, NULL),
  ('7', '2026-11-22 01:20:00+00', '-92.55', NULL, NULL),
  ('7', '2026-11-22 01:25:00+00', '-37.172', NULL, NULL),
  ('7', '2026-11-22 08:40:00+00', '73.592', NULL, NULL),
  ('7', '2026-11-22 08:35:00+00', '-78.441', NULL, NULL),
  ('7', '2026-11-22 08:30:00+00', '36.939', NULL, NULL),
  ('7', '2026-11-22 08:25:00+00', '17.124', NULL, NULL),
  ('7', '2026-11-22 08:20:00+00', '68.315', NULL, NULL),
  ('7', '2026-11-22 08:15:00+00', '-86.777', NULL, NULL),
  ('7', '2026-11-22 03:30:00+00', '99.637', NULL, NULL),
  ('7', '2026-11-22 03:35:00+00', '47.211', NULL, NULL),
  ('7', '2026-11-22 03:40:00+00', '-71.055', NULL, NULL),
  ('7', '2026-11-22 03:45:00+00', '-13.227', NULL, NULL),
  ('7', '2026-11-22 03:50:00+00', '-60.567', NULL, NULL),
  ('7', '2026-11-22 03:55:00+00', '73.347', NULL, NULL),
  ('7', '2026-11-22 04:00:00+00', '8.433', NULL, NULL),
  ('7', '2026-11-22 04:05:00+00', '-39.725', NULL, NULL),
  ('7', '2026-11-22 04:10:00+00', '29.82', NULL, NULL),
  ('7', '2026-11-22 04:15:00+00', '-26.747', NULL, NULL),
  ('7', '2026-11-22 04:20:00+00', '-12.454', NULL, NULL),
  ('7', '2026-11-22 04:25:00+00', '37.58', NULL, NULL),
  ('7', '2026-11-22 00:25:00+00', '-33.713', NULL, NULL),
  ('7', '2026-11-22 00:20:00+00', '-46.951', NULL, NULL),
  ('7', '2026-11-22 00:15:00+00', '87.435', NULL, NULL),
  ('7', '2026-11-22 00:10:00+00', '-82.514', NULL, NULL),
  ('7', '2026-11-22 00:05:00+00', '59.984', NULL, NULL),
  ('7', '2026-11-22 00:00:00+00', '80.043', NULL, NULL),
  ('7', '2026-11-22 02:25:00+00', '0', NULL, NULL),
  ('7', '2026-11-22 02:20:00+00', '-91.892', NULL, NULL),
  ('7', '2026-11-22 02:15:00+00', '-75.921', NULL, NULL),
  ('7', '2026-11-22 02:10:00+00', '26.99', NULL, NULL),
  ('7', '2026-11-22 02:05:00+00', '-35.064', NULL, NULL),
  ('7', '2026-11-22 02:00:00+00', '45.953', NULL, NULL),
  ('8', '2026-11-22 00:10:00+00', '51.377', NULL, NULL),
  ('8', '2026-11-22 04:15:00+00', '-30.742', NULL, NULL),
  ('8', '2026-11-22 04:20:00+00', '0', NULL, NULL),
  ('8', '2026-11-22 01:00:00+00', '59.191', NULL, NULL),
  ('8', '2026-11-22 01:05:00+00', '-19.357', NULL, NULL),
  ('8', '2026-11-22 01:10:00+00', '-51.663', NULL, NULL),
  ('8', '2026-11-22 01:15:00+00', '73.1', NULL, NULL),
  ('8', '2026-11-22 01:20:00+00', '3.797', NULL, NULL),
  ('8', '2026-11-22 01:25:00+00', '64.473', NULL, NULL),
  ('8', '2026-11-22 08:30:00+00', '42.534', NULL, NULL),
  ('8', '2026-11-22 08:25:00+00', '4.106', NULL, NULL),
  ('8', '2026-11-22 08:20:00+00', '-49.268', NULL, NULL),
  ('8', '2026-11-22 08:15:00+00', '52.809', NULL, NULL),
  ('8', '2026-11-22 04:25:00+00', '96.708', NULL, NULL),
  ('8', '2026-11-22 02:55:00+00', '37.676', NULL, NULL),
  ('8', '2026-11-22 03:00:00+00', '-98.064', NULL, NULL),
  ('8', '2026-11-22 03:05:00+00', '12.465', NULL, NULL),
  ('8', '2026-11-22 03:10:00+00', '59.387', NULL, NULL),
  ('8', '2026-11-22 03:15:00+00', '-39.867', NULL, NULL),
  ('8', '2026-11-22 03:20:00+00', '16.111', NULL, NULL),
  ('8', '2026-11-22 03:25:00+00', '-65.352', NULL, NULL),
  ('8', '2026-11-22 01:55:00+00', '-25.907', NULL, NULL),
  ('8', '2026-11-22 01:50:00+00', '-85.021', NULL, NULL),
  ('8', '2026-11-22 01:45:00+00', '-18.242', NULL, NULL),
  ('8', '2026-11-22 01:40:00+00', '-67.076', NULL, NULL),
  ('8', '2026-11-22 01:35:00+00', '75.918', NULL, NULL),
  ('8', '2026-11-22 01:30:00+00', '12.524', NULL, NULL),
  ('8', '2026-11-22 02:15:00+00', '-61.25', NULL, NULL),
  ('8', '2026-11-22 02:10:00+00', '58.735', NULL, NULL),
  ('8', '2026-11-22 02:05:00+00', '92.477', NULL, NULL),
  ('8', '2026-11-22 02:00:00+00', '-20.718', NULL, NULL),
  ('8', '2026-11-22 08:40:00+00', '-30.974', NULL, NULL),
  ('8', '2026-11-22 00:30:00+00', '44.9', NULL, NULL),
  ('8', '2026-11-22 00:35:00+00', '-59.587', NULL, NULL),
  ('8', '2026-11-22 00:40:00+00', '-50.522', NULL, NULL),
  ('8', '2026-11-22 00:45:00+00', '0', NULL, NULL),
  ('8', '2026-11-22 00:50:00+00', '29.28', NULL, NULL),
  ('8', '2026-11-22 00:55:00+00', '47.392', NULL, NULL),
  ('8', '2026-11-22 08:35:00+00', '0', NULL, NULL),
  ('8', '2026-11-22 04:00:00+00', '-26.164', NULL, NULL),
  ('8', '2026-11-22 04:05:00+00', '-96.488', NULL, NULL),
  ('8', '2026-11-22 00:25:00+00', '-77.69', NULL, NULL),
  ('8', '2026-11-22 00:20:00+00', '-71.974', NULL, NULL),
  ('8', '2026-11-22 00:15:00+00', '-70.025', NULL, NULL),
  ('8', '2026-11-22 04:10:00+00', '45.694', NULL, NULL),
  ('8', '2026-11-22 00:05:00+00', '-90.11', NULL, NULL),
  ('8', '2026-11-22 00:00:00+00', '38.828', NULL, NULL),
  ('8', '2026-11-22 02:25:00+00', '28.401', NULL, NULL),
  ('8', '2026-11-22 02:20:00+00', '3.298', NULL, NULL),
  ('8', '2026-11-22 03:30:00+00', '4.214', NULL, NULL),
  ('8', '2026-11-22 03:35:00+00', '-61.441', NULL, NULL),
  ('8', '2026-11-22 03:40:00+00', '0', NULL, NULL),
  ('8', '2026-11-22 03:45:00+00', '30.479', NULL, NULL),
  ('8', '2026-11-22 03:50:00+00', '10.442', NULL, NULL),
  ('8', '2026-11-22 03:55:00+00', '52.571', NULL, NULL),
  ('8', '2026-11-22 02:30:00+00', '3.829', NULL, NULL),
  ('8', '2026-11-22 02:35:00+00', '16.819', NULL, NULL),
  ('8', '2026-11-22 02:40:00+00', '-69.894', NULL, NULL),
  ('8', '2026-11-22 02:45:00+00', '11.472', NULL, NULL),
  ('8', '2026-11-22 02:50:00+00', '38.078', NULL, NULL),
  ('9', '2026-11-22 03:30:00+00', '-24.273', NULL, NULL),
  ('9', '2026-11-22 03:40:00+00', '88.67', NULL, NULL),
  ('9', '2026-11-22 03:50:00+00', '0', NULL, NULL),
  ('9', '2026-11-22 00:10:00+00', '88.951', NULL, NULL),
  ('9', '2026-11-22 01:40:00+00', '-73.238', NULL, NULL),
  ('9', '2026-11-22 01:50:00+00', '-92.057', NULL, NULL),
  ('9', '2026-11-22 02:30:00+00', '3.095', NULL, NULL),
  ('9', '2026-11-22 01:20:00+00', '-71.42', NULL, NULL),
  ('9', '2026-11-22 01:10:00+00', '-10.375', NULL, NULL),
  ('9', '2026-11-22 01:00:00+00', '0', NULL, NULL),
  ('9', '2026-11-22 00:20:00+00', '-15.225', NULL, NULL),
  ('9', '2026-11-22 03:20:00+00', '-54.813', NULL, NULL),
  ('9', '2026-11-22 02:00:00+00', '-7.604', NULL, NULL),
  ('9', '2026-11-22 00:50:00+00', '93.738', NULL, NULL),
  ('9', '2026-11-22 02:10:00+00', '16.03', NULL, NULL),
  ('9', '2026-11-22 02:20:00+00', '51.86', NULL, NULL),
  ('9', '2026-11-22 00:40:00+00', '-16.547', NULL, NULL),
  ('9', '2026-11-22 00:30:00+00', '-35.535', NULL, NULL),
  ('9', '2026-11-22 08:20:00+00', '-86.709', NULL, NULL),
  ('9', '2026-11-22 02:50:00+00', '38.167', NULL, NULL),
  ('9', '2026-11-22 02:40:00+00', '73.105', NULL, NULL),
  ('9', '2026-11-22 01:30:00+00', '7.515', NULL, NULL),
  ('9', '2026-11-22 08:30:00+00', '49.233', NULL, NULL),
  ('9', '2026-11-22 08:40:00+00', '45.712', NULL, NULL),
  ('9', '2026-11-22 03:00:00+00', '-55.343', NULL, NULL),
  ('9', '2026-11-22 03:10:00+00', '0', NULL, NULL),
  ('9', '2026-11-22 00:00:00+00', '95.474', NULL, NULL);
insert into backfill (id, source_id, from_at, to_at, again, state, requested_by, created_at, finished_at) overriding system value values
  ('1', '3', '2026-11-22 03:00:00+00', '2026-11-22 05:00:00+00', 'false', 'done', 'cli:operator', '2026-11-22 08:44:04.195512+00', '2026-11-22 08:44:05.005646+00'),
  ('2', '3', '2026-11-20 00:00:00+00', '2026-11-22 08:44:12+00', 'false', 'running', 'cli:operator', '2026-11-22 08:44:17.77997+00', NULL);
select setval(pg_get_serial_sequence('backfill', 'id'), (select max(id) from backfill));
insert into backfill_stream (backfill_id, stream_id, done) values
  ('1', '5', '{}'),
  ('1', '6', '{}'),
  ('2', '5', '{}'),
  ('2', '6', '{}');
insert into window_log (stream_id, source_id, lane, from_at, to_at, asked_at, requests, bytes, readings, duplicates, revised, refused, late, lateness_us, waited_ms, http_ms, normalise_ms, store_ms, fault, repeats, outside, windows, slowest_ms) values
  ('1', '1', 'live', '2026-11-22 08:43:48+00', '2026-11-22 08:43:50+00', '2026-11-22 08:43:55.722635+00', '1', '409', '0', '0', '0', '0', '0', '0', '10.203666', '35.69859', '0.00321', '0.421', NULL, '0', '0', '1', NULL),
  ('1', '1', 'history', '2026-11-22 06:13:28+00', '2026-11-22 07:43:28+00', '2026-11-22 08:43:33.973366+00', '1', '2019', '72', '0', '0', '2', '0', '0', '120.4159', '29.808327', '0.082727', '0.851', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:43:38+00', '2026-11-22 08:43:40+00', '2026-11-22 08:43:45.67968+00', '1', '409', '0', '0', '0', '0', '0', '0', '8.114833', '2.864112', '0.002802', '0.229', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:43:52+00', '2026-11-22 08:43:54+00', '2026-11-22 08:43:59.660952+00', '1', '409', '0', '0', '0', '0', '0', '0', '51.818947', '3.523185', '0.0031339999', '0.342', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:43:46+00', '2026-11-22 08:43:48+00', '2026-11-22 08:43:53.678496+00', '1', '409', '0', '0', '0', '0', '0', '0', '12.221017', '6.547786', '0.002731', '0.381', NULL, '0', '0', '1', NULL),
  ('1', '1', 'history', '2026-11-22 03:43:33+00', '2026-11-22 04:43:28+00', '2026-11-22 08:43:34.133753+00', '1', '1350', '36', '0', '0', '2', '0', '0', '20.542336', '12.045325', '0.068376', '0.63', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:43:40+00', '2026-11-22 08:43:42+00', '2026-11-22 08:43:47.6562+00', '1', '409', '0', '0', '0', '0', '0', '0', '11.074043', '2.885486', '0.003379', '0.341', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:43:56+00', '2026-11-22 08:43:58+00', '2026-11-22 08:44:03.694649+00', '1', '409', '0', '0', '0', '0', '0', '0', '8.15193', '28.14244', '0.002604', '0.411', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:42:29+00', '2026-11-22 08:43:46+00', '2026-11-22 08:43:51.807014+00', '1', '409', '0', '0', '0', '0', '0', '0', '8.433706', '7.359938', '0.002625', '0.439', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:42:13+00', '2026-11-22 08:43:30+00', '2026-11-22 08:43:35.673488+00', '1', '409', '0', '0', '0', '0', '0', '0', '7.733902', '4.493574', '0.004048', '0.212', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:43:42+00', '2026-11-22 08:43:44+00', '2026-11-22 08:43:49.678469+00', '1', '409', '0', '0', '0', '0', '0', '0', '6.069028', '6.164741', '0.004388', '0.388', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:44:00+00', '2026-11-22 08:44:02+00', '2026-11-22 08:44:07.746591+00', '1', '409', '0', '0', '0', '0', '0', '0', '28.152128', '20.003551', '0.0023389999', '18.371', NULL, '0', '0', '1', NULL),
  ('1', '1', 'history', '2026-11-22 04:43:28+00', '2026-11-22 06:13:28+00', '2026-11-22 08:43:33.974234+00', '1', '2031', '72', '0', '0', '4', '0', '0', '221.06154', '8.17996', '0.064444', '2.076', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:44:08+00', '2026-11-22 08:44:10+00', '2026-11-22 08:44:15.712524+00', '1', '409', '0', '0', '0', '0', '0', '0', '32.975117', '5.831848', '0.003155', '0.284', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:44:10+00', '2026-11-22 08:44:12+00', '2026-11-22 08:44:17.743834+00', '1', '409', '0', '0', '0', '0', '0', '0', '24.295479', '12.035948', '0.00347', '0.413', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:43:30+00', '2026-11-22 08:43:32+00', '2026-11-22 08:43:37.67647+00', '1', '409', '0', '0', '0', '0', '0', '0', '11.474944', '3.021406', '0.002393', '1.972', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:43:32+00', '2026-11-22 08:43:34+00', '2026-11-22 08:43:39.668539+00', '1', '409', '0', '0', '0', '0', '0', '0', '9.539679', '55.01326', '0.002754', '0.419', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:44:02+00', '2026-11-22 08:44:04+00', '2026-11-22 08:44:09.722691+00', '1', '409', '0', '0', '0', '0', '0', '0', '12.359656', '3.490935', '0.003238', '0.309', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:43:50+00', '2026-11-22 08:43:52+00', '2026-11-22 08:43:57.773113+00', '1', '409', '0', '0', '0', '0', '0', '0', '20.855583', '10.253984', '0.002073', '0.458', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:44:04+00', '2026-11-22 08:44:06+00', '2026-11-22 08:44:11.466488+00', '1', '409', '0', '0', '0', '0', '0', '0', '33.35009', '37.169262', '0.003054', '0.391', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:43:34+00', '2026-11-22 08:43:36+00', '2026-11-22 08:43:41.680656+00', '1', '409', '0', '0', '0', '0', '0', '0', '7.056798', '4.471027', '0.003893', '0.184', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:44:06+00', '2026-11-22 08:44:08+00', '2026-11-22 08:44:13.752535+00', '1', '409', '0', '0', '0', '0', '0', '0', '13.785777', '16.35091', '0.002878', '18.613', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 07:43:28+00', '2026-11-22 08:43:28+00', '2026-11-22 08:43:33.620319+00', '1', '1581', '48', '0', '0', '2', '0', '0', '37.146557', '87.70059', '2.960232', '4.917', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:42:43+00', '2026-11-22 08:44:00+00', '2026-11-22 08:44:05.705978+00', '1', '409', '0', '0', '0', '0', '0', '0', '34.055496', '3.382994', '0.002878', '0.289', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:43:36+00', '2026-11-22 08:43:38+00', '2026-11-22 08:43:43.677701+00', '1', '409', '0', '0', '0', '0', '0', '0', '4.544962', '4.15528', '0.002666', '0.349', NULL, '0', '0', '1', NULL),
  ('1', '1', 'live', '2026-11-22 08:43:54+00', '2026-11-22 08:43:56+00', '2026-11-22 08:44:01.713912+00', '1', '409', '0', '0', '0', '0', '0', '0', '18.564678', '3.14565', '0.002975', '0.373', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:43:52+00', '2026-11-22 08:43:54+00', '2026-11-22 08:43:59.661739+00', '1', '390', '0', '0', '0', '0', '0', '0', '41.73346', '10.485059', '0.002705', '0.394', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:44:00+00', '2026-11-22 08:44:02+00', '2026-11-22 08:44:07.747174+00', '1', '390', '0', '0', '0', '0', '0', '0', '28.25651', '23.344118', '0.002526', '0.377', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:44:02+00', '2026-11-22 08:44:04+00', '2026-11-22 08:44:09.723475+00', '1', '390', '0', '0', '0', '0', '0', '0', '12.587783', '7.096193', '0.002416', '0.382', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:43:30+00', '2026-11-22 08:43:32+00', '2026-11-22 08:43:37.676979+00', '1', '390', '0', '0', '0', '0', '0', '0', '12.099781', '3.180608', '0.002358', '5.971', NULL, '0', '0', '1', NULL),
  ('2', '1', 'history', '2026-11-22 06:13:28+00', '2026-11-22 07:43:28+00', '2026-11-22 08:43:33.940476+00', '1', '1214', '18', '0', '0', '2', '0', '0', '27.521435', '17.009394', '0.108909', '1.267', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:43:32+00', '2026-11-22 08:43:34+00', '2026-11-22 08:43:39.674913+00', '1', '390', '0', '0', '0', '0', '0', '0', '9.439977', '56.42916', '0.001605', '9.883', NULL, '0', '0', '1', NULL),
  ('2', '1', 'history', '2026-11-22 03:43:33+00', '2026-11-22 04:43:28+00', '2026-11-22 08:43:34.005796+00', '1', '972', '10', '0', '0', '2', '0', '0', '1.956243', '12.179428', '0.069419', '0.448', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:43:34+00', '2026-11-22 08:43:36+00', '2026-11-22 08:43:41.681408+00', '1', '390', '0', '0', '0', '0', '0', '0', '5.126782', '8.397846', '0.00385', '0.363', NULL, '0', '0', '1', NULL),
  ('2', '1', 'history', '2026-11-22 04:43:28+00', '2026-11-22 06:13:28+00', '2026-11-22 08:43:33.941309+00', '1', '1206', '18', '0', '0', '4', '0', '0', '103.58053', '10.848886', '0.092251', '0.53', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:43:36+00', '2026-11-22 08:43:38+00', '2026-11-22 08:43:43.678515+00', '1', '390', '0', '0', '0', '0', '0', '0', '4.696241', '4.455055', '0.001529', '0.757', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:43:38+00', '2026-11-22 08:43:40+00', '2026-11-22 08:43:45.680361+00', '1', '390', '0', '0', '0', '0', '0', '0', '8.149382', '3.943952', '0.001844', '5.445', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:43:40+00', '2026-11-22 08:43:42+00', '2026-11-22 08:43:47.657374+00', '1', '390', '0', '0', '0', '0', '0', '0', '11.10464', '3.869401', '0.001745', '6.379', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:43:42+00', '2026-11-22 08:43:44+00', '2026-11-22 08:43:49.679891+00', '1', '390', '0', '0', '0', '0', '0', '0', '9.582955', '4.633112', '0.002745', '1.368', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:42:29+00', '2026-11-22 08:43:46+00', '2026-11-22 08:43:51.808285+00', '1', '390', '0', '0', '0', '0', '0', '0', '8.320428', '8.386289', '0.002461', '0.411', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:42:13+00', '2026-11-22 08:43:30+00', '2026-11-22 08:43:35.676679+00', '1', '390', '0', '0', '0', '0', '0', '0', '7.850942', '5.636491', '0.002763', '5.514', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:43:46+00', '2026-11-22 08:43:48+00', '2026-11-22 08:43:53.679047+00', '1', '390', '0', '0', '0', '0', '0', '0', '12.521755', '6.65231', '0.001971', '2.61', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:43:48+00', '2026-11-22 08:43:50+00', '2026-11-22 08:43:55.723197+00', '1', '390', '0', '0', '0', '0', '0', '0', '10.420061', '53.749084', '0.002451', '0.406', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:43:50+00', '2026-11-22 08:43:52+00', '2026-11-22 08:43:57.773772+00', '1', '390', '0', '0', '0', '0', '0', '0', '21.301188', '24.609106', '0.004015', '0.428', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:44:10+00', '2026-11-22 08:44:12+00', '2026-11-22 08:44:17.744453+00', '1', '390', '0', '0', '0', '0', '0', '0', '24.542545', '20.410086', '0.002167', '1.78', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:44:08+00', '2026-11-22 08:44:10+00', '2026-11-22 08:44:15.713343+00', '1', '390', '0', '0', '0', '0', '0', '0', '33.203777', '11.973529', '0.003751', '4.144', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:44:06+00', '2026-11-22 08:44:08+00', '2026-11-22 08:44:13.75329+00', '1', '390', '0', '0', '0', '0', '0', '0', '13.999255', '16.708714', '0.001362', '0.264', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 07:43:28+00', '2026-11-22 08:43:28+00', '2026-11-22 08:43:33.629138+00', '1', '1028', '12', '0', '0', '2', '0', '0', '36.22756', '94.701225', '0.327652', '0.978', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:43:54+00', '2026-11-22 08:43:56+00', '2026-11-22 08:44:01.714704+00', '1', '390', '0', '0', '0', '0', '0', '0', '18.961304', '23.23085', '0.002376', '0.377', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:44:04+00', '2026-11-22 08:44:06+00', '2026-11-22 08:44:11.467199+00', '1', '390', '0', '0', '0', '0', '0', '0', '33.624554', '62.348057', '0.003698', '0.663', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:43:56+00', '2026-11-22 08:43:58+00', '2026-11-22 08:44:03.695255+00', '1', '390', '0', '0', '0', '0', '0', '0', '8.394055', '31.753357', '0.002153', '0.367', NULL, '0', '0', '1', NULL),
  ('2', '1', 'live', '2026-11-22 08:42:43+00', '2026-11-22 08:44:00+00', '2026-11-22 08:44:05.706632+00', '1', '390', '0', '0', '0', '0', '0', '0', '34.207558', '4.351447', '0.001721', '3.685', NULL, '0', '0', '1', NULL),
  ('3', '2', 'live', '2026-11-22 08:43:32+00', '2026-11-22 08:43:34+00', '2026-11-22 08:43:39.414493+00', '1', '409', '0', '0', '0', '0', '0', '0', '902.14044', '2.611686', '0.003591', '0.234', NULL, '0', '0', '1', NULL),
  ('3', '2', 'history', '2026-11-22 01:30:00+00', '2026-11-22 02:00:00+00', '2026-11-22 08:43:56.674517+00', '1', '752', '12', '0', '0', '0', '0', '0', '1998.0504', '2.628136', '0.035084', '0.552', NULL, '0', '0', '1', NULL),
  ('3', '2', 'history', '2026-11-22 03:00:00+00', '2026-11-22 03:30:00+00', '2026-11-22 08:44:02.786509+00', '1', '751', '12', '0', '0', '1', '0', '0', '990.23474', '4.378226', '0.197952', '0.583', NULL, '0', '0', '1', NULL),
  ('3', '2', 'live', '2026-11-22 08:43:30+00', '2026-11-22 08:43:32+00', '2026-11-22 08:43:37.67274+00', '1', '409', '0', '0', '0', '0', '0', '0', '604.74896', '3.01638', '0.003429', '0.236', NULL, '0', '0', '1', NULL),
  ('3', '2', 'live', '2026-11-22 08:43:40+00', '2026-11-22 08:43:43+00', '2026-11-22 08:43:48.451467+00', '1', '409', '0', '0', '0', '0', '0', '0', '1052.3617', '3.270555', '0.00526', '0.35', NULL, '0', '0', '1', NULL),
  ('3', '2', 'history', '2026-11-22 04:00:00+00', '2026-11-22 04:30:00+00', '2026-11-22 08:44:05.838134+00', '1', '750', '12', '0', '0', '1', '0', '0', '2018.3475', '8.356823', '0.047972', '0.595', NULL, '0', '0', '1', NULL),
  ('3', '2', 'history', '2026-11-22 00:00:00+00', '2026-11-22 00:30:00+00', '2026-11-22 08:43:36.423934+00', '1', '757', '12', '0', '0', '1', '0', '0', '12051.981', '16.222761', '0.084241', '4.871', NULL, '0', '0', '1', NULL),
  ('3', '2', 'live', '2026-11-22 08:43:43+00', '2026-11-22 08:43:46+00', '2026-11-22 08:43:51.767192+00', '1', '409', '0', '0', '0', '0', '0', '0', '789.5359', '7.02646', '0.002773', '0.433', NULL, '0', '0', '1', NULL),
  ('3', '2', 'history', '2026-11-22 03:30:00+00', '2026-11-22 04:00:00+00', '2026-11-22 08:44:03.794115+00', '1', '749', '12', '0', '0', '0', '0', '0', '2028.4087', '3.747609', '0.034004', '0.576', NULL, '0', '0', '1', NULL),
  ('3', '2', 'live', '2026-11-22 08:43:38+00', '2026-11-22 08:43:40+00', '2026-11-22 08:43:45.672269+00', '1', '409', '0', '0', '0', '0', '0', '0', '769.1381', '2.855187', '0.003048', '0.354', NULL, '0', '0', '1', NULL),
  ('3', '2', 'history', '2026-11-22 02:00:00+00', '2026-11-22 02:30:00+00', '2026-11-22 08:43:58.690792+00', '1', '748', '12', '0', '0', '1', '0', '0', '2031.5247', '12.428794', '0.04818', '6.07', NULL, '0', '0', '1', NULL),
  ('3', '2', 'history', '2026-11-22 00:30:00+00', '2026-11-22 01:00:00+00', '2026-11-22 08:43:48.506882+00', '1', '747', '12', '0', '0', '0', '0', '0', '6091.972', '18.426981', '0.051649', '2.745', NULL, '0', '0', '1', NULL),
  ('3', '2', 'live', '2026-11-22 08:13:30+00', '2026-11-22 08:43:30+00', '2026-11-22 08:43:35.262031+00', '1', '749', '12', '0', '0', '0', '0', '0', '972.86523', '7.831987', '0.080806', '0.624', NULL, '0', '0', '1', NULL),
  ('3', '2', 'live', '2026-11-22 08:43:36+00', '2026-11-22 08:43:38+00', '2026-11-22 08:43:43.416815+00', '1', '409', '0', '0', '0', '0', '0', '0', '980.3313', '2.923104', '0.002588', '0.254', NULL, '0', '0', '1', NULL),
  ('3', '2', 'history', '2026-11-22 02:30:00+00', '2026-11-22 03:00:00+00', '2026-11-22 08:44:00.765523+00', '1', '752', '12', '0', '0', '0', '0', '0', '1989.6619', '17.133596', '0.036581', '0.469', NULL, '0', '0', '1', NULL),
  ('3', '2', 'history', '2026-11-22 01:00:00+00', '2026-11-22 01:30:00+00', '2026-11-22 08:43:54.644173+00', '1', '747', '12', '0', '0', '1', '0', '0', '1999.0674', '8.642898', '0.046634', '0.437', NULL, '0', '0', '1', NULL),
  ('3', '2', 'live', '2026-11-22 08:43:34+00', '2026-11-22 08:43:36+00', '2026-11-22 08:43:41.672624+00', '1', '409', '0', '0', '0', '0', '0', '0', '684.4149', '2.815225', '0.003434', '0.209', NULL, '0', '0', '1', NULL),
  ('4', '2', 'history', '2026-11-22 01:30:00+00', '2026-11-22 02:00:00+00', '2026-11-22 08:43:57.74079+00', '1', '589', '3', '0', '0', '0', '0', '0', '1955.5204', '6.787438', '0.039722', '0.43', NULL, '0', '0', '1', NULL),
  ('4', '2', 'live', '2026-11-22 08:13:31+00', '2026-11-22 08:43:31+00', '2026-11-22 08:43:36.265353+00', '1', '589', '3', '0', '0', '0', '0', '0', '990.8218', '3.331842', '0.050488', '0.327', NULL, '0', '0', '1', NULL),
  ('4', '2', 'live', '2026-11-22 08:43:31+00', '2026-11-22 08:43:33+00', '2026-11-22 08:43:38.296719+00', '1', '390', '0', '0', '0', '0', '0', '0', '1000.5484', '3.335615', '0.003409', '0.205', NULL, '0', '0', '1', NULL),
  ('4', '2', 'live', '2026-11-22 08:43:33+00', '2026-11-22 08:43:35+00', '2026-11-22 08:43:40.328433+00', '1', '390', '0', '0', '0', '0', '0', '0', '1008.85974', '2.881686', '0.003688', '0.226', NULL, '0', '0', '1', NULL),
  ('4', '2', 'live', '2026-11-22 08:43:35+00', '2026-11-22 08:43:37+00', '2026-11-22 08:43:42.372537+00', '1', '390', '0', '0', '0', '0', '0', '0', '1004.9326', '3.170935', '0.002622', '0.5', NULL, '0', '0', '1', NULL),
  ('4', '2', 'live', '2026-11-22 08:43:37+00', '2026-11-22 08:43:39+00', '2026-11-22 08:43:44.428707+00', '1', '390', '0', '0', '0', '0', '0', '0', '987.9225', '3.345792', '0.002486', '0.235', NULL, '0', '0', '1', NULL),
  ('4', '2', 'live', '2026-11-22 08:43:39+00', '2026-11-22 08:43:41+00', '2026-11-22 08:43:46.451934+00', '1', '390', '0', '0', '0', '0', '0', '0', '1001.7008', '2.764467', '0.004028', '0.356', NULL, '0', '0', '1', NULL),
  ('4', '2', 'live', '2026-11-22 08:43:41+00', '2026-11-22 08:43:44+00', '2026-11-22 08:43:49.513471+00', '1', '390', '0', '0', '0', '0', '0', '0', '1004.0012', '4.297152', '0.003358', '0.419', NULL, '0', '0', '1', NULL),
  ('4', '2', 'history', '2026-11-22 00:00:00+00', '2026-11-22 00:30:00+00', '2026-11-22 08:43:37.421179+00', '1', '591', '3', '0', '0', '1', '0', '0', '14118.046', '3.939429', '0.071637', '0.396', NULL, '0', '0', '1', NULL),
  ('4', '2', 'live', '2026-11-22 08:43:44+00', '2026-11-22 08:43:47+00', '2026-11-22 08:43:52.574293+00', '1', '390', '0', '0', '0', '0', '0', '0', '1021.2273', '14.341138', '0.003922', '0.505', NULL, '0', '0', '1', NULL),
  ('4', '2', 'history', '2026-11-22 00:30:00+00', '2026-11-22 01:00:00+00', '2026-11-22 08:43:51.724001+00', '1', '590', '3', '0', '0', '0', '0', '0', '3912.2944', '41.14118', '0.034636', '1.729', NULL, '0', '0', '1', NULL),
  ('4', '2', 'history', '2026-11-22 01:00:00+00', '2026-11-22 01:30:00+00', '2026-11-22 08:43:55.697797+00', '1', '585', '3', '0', '0', '1', '0', '0', '1988.2845', '9.038085', '0.050937', '0.411', NULL, '0', '0', '1', NULL),
  ('4', '2', 'history', '2026-11-22 02:30:00+00', '2026-11-22 03:00:00+00', '2026-11-22 08:44:01.842735+00', '1', '587', '3', '0', '0', '0', '0', '0', '2958.8787', '9.579801', '0.032724', '0.518', NULL, '0', '0', '1', NULL),
  ('4', '2', 'history', '2026-11-22 03:00:00+00', '2026-11-22 03:30:00+00', '2026-11-22 08:44:04.830498+00', '1', '585', '3', '0', '0', '1', '0', '0', '2011.135', '24.143785', '0.060005', '0.77', NULL, '0', '0', '1', NULL),
  ('4', '2', 'history', '2026-11-22 02:00:00+00', '2026-11-22 02:30:00+00', '2026-11-22 08:43:59.73132+00', '1', '584', '3', '0', '0', '1', '0', '0', '2028.6096', '35.52724', '0.047193', '4.21', NULL, '0', '0', '1', NULL),
  ('4', '2', 'history', '2026-11-22 03:30:00+00', '2026-11-22 04:00:00+00', '2026-11-22 08:44:06.895453+00', '1', '583', '3', '0', '0', '0', '0', '0', '1980.766', '38.47967', '0.054516', '0.383', NULL, '0', '0', '1', NULL),
  ('5', '3', 'live', '2026-11-22 07:43:52+00', '2026-11-22 08:43:52+00', '2026-11-22 08:43:57.368915+00', '1', '654', '13', '0', '0', '0', '0', '0', '425.67337', '20.686253', '0.133982', '0.461', NULL, '0', '0', '1', NULL),
  ('5', '3', 'history', '2026-11-22 03:00:00+00', '2026-11-22 05:00:00+00', '2026-11-22 08:44:04.45516+00', '1', '1117', '26', '0', '0', '0', '0', '0', '5.578032', '3.17669', '0.03697', '0.645', NULL, '0', '0', '1', NULL),
  ('5', '3', 'live', '2026-11-22 08:44:02+00', '2026-11-22 08:44:04+00', '2026-11-22 08:44:09.482073+00', '1', '157', '0', '0', '0', '0', '0', '0', '11.628703', '9.829615', '0.003954', '0.324', NULL, '0', '0', '1', NULL),
  ('5', '3', 'live', '2026-11-22 08:43:52+00', '2026-11-22 08:43:54+00', '2026-11-22 08:43:59.435178+00', '1', '157', '0', '0', '0', '0', '0', '0', '411.3003', '3.249711', '0.006753', '0.378', NULL, '0', '0', '1', NULL),
  ('5', '3', 'live', '2026-11-22 08:44:10+00', '2026-11-22 08:44:12+00', '2026-11-22 08:44:17.520365+00', '1', '157', '0', '0', '0', '0', '0', '0', '13.125129', '3.563803', '0.004557', '0.413', NULL, '0', '0', '1', NULL),
  ('5', '3', 'live', '2026-11-22 08:44:04+00', '2026-11-22 08:44:06+00', '2026-11-22 08:44:11.517108+00', '1', '157', '0', '0', '0', '0', '0', '0', '7.71312', '26.363676', '0.004072', '0.35', NULL, '0', '0', '1', NULL),
  ('5', '3', 'live', '2026-11-22 08:43:54+00', '2026-11-22 08:43:56+00', '2026-11-22 08:44:01.466326+00', '1', '157', '0', '0', '0', '0', '0', '0', '424.3337', '13.276814', '0.003862', '0.366', NULL, '0', '0', '1', NULL),
  ('5', '3', 'history', '2026-11-22 05:43:55+00', '2026-11-22 06:13:52+00', '2026-11-22 08:43:58.831925+00', '1', '442', '7', '0', '0', '0', '0', '0', '504.28976', '3.575986', '0.081684', '0.443', NULL, '0', '0', '1', NULL),
  ('5', '3', 'live', '2026-11-22 08:44:06+00', '2026-11-22 08:44:08+00', '2026-11-22 08:44:13.486311+00', '1', '157', '0', '0', '0', '0', '0', '0', '7.177302', '21.953262', '0.0039129998', '0.446', NULL, '0', '0', '1', NULL),
  ('5', '3', 'history', '2026-11-22 06:13:52+00', '2026-11-22 07:43:52+00', '2026-11-22 08:43:57.973137+00', '1', '879', '19', '0', '0', '0', '0', '0', '849.217', '5.812189', '0.042587', '0.536', NULL, '0', '0', '1', NULL),
  ('5', '3', 'live', '2026-11-22 08:44:08+00', '2026-11-22 08:44:10+00', '2026-11-22 08:44:15.510924+00', '1', '157', '0', '0', '0', '0', '0', '0', '15.053685', '43.675354', '0.004042', '0.374', NULL, '0', '0', '1', NULL),
  ('5', '3', 'live', '2026-11-22 08:42:43+00', '2026-11-22 08:44:00+00', '2026-11-22 08:44:05.68266+00', '1', '157', '0', '0', '0', '0', '0', '0', '9.669582', '4.127622', '0.003472', '0.303', NULL, '0', '0', '1', NULL),
  ('5', '3', 'live', '2026-11-22 08:43:56+00', '2026-11-22 08:43:58+00', '2026-11-22 08:44:03.440111+00', '1', '157', '0', '0', '0', '0', '0', '0', '4.102285', '5.810321', '0.00377', '0.348', NULL, '0', '0', '1', NULL),
  ('5', '3', 'live', '2026-11-22 08:44:00+00', '2026-11-22 08:44:02+00', '2026-11-22 08:44:07.514858+00', '1', '157', '0', '0', '0', '0', '0', '0', '20.022146', '10.607211', '0.003641', '0.41', NULL, '0', '0', '1', NULL),
  ('6', '3', 'live', '2026-11-22 08:42:43+00', '2026-11-22 08:44:00+00', '2026-11-22 08:44:05.71901+00', '1', '157', '0', '0', '0', '0', '0', '0', '478.796', '1.956166', '0.004313', '0.311', NULL, '0', '0', '1', NULL),
  ('6', '3', 'live', '2026-11-22 08:44:00+00', '2026-11-22 08:44:02+00', '2026-11-22 08:44:07.571654+00', '1', '157', '0', '0', '0', '0', '0', '0', '479.93512', '19.3281', '0.004001', '0.433', NULL, '0', '0', '1', NULL),
  ('6', '3', 'history', '2026-11-22 06:13:52+00', '2026-11-22 07:43:52+00', '2026-11-22 08:43:58.582026+00', '1', '868', '19', '0', '0', '0', '0', '0', '2278.8184', '4.855177', '0.04476', '0.59', NULL, '0', '0', '1', NULL),
  ('6', '3', 'live', '2026-11-22 08:43:52+00', '2026-11-22 08:43:54+00', '2026-11-22 08:43:59.869231+00', '1', '157', '0', '0', '0', '0', '0', '0', '484.86523', '5.440944', '0.003394', '0.325', NULL, '0', '0', '1', NULL),
  ('6', '3', 'history', '2026-11-22 05:43:55+00', '2026-11-22 06:13:52+00', '2026-11-22 08:44:00.917033+00', '1', '449', '7', '0', '0', '0', '0', '0', '463.0585', '3.511415', '0.035475', '0.541', NULL, '0', '0', '1', NULL),
  ('6', '3', 'live', '2026-11-22 08:44:10+00', '2026-11-22 08:44:12+00', '2026-11-22 08:44:17.55175+00', '1', '157', '0', '0', '0', '0', '0', '0', '483.73944', '5.380332', '0.006772', '0.229', NULL, '0', '0', '1', NULL),
  ('6', '3', 'live', '2026-11-22 08:43:54+00', '2026-11-22 08:43:56+00', '2026-11-22 08:44:01.920506+00', '1', '157', '0', '0', '0', '0', '0', '0', '471.7205', '2.343586', '0.002426', '0.212', NULL, '0', '0', '1', NULL),
  ('6', '3', 'live', '2026-11-22 08:44:02+00', '2026-11-22 08:44:04+00', '2026-11-22 08:44:09.513595+00', '1', '157', '0', '0', '0', '0', '0', '0', '468.83618', '21.428247', '0.004246', '0.426', NULL, '0', '0', '1', NULL),
  ('6', '3', 'history', '2026-11-20 00:00:00+00', '2026-11-20 02:00:00+00', '2026-11-22 08:44:17.971532+00', '1', '1132', '26', '0', '0', '0', '0', '0', '573.5783', '4.864865', '0.040717', '1.14', NULL, '0', '0', '1', NULL),
  ('6', '3', 'live', '2026-11-22 08:43:56+00', '2026-11-22 08:43:58+00', '2026-11-22 08:44:03.458572+00', '1', '157', '0', '0', '0', '0', '0', '0', '495.33926', '2.584983', '0.003451', '0.316', NULL, '0', '0', '1', NULL),
  ('6', '3', 'live', '2026-11-22 08:44:04+00', '2026-11-22 08:44:06+00', '2026-11-22 08:44:11.582411+00', '1', '157', '0', '0', '0', '0', '0', '0', '453.38333', '21.601873', '0.003898', '0.472', NULL, '0', '0', '1', NULL),
  ('6', '3', 'live', '2026-11-22 08:44:06+00', '2026-11-22 08:44:08+00', '2026-11-22 08:44:13.5488+00', '1', '157', '0', '0', '0', '0', '0', '0', '456.9475', '1.889941', '0.007412', '0.331', NULL, '0', '0', '1', NULL),
  ('6', '3', 'live', '2026-11-22 07:43:52+00', '2026-11-22 08:43:52+00', '2026-11-22 08:43:57.880462+00', '1', '659', '13', '0', '0', '0', '0', '0', '431.58264', '3.703153', '0.059127', '0.397', NULL, '0', '0', '1', NULL),
  ('6', '3', 'live', '2026-11-22 08:44:08+00', '2026-11-22 08:44:10+00', '2026-11-22 08:44:15.577039+00', '1', '157', '0', '0', '0', '0', '0', '0', '449.71478', '16.917387', '0.003854', '0.505', NULL, '0', '0', '1', NULL),
  ('6', '3', 'history', '2026-11-22 03:00:00+00', '2026-11-22 05:00:00+00', '2026-11-22 08:44:04.466642+00', '1', '1113', '26', '0', '0', '0', '0', '0', '501.3451', '10.946929', '0.466607', '0.654', NULL, '0', '0', '1', NULL),
  ('7', '4', 'live', '2026-11-22 08:43:53+00', '2026-11-22 08:43:55+00', '2026-11-22 08:44:00.197725+00', '1', '157', '0', '0', '0', '0', '0', '0', '7.934419', '8.996516', '0.009019', '6.529', NULL, '0', '0', '1', NULL),
  ('7', '4', 'live', '2026-11-22 08:43:55+00', '2026-11-22 08:43:56+00', '2026-11-22 08:44:01.981829+00', '1', '157', '0', '0', '0', '0', '0', '0', '5.694477', '15.964725', '0.00378', '0.376', NULL, '0', '0', '1', NULL),
  ('7', '4', 'live', '2026-11-22 07:43:53+00', '2026-11-22 08:43:53+00', '2026-11-22 08:43:58.304716+00', '1', '652', '12', '0', '0', '1', '0', '0', '1.365775', '2.837873', '0.068807', '0.446', NULL, '0', '0', '1', NULL),
  ('7', '4', 'history', '2026-11-22 04:43:58+00', '2026-11-22 06:13:53+00', '2026-11-22 08:43:58.427787+00', '1', '903', '18', '0', '0', '2', '0', '0', '105.257225', '14.873853', '0.102891', '0.688', NULL, '0', '0', '1', NULL),
  ('7', '4', 'history', '2026-11-22 06:13:53+00', '2026-11-22 07:43:53+00', '2026-11-22 08:43:58.427628+00', '1', '874', '18', '0', '0', '1', '0', '0', '8.131492', '8.106868', '0.048825', '0.617', NULL, '0', '0', '1', NULL),
  ('7', '4', 'live', '2026-11-22 08:43:56+00', '2026-11-22 08:43:59+00', '2026-11-22 08:44:04.190268+00', '1', '157', '0', '0', '0', '0', '0', '0', '9.49927', '9.093591', '0.004154', '0.284', NULL, '0', '0', '1', NULL);
insert into window_sum (source_id, hour, lane, windows, failures, requests, bytes, readings, duplicates, revised, refused, late, repeats, outside) values
  ('1', '2026-11-22 08:00:00+00', 'live', '46', '0', '46', '20187', '60', '0', '0', '4', '0', '0', '0'),
  ('1', '2026-11-22 08:00:00+00', 'history', '6', '0', '6', '8792', '226', '0', '0', '16', '0', '0', '0'),
  ('2', '2026-11-22 08:00:00+00', 'live', '16', '0', '16', '6931', '15', '0', '0', '0', '0', '0', '0'),
  ('2', '2026-11-22 08:00:00+00', 'history', '17', '0', '17', '11447', '132', '0', '0', '9', '0', '0', '0'),
  ('3', '2026-11-22 08:00:00+00', 'live', '22', '0', '22', '4453', '26', '0', '0', '0', '0', '0', '0'),
  ('3', '2026-11-22 08:00:00+00', 'history', '7', '0', '7', '6000', '130', '0', '0', '0', '0', '0', '0'),
  ('4', '2026-11-22 08:00:00+00', 'history', '2', '0', '2', '1777', '36', '0', '0', '3', '0', '0', '0'),
  ('4', '2026-11-22 08:00:00+00', 'live', '4', '0', '4', '1123', '12', '0', '0', '1', '0', '0', '0');
insert into audit (id, at, actor, action, subject, detail) overriding system value values
  ('1', '2026-11-22 08:43:26.918441+00', 'cli:operator', 'organisation.created', 'acme', '{"name": "Acme"}'),
  ('10', '2026-11-22 08:43:58.013505+00', 'cli:operator', 'source.created', 'east', '{"differences": []}'),
  ('11', '2026-11-22 08:44:06.418861+00', 'databridge', 'signing-key.created', 'hIXz8EkMOmtlVN3_BSdf3ynGQvtcJmEnySxYKEqOUKc', '{"signsInSeconds": 0, "othersWithdrawn": false}'),
  ('12', '2026-11-22 08:44:11.114097+00', 'cli:operator', 'source.changed', 'north', E'{"differences": [{"path": "mapping.labels", "after": "[\\"north\\"]"}]}'),
  ('2', '2026-11-22 08:43:27.646704+00', 'cli:operator', 'project.created', 'press-shop', '{"organisation": "default"}'),
  ('3', '2026-11-22 08:43:28.41776+00', 'cli:operator', 'project.created', 'kiln', '{"organisation": "acme"}'),
  ('4', '2026-11-22 08:43:29.309561+00', 'cli:operator', 'application.created', 'app_72f9c8026d3ff4a57f76', '{"name": "gateway-7", "projects": null, "organisation": "default"}'),
  ('5', '2026-11-22 08:43:30.18823+00', 'cli:operator', 'ingestion.push', 'press-shop', '{"url": "http://service.invalid", "code": "remote-hall", "mostWaiting": 10000000, "organisation": "remote-org", "applicationId": "app_outbox"}'),
  ('6', '2026-11-22 08:43:33.152884+00', 'cli:operator', 'source.created', 'north', '{"differences": []}'),
  ('7', '2026-11-22 08:43:34.683247+00', 'cli:operator', 'source.created', 'west', '{"differences": []}'),
  ('8', '2026-11-22 08:43:53.000969+00', 'cli:operator', 'source.pause', 'west', '{}'),
  ('9', '2026-11-22 08:43:55.125031+00', 'cli:operator', 'source.created', 'south', '{"differences": []}');
select setval(pg_get_serial_sequence('audit', 'id'), (select max(id) from audit));
insert into application (id, organisation_id, name, projects, secret_hash, previous_secret_hash, previous_secret_until, created_at, revoked_at, token_generation, tokens_ended_at) values
  ('app_72f9c8026d3ff4a57f76', 'default', 'gateway-7', NULL, E'\\x7aca7222bca12b13d7846b07d68a09335ed3c3f0cda64df553c0b42bd50918e5', NULL, NULL, '2026-11-22 08:43:29.309561+00', NULL, '0', NULL);
insert into signing_key (kid, public_key, private_key, created_at, signs_from, signs_until) values
  ('hIXz8EkMOmtlVN3_BSdf3ynGQvtcJmEnySxYKEqOUKc', '{"x": "T1X-y0AzJ6XiekYcgMjwknQZWLmZgJgNxiX1K4UeVow", "crv": "Ed25519", "kty": "OKP"}', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..42i6ThQNffi30kAV.ekBhT6u_OKQ52mkbTrN5DA5OB6CHskubVAMh_FHiw7EX5MGZkBxnxg6cjP-LnoQGaKGZ-6Bfa9Ux-Gjdo3CMRikj1Oyyov8Spsvi3fw3pkbxjgdOdXEljZWBz7wqdih9jbhJKE78AG5rsHsJNI3Le3liqMPygNjPlncudOunhXyC.rYkQqqY2JPiT10GSF55Gng', '2026-11-22 08:44:06.418861+00', '2026-11-22 08:44:06.418861+00', NULL);
insert into refresh_family (id, application_id, created_at, expires_at, revoked_at, revoked_because, secret_hash) overriding system value values
  ('1', 'app_72f9c8026d3ff4a57f76', '2026-11-22 08:44:06.494922+00', '2026-12-22 08:44:07+00', NULL, NULL, E'\\x7aca7222bca12b13d7846b07d68a09335ed3c3f0cda64df553c0b42bd50918e5');
select setval(pg_get_serial_sequence('refresh_family', 'id'), (select max(id) from refresh_family));
insert into refresh_token (hash, family_id, generation, expires_at, used_at, successor_seed) values
  (E'\\x4e377d9ee3f58a8bca66186faec67bddfd6f4c7fe5e840b7dc6419c53ec75a30', '1', '1', '2026-12-22 08:44:07+00', NULL, NULL);
insert into remote (project_id, url, organisation, code, application_id, secret, most_waiting, state, revision, batch, waiting, counted_at, full_since, claimed_by, failures, held_until, last_delivery_at, last_fault, created_at) values
  ('1', 'http://service.invalid', 'remote-org', 'remote-hall', 'app_outbox', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..cSpJClL7C3k_luLn.2v2HYb8W2NYuXS1S3uLSHnQXO96A9g5HDA.QPuqvtIWLB19Fsj8C5h_AA', '10000000', 'active', '1', NULL, '374', '2026-11-22 08:44:17.803974+00', NULL, NULL, '7', '2026-11-22 08:45:02.398066+00', NULL, '{"at": "2026-11-22T08:44:17.530131Z", "code": "overloaded", "message": "http://service.invalid answers 503"}', '2026-11-22 08:43:30.18823+00');
insert into remote_token (project_id, version, sealed, replacing_until) values
  ('1', '1', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..jKW2ny3DjtwRGhMC.9tIYYVnZPoS1DrQXIUGgTSj2EtQMg3556rbQwspDzV2fkzJg1QcAtsOol5Xnk5keBOtE0bSe26IFIP_-nt_peLi0kRT6UWlT1a8thWDRKQ8zxEvC8iGzsnh_9_ITmnrC5PgMzJ-sJkib7pgCPEV0cVeoW6OQLNL_p0srAZs73W5nTUnw3cPkKUdJcGGbAw087NI7Zo1JwbQ5OMqHUazRqEQDnemHUI8z2jSx3-H6toru3ImHmpOgt3j9ZwcFnGP3vh16q3m3ChEdMKWJOuHyHCuVm6OcvgIyxibFcoirHQyFqujP0i1jowarEyjxmRJX_7RhYObhCrnxVJZi6ElKBlJMNxm0yo7bXAnh1bq6M7kn1ogojo_S.0ukeZlM9OaW97vK8L8O-NQ', NULL);
insert into outbox (id, project_id, stream_id, readings, series, at, value, precision, labels, noted_at) overriding system value values
  ('1', '1', '2', '12', '{1,1,1,1,1,1,2,2,2,2,2,2}', '{"2026-11-22 07:50:00+00","2026-11-22 08:00:00+00","2026-11-22 08:10:00+00","2026-11-22 08:20:00+00","2026-11-22 08:30:00+00","2026-11-22 08:40:00+00","2026-11-22 07:50:00+00","2026-11-22 08:00:00+00","2026-11-22 08:10:00+00","2026-11-22 08:20:00+00","2026-11-22 08:30:00+00","2026-11-22 08:40:00+00"}', '{13.638,-52.429,-31.824,60.632,-29.382,-99.299,61.227,-46.028,1.669,0,-77.47,0}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '2026-11-22 08:43:33.827398+00'),
  ('10', '1', '7', '18', '{13,13,13,13,13,13,13,13,13,14,14,14,14,14,14,14,14,14}', '{"2026-11-22 06:20:00+00","2026-11-22 06:30:00+00","2026-11-22 06:40:00+00","2026-11-22 06:50:00+00","2026-11-22 07:00:00+00","2026-11-22 07:10:00+00","2026-11-22 07:20:00+00","2026-11-22 07:30:00+00","2026-11-22 07:40:00+00","2026-11-22 06:20:00+00","2026-11-22 06:30:00+00","2026-11-22 06:40:00+00","2026-11-22 06:50:00+00","2026-11-22 07:00:00+00","2026-11-22 07:10:00+00","2026-11-22 07:20:00+00","2026-11-22 07:30:00+00","2026-11-22 07:40:00+00"}', '{0,-17.101,-11.771,58.394,15.832,-74.631,-43.059,48.453,-14.921,0,92.788,72.95,-77.901,38.328,30.447,-95.296,85.828,21.917}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '2026-11-22 08:43:58.447835+00'),
  ('11', '1', '7', '18', '{13,13,13,13,13,13,13,13,13,14,14,14,14,14,14,14,14,14}', '{"2026-11-22 04:50:00+00","2026-11-22 05:00:00+00","2026-11-22 05:10:00+00","2026-11-22 05:20:00+00","2026-11-22 05:30:00+00","2026-11-22 05:40:00+00","2026-11-22 05:50:00+00","2026-11-22 06:00:00+00","2026-11-22 06:10:00+00","2026-11-22 04:50:00+00","2026-11-22 05:00:00+00","2026-11-22 05:10:00+00","2026-11-22 05:20:00+00","2026-11-22 05:30:00+00","2026-11-22 05:40:00+00","2026-11-22 05:50:00+00","2026-11-22 06:00:00+00","2026-11-22 06:10:00+00"}', '{-4.885,-86.177,10.962,0,23.202,-76.583,0,-19.604,87.712,0,82.435,-39.272,51.004,-17.247,-87.49,-67.187,32.191,-58.105}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '2026-11-22 08:43:58.553796+00'),
  ('12', '1', NULL, '40', '{18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18}', '{"2026-11-21 20:00:00+00","2026-11-21 20:01:00+00","2026-11-21 20:02:00+00","2026-11-21 20:03:00+00","2026-11-21 20:04:00+00","2026-11-21 20:05:00+00","2026-11-21 20:06:00+00","2026-11-21 20:07:00+00","2026-11-21 20:08:00+00","2026-11-21 20:09:00+00","2026-11-21 20:10:00+00","2026-11-21 20:11:00+00","2026-11-21 20:12:00+00","2026-11-21 20:13:00+00","2026-11-21 20:14:00+00","2026-11-21 20:15:00+00","2026-11-21 20:16:00+00","2026-11-21 20:17:00+00","2026-11-21 20:18:00+00","2026-11-21 20:19:00+00","2026-11-21 20:20:00+00","2026-11-21 20:21:00+00","2026-11-21 20:22:00+00","2026-11-21 20:23:00+00","2026-11-21 20:24:00+00","2026-11-21 20:25:00+00","2026-11-21 20:26:00+00","2026-11-21 20:27:00+00","2026-11-21 20:28:00+00","2026-11-21 20:29:00+00","2026-11-21 20:30:00+00","2026-11-21 20:31:00+00","2026-11-21 20:32:00+00","2026-11-21 20:33:00+00","2026-11-21 20:34:00+00","2026-11-21 20:35:00+00","2026-11-21 20:36:00+00","2026-11-21 20:37:00+00","2026-11-21 20:38:00+00","2026-11-21 20:39:00+00"}', '{0,0.25,0.5,0.75,1,1.25,1.5,1.75,2,2.25,2.5,2.75,3,3.25,3.5,3.75,4,4.25,4.5,4.75,5,5.25,5.5,5.75,6,6.25,6.5,6.75,7,7.25,7.5,7.75,8,8.25,8.5,8.75,9,9.25,9.5,9.75}', '{90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90}', '{2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2}', '2026-11-22 08:44:06.69844+00'),
  ('2', '1', '1', '48', '{3,3,3,3,3,3,3,3,3,3,3,3,4,4,4,4,4,4,4,4,4,4,4,4,5,5,5,5,5,5,5,5,5,5,5,5,6,6,6,6,6,6,6,6,6,6,6,6}', '{"2026-11-22 07:45:00+00","2026-11-22 07:50:00+00","2026-11-22 07:55:00+00","2026-11-22 08:00:00+00","2026-11-22 08:05:00+00","2026-11-22 08:10:00+00","2026-11-22 08:15:00+00","2026-11-22 08:20:00+00","2026-11-22 08:25:00+00","2026-11-22 08:30:00+00","2026-11-22 08:35:00+00","2026-11-22 08:40:00+00","2026-11-22 07:45:00+00","2026-11-22 07:50:00+00","2026-11-22 07:55:00+00","2026-11-22 08:00:00+00","2026-11-22 08:05:00+00","2026-11-22 08:10:00+00","2026-11-22 08:15:00+00","2026-11-22 08:20:00+00","2026-11-22 08:25:00+00","2026-11-22 08:30:00+00","2026-11-22 08:35:00+00","2026-11-22 08:40:00+00","2026-11-22 07:45:00+00","2026-11-22 07:50:00+00","2026-11-22 07:55:00+00","2026-11-22 08:00:00+00","2026-11-22 08:05:00+00","2026-11-22 08:10:00+00","2026-11-22 08:15:00+00","2026-11-22 08:20:00+00","2026-11-22 08:25:00+00","2026-11-22 08:30:00+00","2026-11-22 08:35:00+00","2026-11-22 08:40:00+00","2026-11-22 07:45:00+00","2026-11-22 07:50:00+00","2026-11-22 07:55:00+00","2026-11-22 08:00:00+00","2026-11-22 08:05:00+00","2026-11-22 08:10:00+00","2026-11-22 08:15:00+00","2026-11-22 08:20:00+00","2026-11-22 08:25:00+00","2026-11-22 08:30:00+00","2026-11-22 08:35:00+00","2026-11-22 08:40:00+00"}', '{47.714,17.664,30.711,-25.439,34.405,84.584,67.725,-16.512,-82.676,10.803,0,51.937,0,81.611,20.759,68.904,-68.617,21.137,-56.038,0,-2.241,26.247,0,-4.67,3.301,62.598,17.366,-43.362,-88.563,-22.223,81.168,14.106,-93.233,0,39.368,0,52.194,0,38.571,-80.084,-80.169,49.106,35.173,0,-70.881,-60.759,-69.346,-69.399}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '2026-11-22 08:43:33.838713+00'),
  ('3', '1', '2', '18', '{1,1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,2,2}', '{"2026-11-22 06:20:00+00","2026-11-22 06:30:00+00","2026-11-22 06:40:00+00","2026-11-22 06:50:00+00","2026-11-22 07:00:00+00","2026-11-22 07:10:00+00","2026-11-22 07:20:00+00","2026-11-22 07:30:00+00","2026-11-22 07:40:00+00","2026-11-22 06:20:00+00","2026-11-22 06:30:00+00","2026-11-22 06:40:00+00","2026-11-22 06:50:00+00","2026-11-22 07:00:00+00","2026-11-22 07:10:00+00","2026-11-22 07:20:00+00","2026-11-22 07:30:00+00","2026-11-22 07:40:00+00"}', '{54.664,-37.335,94.947,0,31.51,49.472,-99.094,-29.798,-96.754,20.88,-46.121,-84.781,75.168,-8.67,55.148,-11.013,0,-74.944}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '2026-11-22 08:43:33.99991+00'),
  ('4', '1', '2', '10', '{1,1,1,1,1,2,2,2,2,2}', '{"2026-11-22 04:00:00+00","2026-11-22 04:10:00+00","2026-11-22 04:20:00+00","2026-11-22 04:30:00+00","2026-11-22 04:40:00+00","2026-11-22 04:00:00+00","2026-11-22 04:10:00+00","2026-11-22 04:20:00+00","2026-11-22 04:30:00+00","2026-11-22 04:40:00+00"}', '{-39.26,2.006,-78.266,-28.589,-78.68,-68.475,3.848,-11.568,0.17,-59.122}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '2026-11-22 08:43:34.0355+00'),
  ('5', '1', '2', '18', '{1,1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,2,2}', '{"2026-11-22 04:50:00+00","2026-11-22 05:00:00+00","2026-11-22 05:10:00+00","2026-11-22 05:20:00+00","2026-11-22 05:30:00+00","2026-11-22 05:40:00+00","2026-11-22 05:50:00+00","2026-11-22 06:00:00+00","2026-11-22 06:10:00+00","2026-11-22 04:50:00+00","2026-11-22 05:00:00+00","2026-11-22 05:10:00+00","2026-11-22 05:20:00+00","2026-11-22 05:30:00+00","2026-11-22 05:40:00+00","2026-11-22 05:50:00+00","2026-11-22 06:00:00+00","2026-11-22 06:10:00+00"}', '{-45.097,0,-87.557,-80.781,0,-74.824,0,98.232,74.047,-78.977,85.948,27.453,0,0,62.391,-20.008,-99.841,82.045}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '2026-11-22 08:43:34.067771+00'),
  ('6', '1', '1', '72', '{3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6}', '{"2026-11-22 06:15:00+00","2026-11-22 06:20:00+00","2026-11-22 06:25:00+00","2026-11-22 06:30:00+00","2026-11-22 06:35:00+00","2026-11-22 06:40:00+00","2026-11-22 06:45:00+00","2026-11-22 06:50:00+00","2026-11-22 06:55:00+00","2026-11-22 07:00:00+00","2026-11-22 07:05:00+00","2026-11-22 07:10:00+00","2026-11-22 07:15:00+00","2026-11-22 07:20:00+00","2026-11-22 07:25:00+00","2026-11-22 07:30:00+00","2026-11-22 07:35:00+00","2026-11-22 07:40:00+00","2026-11-22 06:15:00+00","2026-11-22 06:20:00+00","2026-11-22 06:25:00+00","2026-11-22 06:30:00+00","2026-11-22 06:35:00+00","2026-11-22 06:40:00+00","2026-11-22 06:45:00+00","2026-11-22 06:50:00+00","2026-11-22 06:55:00+00","2026-11-22 07:00:00+00","2026-11-22 07:05:00+00","2026-11-22 07:10:00+00","2026-11-22 07:15:00+00","2026-11-22 07:20:00+00","2026-11-22 07:25:00+00","2026-11-22 07:30:00+00","2026-11-22 07:35:00+00","2026-11-22 07:40:00+00","2026-11-22 06:15:00+00","2026-11-22 06:20:00+00","2026-11-22 06:25:00+00","2026-11-22 06:30:00+00","2026-11-22 06:35:00+00","2026-11-22 06:40:00+00","2026-11-22 06:45:00+00","2026-11-22 06:50:00+00","2026-11-22 06:55:00+00","2026-11-22 07:00:00+00","2026-11-22 07:05:00+00","2026-11-22 07:10:00+00","2026-11-22 07:15:00+00","2026-11-22 07:20:00+00","2026-11-22 07:25:00+00","2026-11-22 07:30:00+00","2026-11-22 07:35:00+00","2026-11-22 07:40:00+00","2026-11-22 06:15:00+00","2026-11-22 06:20:00+00","2026-11-22 06:25:00+00","2026-11-22 06:30:00+00","2026-11-22 06:35:00+00","2026-11-22 06:40:00+00","2026-11-22 06:45:00+00","2026-11-22 06:50:00+00","2026-11-22 06:55:00+00","2026-11-22 07:00:00+00","2026-11-22 07:05:00+00","2026-11-22 07:10:00+00","2026-11-22 07:15:00+00","2026-11-22 07:20:00+00","2026-11-22 07:25:00+00","2026-11-22 07:30:00+00","2026-11-22 07:35:00+00","2026-11-22 07:40:00+00"}', '{-64.96,-59.194,-73.59,-55.177,19.421,54.554,-14.046,-63.42,7.203,-4.671,-69.601,-6.919,0,0,-41.99,18.091,-32.91,-73.105,51.387,58.708,-64.833,-70.79,44.415,62.355,41.337,33.169,0,-31.493,55.646,-42.773,-19.601,-71.956,27.555,-26.285,33.98,0,0,-75.706,0,-49.943,-16.268,5.228,-51.412,-60.312,0,52.514,3.294,29.46,-26.276,-88.889,0,6.027,-65.77,0,-99.419,92.015,-18.289,0,5.671,38.544,-50.401,-39.976,41.466,-54.402,-15.267,60.553,0,0,-91.617,0,-27.711,-33.587}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '2026-11-22 08:43:34.127277+00'),
  ('7', '1', '1', '36', '{3,3,3,3,3,3,3,3,3,4,4,4,4,4,4,4,4,4,5,5,5,5,5,5,5,5,5,6,6,6,6,6,6,6,6,6}', '{"2026-11-22 04:00:00+00","2026-11-22 04:05:00+00","2026-11-22 04:10:00+00","2026-11-22 04:15:00+00","2026-11-22 04:20:00+00","2026-11-22 04:25:00+00","2026-11-22 04:30:00+00","2026-11-22 04:35:00+00","2026-11-22 04:40:00+00","2026-11-22 04:00:00+00","2026-11-22 04:05:00+00","2026-11-22 04:10:00+00","2026-11-22 04:15:00+00","2026-11-22 04:20:00+00","2026-11-22 04:25:00+00","2026-11-22 04:30:00+00","2026-11-22 04:35:00+00","2026-11-22 04:40:00+00","2026-11-22 04:00:00+00","2026-11-22 04:05:00+00","2026-11-22 04:10:00+00","2026-11-22 04:15:00+00","2026-11-22 04:20:00+00","2026-11-22 04:25:00+00","2026-11-22 04:30:00+00","2026-11-22 04:35:00+00","2026-11-22 04:40:00+00","2026-11-22 04:00:00+00","2026-11-22 04:05:00+00","2026-11-22 04:10:00+00","2026-11-22 04:15:00+00","2026-11-22 04:20:00+00","2026-11-22 04:25:00+00","2026-11-22 04:30:00+00","2026-11-22 04:35:00+00","2026-11-22 04:40:00+00"}', '{-75.071,-6.9,5.237,-16.019,-84.575,55.017,4.789,97.517,-22.401,56.618,-12.75,-39.379,0,0,71.163,88.925,95.634,-37.368,0,0,-55.073,-65.958,0,4.518,58.943,9.718,-41.966,19.976,79.516,0,-17.407,-76.011,0,39.007,-75.591,90.478}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '2026-11-22 08:43:34.190148+00'),
  ('8', '1', '1', '72', '{3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6}', '{"2026-11-22 04:45:00+00","2026-11-22 04:50:00+00","2026-11-22 04:55:00+00","2026-11-22 05:00:00+00","2026-11-22 05:05:00+00","2026-11-22 05:10:00+00","2026-11-22 05:15:00+00","2026-11-22 05:20:00+00","2026-11-22 05:25:00+00","2026-11-22 05:30:00+00","2026-11-22 05:35:00+00","2026-11-22 05:40:00+00","2026-11-22 05:45:00+00","2026-11-22 05:50:00+00","2026-11-22 05:55:00+00","2026-11-22 06:00:00+00","2026-11-22 06:05:00+00","2026-11-22 06:10:00+00","2026-11-22 04:45:00+00","2026-11-22 04:50:00+00","2026-11-22 04:55:00+00","2026-11-22 05:00:00+00","2026-11-22 05:05:00+00","2026-11-22 05:10:00+00","2026-11-22 05:15:00+00","2026-11-22 05:20:00+00","2026-11-22 05:25:00+00","2026-11-22 05:30:00+00","2026-11-22 05:35:00+00","2026-11-22 05:40:00+00","2026-11-22 05:45:00+00","2026-11-22 05:50:00+00","2026-11-22 05:55:00+00","2026-11-22 06:00:00+00","2026-11-22 06:05:00+00","2026-11-22 06:10:00+00","2026-11-22 04:45:00+00","2026-11-22 04:50:00+00","2026-11-22 04:55:00+00","2026-11-22 05:00:00+00","2026-11-22 05:05:00+00","2026-11-22 05:10:00+00","2026-11-22 05:15:00+00","2026-11-22 05:20:00+00","2026-11-22 05:25:00+00","2026-11-22 05:30:00+00","2026-11-22 05:35:00+00","2026-11-22 05:40:00+00","2026-11-22 05:45:00+00","2026-11-22 05:50:00+00","2026-11-22 05:55:00+00","2026-11-22 06:00:00+00","2026-11-22 06:05:00+00","2026-11-22 06:10:00+00","2026-11-22 04:45:00+00","2026-11-22 04:50:00+00","2026-11-22 04:55:00+00","2026-11-22 05:00:00+00","2026-11-22 05:05:00+00","2026-11-22 05:10:00+00","2026-11-22 05:15:00+00","2026-11-22 05:20:00+00","2026-11-22 05:25:00+00","2026-11-22 05:30:00+00","2026-11-22 05:35:00+00","2026-11-22 05:40:00+00","2026-11-22 05:45:00+00","2026-11-22 05:50:00+00","2026-11-22 05:55:00+00","2026-11-22 06:00:00+00","2026-11-22 06:05:00+00","2026-11-22 06:10:00+00"}', '{0,-88.864,0,-70.402,-23.612,83.297,0,-40.549,-90.37,0,-62.996,41.132,-28.566,-50.159,25.268,57.688,71.19,-28.607,-33.751,-37.582,-82.573,-82.499,-69.761,-40.745,0,-42.844,-82.11,0,14.767,13.818,-72.516,42.196,-1.318,13.276,17.305,0,76.006,96.185,-8.862,-73.682,2.813,-59.512,47.063,-84.495,-75.714,-39.25,-84.206,35.164,3.259,-67.638,7.107,-67.796,0,9.965,-50.382,-93.848,-19.244,-18.571,91.812,-17.016,-77.413,-97.295,56.549,32.472,0,9.407,0,0,-71.975,-36.668,-10.19,0}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '2026-11-22 08:43:34.20811+00'),
  ('9', '1', '7', '12', '{13,13,13,13,13,13,14,14,14,14,14,14}', '{"2026-11-22 07:50:00+00","2026-11-22 08:00:00+00","2026-11-22 08:10:00+00","2026-11-22 08:20:00+00","2026-11-22 08:30:00+00","2026-11-22 08:40:00+00","2026-11-22 07:50:00+00","2026-11-22 08:00:00+00","2026-11-22 08:10:00+00","2026-11-22 08:20:00+00","2026-11-22 08:30:00+00","2026-11-22 08:40:00+00"}', '{-33.697,-26.604,65.058,0,89.302,6.615,-19.268,39.269,67.858,0,1.906,30.821}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '2026-11-22 08:43:58.323058+00');
select setval(pg_get_serial_sequence('outbox', 'id'), (select max(id) from outbox));
insert into series_name (source_id, sensor_id, value_name, holder, stale) values
  ('1', 'press-1', 'motor_running', '["press-1","motor.running"]', 'false'),
  ('1', 'press-1', 'motor_speed', '["press-1","motor.speed"]', 'false'),
  ('1', 'press-1', 'motor_current', '["press-1","motor.current"]', 'false'),
  ('1', 'press-1', 'oil_state', '["press-1","oil.state"]', 'false'),
  ('1', 'press-1', 'oil_temperature', '["press-1","oil.temperature"]', 'false'),
  ('1', 'press-2', 'motor_current', '["press-2","motor.current"]', 'false'),
  ('1', 'press-2', 'motor_running', '["press-2","motor.running"]', 'false'),
  ('1', 'press-2', 'motor_speed', '["press-2","motor.speed"]', 'false'),
  ('1', 'press-2', 'oil_state', '["press-2","oil.state"]', 'false'),
  ('1', 'press-2', 'oil_temperature', '["press-2","oil.temperature"]', 'false'),
  ('2', 'saw-1', 'oil_temperature', '["saw-1","oil.temperature"]', 'false'),
  ('2', 'saw-1', 'motor_current', '["saw-1","motor.current"]', 'false'),
  ('2', 'saw-1', 'motor_speed', '["saw-1","motor.speed"]', 'false'),
  ('2', 'saw-1', 'motor_running', '["saw-1","motor.running"]', 'false'),
  ('2', 'saw-1', 'oil_state', '["saw-1","oil.state"]', 'false'),
  ('3', '00000000-0000-4000-8000-000000000001', 'flow', '["00000000-0000-4000-8000-000000000001","flow"]', 'false'),
  ('3', '00000000-0000-4000-8000-000000000001', 'running', '["00000000-0000-4000-8000-000000000001","running"]', 'false'),
  ('3', '00000000-0000-4000-8000-000000000001', 'temperature', '["00000000-0000-4000-8000-000000000001","temperature"]', 'false'),
  ('3', '00000000-0000-4000-8000-000000000002', 'flow', '["00000000-0000-4000-8000-000000000002","flow"]', 'false'),
  ('3', '00000000-0000-4000-8000-000000000002', 'running', '["00000000-0000-4000-8000-000000000002","running"]', 'false'),
  ('3', '00000000-0000-4000-8000-000000000002', 'temperature', '["00000000-0000-4000-8000-000000000002","temperature"]', 'false'),
  ('4', '00000000-0000-4000-8000-00000000000b', 'flow', '["00000000-0000-4000-8000-00000000000b","flow"]', 'false'),
  ('4', '00000000-0000-4000-8000-00000000000b', 'running', '["00000000-0000-4000-8000-00000000000b","running"]', 'false'),
  ('4', '00000000-0000-4000-8000-00000000000b', 'temperature', '["00000000-0000-4000-8000-00000000000b","temperature"]', 'false');
insert into migration (id, name, run_on, version) values
  ('1', '0001_foundation', '2026-11-22 08:43:26.852048', NULL),
  ('10', '0011_source_key', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('11', '0012_names_under_change', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('12', '0013_asked_later', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('13', '0014_memory', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('14', '0020_series_owner', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('15', '0021_clock', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('16', '0022_platform_clock', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('17', '0023_history_asked', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('18', '0024_account_used', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('19', '0025_newest_reading', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('2', '0002_access', '2026-11-22 08:43:26.878428', NULL),
  ('20', '0026_former_configuration', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('21', '0027_ended_tokens', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('22', '0027_made_by', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('23', '0027_refused_hour', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('24', '0028_commands_present', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('25', '0029_operators', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('26', '0030_event', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('27', '0030_held_names', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('28', '0030_sealing', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('29', '0031_worker_keys', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('3', '0003_outbox', '2026-11-22 08:43:26.886248', NULL),
  ('30', '0032_renamed_names', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('31', '0033_application_use', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('32', '0033_operator_sessions', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('33', '0034_operator_oidc', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('34', '0035_account_refusal', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('35', '0036_stream_looks_from', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('36', '0037_held_by_each', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('37', '0038_pushed_refusals', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('38', '0039_quiet_windows', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('39', '0040_work', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('4', '0004_series_name', '2026-11-22 08:43:26.893841', NULL),
  ('5', '0005_caught_up', '2026-11-22 08:43:26.896138', NULL),
  ('6', '0006_turns', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('7', '0007_refused_and_repeated', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('8', '0009_account', '2026-11-24 11:52:23.421375', '0.1.0'),
  ('9', '0010_looks', '2026-11-24 11:52:23.421375', '0.1.0');
select setval(pg_get_serial_sequence('migration', 'id'), (select max(id) from migration));
insert into hand_over (count) values
  ('0');
insert into refused_hour (stream_id, hour, sensor, variable, reason, points, examples, noted_at) values
  ('1', '2026-11-22 04:00:00+00', 'press-1', 'motor.running', 'boolean', '{-1800000000}', '[[-1800000000, "true"]]', '2026-11-22 08:43:34.190148+00'),
  ('1', '2026-11-22 04:00:00+00', 'press-2', 'motor.running', 'boolean', '{-1800000000}', '[[-1800000000, "true"]]', '2026-11-22 08:43:34.190148+00'),
  ('1', '2026-11-22 05:00:00+00', 'press-1', 'motor.running', 'boolean', '{-1800000000}', '[[-1800000000, "false"]]', '2026-11-22 08:43:34.20811+00'),
  ('1', '2026-11-22 05:00:00+00', 'press-2', 'motor.running', 'boolean', '{-1800000000}', '[[-1800000000, "true"]]', '2026-11-22 08:43:34.20811+00'),
  ('1', '2026-11-22 06:00:00+00', 'press-1', 'motor.running', 'boolean', '{-1800000000}', '[[-1800000000, "false"]]', '2026-11-22 08:43:34.20811+00'),
  ('1', '2026-11-22 06:00:00+00', 'press-2', 'motor.running', 'boolean', '{-1800000000}', '[[-1800000000, "true"]]', '2026-11-22 08:43:34.20811+00'),
  ('1', '2026-11-22 07:00:00+00', 'press-1', 'motor.running', 'boolean', '{-1800000000}', '[[-1800000000, "true"]]', '2026-11-22 08:43:34.127277+00'),
  ('1', '2026-11-22 07:00:00+00', 'press-2', 'motor.running', 'boolean', '{-1800000000}', '[[-1800000000, "false"]]', '2026-11-22 08:43:34.127277+00'),
  ('1', '2026-11-22 08:00:00+00', 'press-1', 'motor.running', 'boolean', '{-1800000000}', '[[-1800000000, "false"]]', '2026-11-22 08:43:33.838713+00'),
  ('1', '2026-11-22 08:00:00+00', 'press-2', 'motor.running', 'boolean', '{-1800000000}', '[[-1800000000, "true"]]', '2026-11-22 08:43:33.838713+00'),
  ('2', '2026-11-22 04:00:00+00', 'press-1', 'oil.state', 'not-a-number', '{-1800000000}', E'[[-1800000000, "\\"NaN\\""]]', '2026-11-22 08:43:34.0355+00'),
  ('2', '2026-11-22 04:00:00+00', 'press-2', 'oil.state', 'text-number', '{-1800000000}', E'[[-1800000000, "\\"42\\""]]', '2026-11-22 08:43:34.0355+00'),
  ('2', '2026-11-22 05:00:00+00', 'press-1', 'oil.state', 'not-a-number', '{-1800000000}', E'[[-1800000000, "\\"NaN\\""]]', '2026-11-22 08:43:34.067771+00'),
  ('2', '2026-11-22 05:00:00+00', 'press-2', 'oil.state', 'not-a-number', '{-1800000000}', E'[[-1800000000, "\\"NaN\\""]]', '2026-11-22 08:43:34.067771+00'),
  ('2', '2026-11-22 06:00:00+00', 'press-1', 'oil.state', 'not-a-number', '{-1800000000}', E'[[-1800000000, "\\"false\\""]]', '2026-11-22 08:43:34.067771+00'),
  ('2', '2026-11-22 06:00:00+00', 'press-2', 'oil.state', 'not-a-number', '{-1800000000}', E'[[-1800000000, "\\"NaN\\""]]', '2026-11-22 08:43:34.067771+00'),
  ('2', '2026-11-22 07:00:00+00', 'press-1', 'oil.state', 'not-a-number', '{-1800000000}', E'[[-1800000000, "\\"false\\""]]', '2026-11-22 08:43:33.99991+00'),
  ('2', '2026-11-22 07:00:00+00', 'press-2', 'oil.state', 'not-a-number', '{-1800000000}', E'[[-1800000000, "\\"\\""]]', '2026-11-22 08:43:33.99991+00'),
  ('2', '2026-11-22 08:00:00+00', 'press-1', 'oil.state', 'not-a-number', '{-1800000000}', E'[[-1800000000, "\\"RUN\\""]]', '2026-11-22 08:43:33.827398+00'),
  ('2', '2026-11-22 08:00:00+00', 'press-2', 'oil.state', 'not-a-number', '{-1800000000}', E'[[-1800000000, "\\"NaN\\""]]', '2026-11-22 08:43:33.827398+00'),
  ('3', '2026-11-22 00:00:00+00', 'saw-1', 'motor.running', 'boolean', '{-1800000000}', '[[-1800000000, "false"]]', '2026-11-22 08:43:48.499093+00'),
  ('3', '2026-11-22 01:00:00+00', 'saw-1', 'motor.running', 'boolean', '{-1800000000}', '[[-1800000000, "true"]]', '2026-11-22 08:43:56.654907+00'),
  ('3', '2026-11-22 02:00:00+00', 'saw-1', 'motor.running', 'boolean', '{-1800000000}', '[[-1800000000, "true"]]', '2026-11-22 08:44:00.740324+00'),
  ('3', '2026-11-22 03:00:00+00', 'saw-1', 'motor.running', 'boolean', '{-1800000000}', '[[-1800000000, "false"]]', '2026-11-22 08:44:03.782292+00'),
  ('3', '2026-11-22 04:00:00+00', 'saw-1', 'motor.running', 'boolean', '{-1800000000}', '[[-1800000000, "false"]]', '2026-11-22 08:44:07.880677+00'),
  ('4', '2026-11-22 00:00:00+00', 'saw-1', 'oil.state', 'text-number', '{-1800000000}', E'[[-1800000000, "\\"-1.5\\""]]', '2026-11-22 08:43:51.55419+00'),
  ('4', '2026-11-22 01:00:00+00', 'saw-1', 'oil.state', 'not-a-number', '{-1800000000}', E'[[-1800000000, "\\"RUN\\""]]', '2026-11-22 08:43:57.703063+00'),
  ('4', '2026-11-22 02:00:00+00', 'saw-1', 'oil.state', 'not-a-number', '{-1800000000}', E'[[-1800000000, "\\"\\""]]', '2026-11-22 08:44:01.816103+00'),
  ('4', '2026-11-22 03:00:00+00', 'saw-1', 'oil.state', 'text-number', '{-1800000000}', E'[[-1800000000, "\\"42\\""]]', '2026-11-22 08:44:06.882373+00'),
  ('7', '2026-11-22 05:00:00+00', '00000000-0000-4000-8000-00000000000b', 'running', 'boolean', '{-1800000000}', '[[-1800000000, "true"]]', '2026-11-22 08:43:58.553796+00'),
  ('7', '2026-11-22 06:00:00+00', '00000000-0000-4000-8000-00000000000b', 'running', 'boolean', '{-1800000000}', '[[-1800000000, "true"]]', '2026-11-22 08:43:58.553796+00'),
  ('7', '2026-11-22 07:00:00+00', '00000000-0000-4000-8000-00000000000b', 'running', 'boolean', '{-1800000000}', '[[-1800000000, "false"]]', '2026-11-22 08:43:58.447835+00'),
  ('7', '2026-11-22 08:00:00+00', '00000000-0000-4000-8000-00000000000b', 'running', 'boolean', '{-1800000000}', '[[-1800000000, "true"]]', '2026-11-22 08:43:58.323058+00');
insert into event_epoch (epoch) values
  ('2ac17f41');
insert into work (kind, id, source_id, due_at, sent_at, asked, claimed_by, failures, ended_at, well_at) values
  ('history', '3', '2', '2026-11-22 08:44:07.900106+00', NULL, 'false', NULL, '0', NULL, NULL),
  ('history', '4', '2', '2026-11-22 08:44:08.934191+00', NULL, 'false', NULL, '0', NULL, NULL),
  ('history', '5', '3', '2026-11-22 08:44:47.914506+00', NULL, 'false', 'a1293de8-b46f-4708-b2b6-f29e6f73a695', '0', NULL, NULL),
  ('history', '6', '3', '2026-11-22 08:44:47.914506+00', NULL, 'false', 'a1293de8-b46f-4708-b2b6-f29e6f73a695', '0', NULL, NULL),
  ('look', '1', '1', '2026-11-22 09:44:11.369098+00', NULL, 'false', NULL, '0', NULL, NULL),
  ('look', '2', '2', '2026-11-22 09:43:35.246248+00', NULL, 'false', NULL, '0', NULL, NULL),
  ('look', '3', '3', '2026-11-22 09:43:57.32088+00', NULL, 'false', NULL, '0', NULL, NULL),
  ('look', '4', '4', '2026-11-22 09:43:58.298769+00', NULL, 'false', NULL, '0', NULL, NULL),
  ('poll', '1', '1', '2026-11-22 08:44:19.628963+00', NULL, 'false', NULL, '0', '2026-11-22 08:44:17.803388+00', '2026-11-22 08:44:17.803388+00'),
  ('poll', '2', '2', '2026-11-22 08:43:53.400592+00', NULL, 'false', NULL, '0', '2026-11-22 08:43:53.615151+00', '2026-11-22 08:43:53.615151+00'),
  ('poll', '3', '3', '2026-11-22 08:44:19.403434+00', NULL, 'false', NULL, '0', '2026-11-22 08:44:18.053532+00', '2026-11-22 08:44:18.053532+00'),
  ('poll', '4', '4', '2026-11-22 08:44:07.924842+00', NULL, 'false', NULL, '0', '2026-11-22 08:44:06.320479+00', '2026-11-22 08:44:04.222517+00');
alter table source enable trigger user;
alter table backfill enable trigger user;
alter table audit enable trigger user;
