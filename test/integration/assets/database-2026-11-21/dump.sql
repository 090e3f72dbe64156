-- Written by the bridge of 2026-11-21 (migrations 0001 to 0005), see README.md.

-- 0001_foundation.sql
-- Instants travel as whole microseconds since 1970; these two are the only places where they meet timestamptz.
create function at_instant(us bigint) returns timestamptz language sql immutable strict parallel safe
  return timestamptz 'epoch' + us * interval '1 microsecond';
create function instant_of(at timestamptz) returns bigint language sql immutable strict parallel safe
  return (extract(epoch from at) * 1000000)::bigint;
create function instants_of(ranges tstzmultirange) returns jsonb language sql stable strict parallel safe
  return (select coalesce(jsonb_agg(jsonb_build_array(instant_of(lower(r)), instant_of(upper(r))) order by r), '[]')
          from unnest(ranges) r);

-- How much of a range a set of ranges covers, 0..1.
create function share_of(whole tstzrange, ranges tstzmultirange) returns double precision language sql stable strict parallel safe
  return (select coalesce(sum(extract(epoch from upper(r) - lower(r))), 0) / extract(epoch from upper(whole) - lower(whole))
          from unnest(ranges * tstzmultirange(whole)) r);

create table organisation (
  id text primary key,
  name text not null,
  created_at timestamptz not null default now()
);

create table ml_project (
  id integer generated always as identity primary key,
  organisation_id text not null references organisation,
  code text not null,
  name text not null,
  created_at timestamptz not null default now(),
  unique (organisation_id, code)
);

-- Every process that works shows that it lives; what a silent one had claimed is free again.
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
  -- What the operator wrote; secrets are sealed (JWE) or references to the environment.
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
  -- Nothing is asked before this instant: breaker or a platform's own wish.
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
  -- Set while catch-up, gap repair or a backfill has something to ask; NULL when history is complete.
  history_due_at timestamptz,
  history_claimed_by uuid,
  retired_at timestamptz,
  -- A window of this stream cannot be read while those of others can: it alone waits.
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

-- Labels are few and readings many, so a reading names its set of labels by number. Unique by hash: 32 labels of 128
-- characters are longer than a B-tree takes.
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
  -- Asked again although covered: progress is then counted apart, in backfill_stream.
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

-- One row a window asked, by day; hourly sums per source stay when the days are dropped.
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
  -- SHA-256. A rotation keeps the one before for a while, so at most two secrets are ever valid.
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
  -- JWK, sealed; null once nothing will be signed with it any more.
  private_key text,
  created_at timestamptz not null default now(),
  -- Published before this instant, so that whoever verifies knows it in time.
  signs_from timestamptz not null,
  signs_until timestamptz
);

-- A family is what follows from one creation of a token: each renewal adds a generation, and one generation is unused.
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
  -- Gives, together with the token itself (which is not stored), the next one; null when the grace time is over.
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
  -- The project code over there.
  code text not null,
  application_id text not null,
  -- JWE, or a reference to the environment.
  secret text not null,
  -- Readings the outbox may hold before the project's sources are left alone.
  most_waiting bigint not null check (most_waiting > 0),
  state text not null default 'active' check (state in ('active', 'stopped')),
  -- Raised with every change by an operator.
  revision integer not null default 1,
  -- Readings a body may hold there, as learned from refusals of larger ones.
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

-- Readings that are stored here and not yet there, in the order in which they were stored. A row holds those of one
-- window or push as columns.
create table outbox (
  id bigint generated always as identity primary key,
  -- No foreign key: projects are never removed, and each window would lock the row of its project.
  project_id integer not null,
  -- Null for what a client pushed.
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
-- They live for moments: compressing them would cost more than it saves.
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

-- A reading that was taken here and refused there is a refusal of its project, and of its stream where it was pulled.
alter table refusal alter stream_id drop not null,
  add project_id integer references ml_project,
  drop constraint refusal_stream_id_sensor_variable_at_reason_key,
  add unique nulls not distinct (stream_id, project_id, sensor, variable, at, reason),
  add check (stream_id is not null or project_id is not null);
create index refusal_project on refusal (project_id, noted_at) where project_id is not null;

-- 0004_series_name.sql
-- Which variable of a source a name was given to first. Without it two variables that would become one series could
-- take turns in it, with every process that starts.
create table series_name (
  source_id integer not null references source on delete cascade,
  sensor_id text not null,
  value_name text not null,
  -- JSON: sensor and variable as the platform calls them.
  holder text not null,
  primary key (source_id, sensor_id, value_name)
);

-- 0005_caught_up.sql
-- Where a run of history ended: what lies before was asked again for late data, so the run that goes on from here need not.
alter table stream add column caught_up_to timestamptz;

create table migration (id serial primary key, name varchar(255) not null, run_on timestamp not null);
create table reading_2026_11 (like reading including defaults including constraints including indexes);
alter table reading attach partition reading_2026_11 FOR VALUES FROM ('2026-11-01 00:00:00+00') TO ('2026-12-01 00:00:00+00');
create table window_log_2026_11_22 (like window_log including defaults including constraints including indexes);
alter table window_log attach partition window_log_2026_11_22 FOR VALUES FROM ('2026-11-22 00:00:00+00') TO ('2026-11-23 00:00:00+00');

insert into organisation (id, name, created_at) values
('default','Default organisation','2026-11-22 08:43:26.852048+00'),
('acme','Acme','2026-11-22 08:43:26.918441+00');

insert into ml_project (id, organisation_id, code, name, created_at) overriding system value values
('1','default','press-shop','Press shop','2026-11-22 08:43:27.646704+00'),
('2','acme','kiln','kiln','2026-11-22 08:43:28.41776+00');
select setval(pg_get_serial_sequence('ml_project', 'id'), (select max(id) from ml_project));

insert into worker (id, host, pid, version, started_at, beat_at) values
('a1293de8-b46f-4708-b2b6-f29e6f73a695','a-host','21308','0.1.0','2026-11-22 08:43:31.767082+00','2026-11-22 08:44:17.311428+00');

insert into heartbeat (name, beat_at) values
('planner','2026-11-22 08:44:18.174761+00');

insert into source (id, name, project_id, kind, platform, config, revision, state, start_at, every_us, phase_us, settle_us, next_due_at, discovered_at, claimed_by, failures, held_until, last_poll_at, last_success_at, last_fault, created_at, updated_at) overriding system value values
('2','west','2','user-credentials','influxdb','{"kind": "user-credentials", "name": "west", "pace": {"burst": 1, "concurrency": 1, "requestsPerSecond": 1}, "options": {"database": "plant", "sensorTag": "machine"}, "project": "kiln", "platform": "influxdb", "schedule": {"every": "1s", "start": "2026-11-22T00:00:00Z", "settle": "5s", "catchUp": "oldest", "overlap": "0s", "maxWindow": "30m"}, "connection": {"url": "http://west.invalid", "password": {"$sealed": "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..n41PG7jdZlcSZldP.XqXnAelt9wUO7M2qoh2Gag_dS4tFNgk4oQ.7rMggvotDo1fGaZzCFe2zQ"}, "username": "bridge@plant.test"}, "organisation": "acme"}','1','paused','2026-11-22 00:00:00+00','1000000','400592','5000000','2026-11-22 08:43:53.400592+00','2026-11-22 08:43:35.246248+00',null,'0',null,'2026-11-22 08:43:53.615151+00','2026-11-22 08:43:53.615151+00',null,'2026-11-22 08:43:34.671844+00','2026-11-22 08:43:34.683247+00'),
('1','north','1','user-credentials','influxdb','{"kind": "user-credentials", "name": "north", "pace": {"burst": 10, "concurrency": 2, "requestsPerSecond": 50}, "mapping": {"labels": ["north"]}, "options": {"database": "plant", "sensorTag": "machine"}, "project": "press-shop", "platform": "influxdb", "schedule": {"every": "2s", "start": "5h", "settle": "5s", "overlap": "1m"}, "connection": {"url": "http://north.invalid", "password": {"$sealed": "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..4jpRqfr5LkeIm0HT.G4vFAmbMyIWnH01tuJwGs72bgYgiGn_KXQ.rEo25c3PGLibSs6QJcyAzQ"}, "username": "bridge@plant.test"}}','2','active','2026-11-22 03:43:33+00','2000000','1628963','5000000','2026-11-22 08:44:19.628963+00','2026-11-22 08:44:11.369098+00',null,'0',null,'2026-11-22 08:44:17.803388+00','2026-11-22 08:44:17.803388+00',null,'2026-11-22 08:43:33.147033+00','2026-11-22 08:44:11.114097+00'),
('3','south','2','user-credentials','thingsboard','{"kind": "user-credentials", "name": "south", "pace": {"burst": 1, "concurrency": 1, "requestsPerSecond": 2}, "mapping": {"labels": ["south"], "booleans": "number"}, "project": "kiln", "platform": "thingsboard", "schedule": {"every": "2s", "start": "3h", "settle": "5s", "overlap": "1m", "maxWindow": "2h"}, "connection": {"url": "http://south.invalid", "password": {"$sealed": "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..D0xhB-NS3VjrAvZR.16_mzYT48ZkyUbdjllssZ1JiNNdTIrcs9g.I3WtVC4YWs87J4Hn1COiRg"}, "username": "bridge@plant.test"}, "organisation": "acme"}','1','active','2026-11-22 05:43:55+00','2000000','1403434','5000000','2026-11-22 08:44:19.403434+00','2026-11-22 08:43:57.32088+00',null,'0',null,'2026-11-22 08:44:18.053532+00','2026-11-22 08:44:18.053532+00',null,'2026-11-22 08:43:55.118948+00','2026-11-22 08:43:55.125031+00'),
('4','east','1','user-credentials','thingsboard','{"kind": "user-credentials", "name": "east", "pace": {"burst": 10, "concurrency": 2, "requestsPerSecond": 50}, "project": "press-shop", "platform": "thingsboard", "schedule": {"every": "2s", "start": "4h", "settle": "5s", "overlap": "1m"}, "connection": {"url": "http://east.invalid", "password": {"$sealed": "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..Pld2QaJKooA6W9_f.1R5mpA0_eQAjy1MnMtE9Mnfrq04exvKUPw.J_62RXaSBBhAW-_kZzJolQ"}, "username": "bridge@plant.test"}}','1','stopped','2026-11-22 04:43:58+00','2000000','1924842','5000000','2026-11-22 08:44:07.924842+00','2026-11-22 08:43:58.298769+00',null,'1',null,'2026-11-22 08:44:06.320479+00','2026-11-22 08:44:04.222517+00','{"at": "2026-11-22T08:44:06.307862Z", "code": "credentials-rejected", "lane": "live", "right": false, "where": "00000000-0000-4000-8000-00000000000b 2026-11-22T08:42:44Z/2026-11-22T08:44:01Z", "remedy": "Check user name and password by hand in the web page of the server; the user must be activated and not locked.", "message": "ThingsBoard refused the login: Authentication failed (401/10)"}','2026-11-22 08:43:58.002367+00','2026-11-22 08:43:58.013505+00');
select setval(pg_get_serial_sequence('source', 'id'), (select max(id) from source));

insert into stream (id, source_id, key, selection, sensors, covered, learned, history_due_at, history_claimed_by, retired_at, failures, retry_at, last_fault, created_at, caught_up_to) overriding system value values
('7','4','00000000-0000-4000-8000-00000000000b','{"group": "00000000-0000-4000-8000-00000000000b", "sensors": ["00000000-0000-4000-8000-00000000000b"], "variables": ["flow", "temperature", "running"]}','[{"id": "00000000-0000-4000-8000-00000000000b", "name": "pump-11", "group": "00000000-0000-4000-8000-00000000000b", "variables": ["flow", "temperature", "running"]}]','{["2026-11-22 04:43:58+00","2026-11-22 08:43:59+00")}','{"length": 5400000000}',null,null,null,'0',null,null,'2026-11-22 08:43:58.298769+00',null),
('3','2','motor','{"group": "motor"}','[{"id": "saw-1", "group": "motor", "variables": ["motor.current", "motor.running", "motor.speed"]}]','{["2026-11-22 00:00:00+00","2026-11-22 04:30:00+00"),["2026-11-22 08:13:30+00","2026-11-22 08:43:46+00")}','{"length": 1800000000}','2026-11-22 08:44:07.900106+00',null,null,'0',null,null,'2026-11-22 08:43:35.246248+00','2026-11-22 04:30:00+00'),
('2','1','oil','{"group": "oil"}','[{"id": "press-1", "group": "oil", "variables": ["oil.state", "oil.temperature"]}, {"id": "press-2", "group": "oil", "variables": ["oil.state", "oil.temperature"]}]','{["2026-11-22 03:43:33+00","2026-11-22 08:44:12+00")}','{"length": 3600000000}',null,null,null,'0',null,null,'2026-11-22 08:43:33.593757+00',null),
('4','2','oil','{"group": "oil"}','[{"id": "saw-1", "group": "oil", "variables": ["oil.state", "oil.temperature"]}]','{["2026-11-22 00:00:00+00","2026-11-22 04:00:00+00"),["2026-11-22 08:13:31+00","2026-11-22 08:43:47+00")}','{"length": 1800000000}','2026-11-22 08:44:08.934191+00',null,null,'0',null,null,'2026-11-22 08:43:35.246248+00','2026-11-22 04:00:00+00'),
('6','3','00000000-0000-4000-8000-000000000002','{"group": "00000000-0000-4000-8000-000000000002", "sensors": ["00000000-0000-4000-8000-000000000002"], "variables": ["flow", "temperature", "running"]}','[{"id": "00000000-0000-4000-8000-000000000002", "name": "pump-2", "group": "00000000-0000-4000-8000-000000000002", "variables": ["flow", "temperature", "running"]}]','{["2026-11-20 00:00:00+00","2026-11-20 02:00:00+00"),["2026-11-22 03:00:00+00","2026-11-22 05:00:00+00"),["2026-11-22 05:43:55+00","2026-11-22 08:44:12+00")}','{"length": 7200000000}','2026-11-22 08:44:47.914506+00','a1293de8-b46f-4708-b2b6-f29e6f73a695',null,'0',null,null,'2026-11-22 08:43:57.32088+00',null),
('5','3','00000000-0000-4000-8000-000000000001','{"group": "00000000-0000-4000-8000-000000000001", "sensors": ["00000000-0000-4000-8000-000000000001"], "variables": ["flow", "temperature", "running"]}','[{"id": "00000000-0000-4000-8000-000000000001", "name": "pump-1", "group": "00000000-0000-4000-8000-000000000001", "variables": ["flow", "temperature", "running"]}]','{["2026-11-22 03:00:00+00","2026-11-22 05:00:00+00"),["2026-11-22 05:43:55+00","2026-11-22 08:44:12+00")}','{"length": 7200000000}','2026-11-22 08:44:47.914506+00','a1293de8-b46f-4708-b2b6-f29e6f73a695',null,'0',null,null,'2026-11-22 08:43:57.32088+00',null),
('1','1','motor','{"group": "motor"}','[{"id": "press-1", "group": "motor", "variables": ["motor.current", "motor.running", "motor.speed"]}, {"id": "press-2", "group": "motor", "variables": ["motor.current", "motor.running", "motor.speed"]}]','{["2026-11-22 03:43:33+00","2026-11-22 08:44:12+00")}','{"length": 3600000000}',null,null,null,'0',null,null,'2026-11-22 08:43:33.593757+00',null);
select setval(pg_get_serial_sequence('stream', 'id'), (select max(id) from stream));

insert into pace (source_id, version, state) values
('2','69','{"next": 1795337049896034, "leases": [], "holdUntil": 0}'),
('1','108','{"next": 1795337057785230, "leases": [], "holdUntil": 0}'),
('3','68','{"next": 1795337059054466, "leases": [], "holdUntil": 0}'),
('4','26','{"next": 1795337046304208, "leases": [], "holdUntil": 0}');

insert into token (source_id, version, sealed, replacing_until) values
('3','1','eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..CEwEvX37GBQ0LmMt.vBFTwfVqDK8ygX0tglPEK5tNJ0Ff1xwiYCsGSFFPLI2FhZp5TyT7gEteflFcapTSY55QOG2zgkm6t7wXnwxAHh8Qday28Tuw7ICtkPYC6o73RJjiEb7jtH3-oKjKgbjEaBC2EPrxCDWg5MljAab3wTHqE96zHn3y_9gBcIdU-9kC0QUD6ZuaH1HcLtVnCNaUCBJjkBUiwwFRILrLyE7MomTYF_lll29YkPJWqgurwervc0c1EuCqydatWLX0qMDEQP061w4xokp4j56sJkUmRSqqefOfvh8Dco2Fdtgf_fMuB_DV-cByAgxlWq1Jbgo2FtZT-VX65KJGn7NkgIOe9YuKoJoBk8Shkmuy6Pdj_0SNK4P6lrXhTakvDMaxzJ6J6av6ciEwo8BKlfyrsE-SiQ33l0JjEsxsXOKtS89AZYyyhVrgGYa_ayKiwVzEP0zrTLxP1bmPcs6XlAR5qSePqgB5cmHFa5iL5KuBqBJZl2dxWirap0L3V2iQ_R3E8IYnORg7uoyPPQVQRwqyV9ApfSWnMSwsRLxauzH1Y1_A8pdrLLZ20AvKylMpmPF8qrVrrlk7DIjun1UrUqVBfoepHb86S52M3AqKQCeyEP_oYQZ90kvJb1EUI9N-xdK3xaeoDWR3kFzm3k1rc3xC-APiSmR_RQ5Jd4bhjE_M2sxBgm6vgGUB6NnwDrn9A1hpt0-Jjd8Ui5xOdcyNXzudx9_OevoS-SZlqpRMDy-D-4b5_D58QWTBXv-p43HWwQcWK5NBkg6wYvkYojgmwzE8-Xt692aHVipR8h2anaLmO4PfBLNApnZn1u90TkH1OR3bnvKGL2dqR98ND9nA8mahvQ68P28HqNr95Q.W75eyMVo-fV9t22MAdA7WA',null),
('4','1','eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..tRTn0cQK73R1ffVt.nnMD6EOkl6Htp6VQ5neuwVUR9Sam4QMeXXgXaBPkP21M9Gx8aJsNxwb8yfFUo-Qv2UuBecEbIRx7iNQuJCoyf63Tdj25cZ-E8m1D25lNCUt9fDm8IHEhj3xi_ggdODirKCUuFkx8IstB-ezHVrgZb83x8e_niRyzAGKao_iRdPvFZwZBz9dSOxUl1Sun4EcPeYrstVOBuzurTXCnI_dZ-EmlAHC454O8mvinineZwoWtWi6BSr5vl1qzZCAW6eb0nlhEjH7Fd1_biyzcV60QUak8GHaZ-CSJ7x_xGHZOIvVfoto9BR9ut7ZcTwmuqbnDRWpGkWxH8L3sJYQ_h9M9H54aEQ4tFsmEadamTOpoN5FaByHC0gSebowQKtn3CGbmeIhM5Sb7Y4ZkZQmuUeFbZhQD4TCaLX8qmHpTl7nwySM7TclDehcTMN83OFKTyZ8t0Vs47eBCG4Kfm0k53W4rySlicRqmqRAitZmsr64gbq__QtE1RpiFRve9JjBqKPe0-q4yj_DDh6xkzN8c8dbCM3N1T_vdogjwZ5ALndD69xJEHSKPuzFrZKp4eQnUsEnaKOSOIq2_MIvKY-nO3mSQPz9hWX5VqWW9Jk3fbr48hkXiSg2uMg8u3wefyBHcTdJTwMZYLlQC3i6uF63o-OHJaAbWyIxHiu4LuND5CBCjJukgOWWLucotiddSfV1KsFqTvlpUYPdI-4Yfx4ElCuVoXjLKECHhn6S0vUANJDKlyMUYu0cDtcaQBzxJVdve_ovMZlHsJJe-0A7iZIeJOvDeByGt4M7Z5zNEAHulU9huK17ZgfPrpVQHNcxKLP3KMhNPaZsdAl64he8YibNPGSPpHxpHLUJbtw.xhVGFykNf10zSg1XTI4nKw','2026-11-22 08:45:06.257998+00');

insert into series (id, project_id, sensor_id, value_name, created_at) overriding system value values
('1','1','press-1','oil_temperature','2026-11-22 08:43:33.781981+00'),
('2','1','press-2','oil_temperature','2026-11-22 08:43:33.781981+00'),
('3','1','press-1','motor_current','2026-11-22 08:43:33.785055+00'),
('4','1','press-1','motor_speed','2026-11-22 08:43:33.785055+00'),
('5','1','press-2','motor_current','2026-11-22 08:43:33.785055+00'),
('6','1','press-2','motor_speed','2026-11-22 08:43:33.785055+00'),
('7','2','saw-1','motor_current','2026-11-22 08:43:36.254749+00'),
('8','2','saw-1','motor_speed','2026-11-22 08:43:36.254749+00'),
('9','2','saw-1','oil_temperature','2026-11-22 08:43:37.26633+00'),
('10','2','00000000-0000-4000-8000-000000000001','flow','2026-11-22 08:43:57.844623+00'),
('11','2','00000000-0000-4000-8000-000000000001','running','2026-11-22 08:43:57.844623+00'),
('12','2','00000000-0000-4000-8000-000000000001','temperature','2026-11-22 08:43:57.844623+00'),
('13','1','00000000-0000-4000-8000-00000000000b','flow','2026-11-22 08:43:58.31967+00'),
('14','1','00000000-0000-4000-8000-00000000000b','temperature','2026-11-22 08:43:58.31967+00'),
('15','2','00000000-0000-4000-8000-000000000002','flow','2026-11-22 08:43:58.330117+00'),
('16','2','00000000-0000-4000-8000-000000000002','running','2026-11-22 08:43:58.330117+00'),
('17','2','00000000-0000-4000-8000-000000000002','temperature','2026-11-22 08:43:58.330117+00'),
('18','1','gateway-7','power','2026-11-22 08:44:06.627534+00');
select setval(pg_get_serial_sequence('series', 'id'), (select max(id) from series));

insert into label_set (id, labels) overriding system value values
('1','{south}'),
('2','{pushed}');
select setval(pg_get_serial_sequence('label_set', 'id'), (select max(id) from label_set));

insert into reading (series, at, value, precision, labels) values
('1','2026-11-22 07:50:00+00','13.638',null,null),
('1','2026-11-22 08:00:00+00','-52.429',null,null),
('1','2026-11-22 08:10:00+00','-31.824',null,null),
('1','2026-11-22 08:20:00+00','60.632',null,null),
('1','2026-11-22 08:30:00+00','-29.382',null,null),
('1','2026-11-22 08:40:00+00','-99.299',null,null),
('2','2026-11-22 07:50:00+00','61.227',null,null),
('2','2026-11-22 08:00:00+00','-46.028',null,null),
('2','2026-11-22 08:10:00+00','1.669',null,null),
('2','2026-11-22 08:20:00+00','0',null,null),
('2','2026-11-22 08:30:00+00','-77.47',null,null),
('2','2026-11-22 08:40:00+00','0',null,null),
('3','2026-11-22 07:45:00+00','47.714',null,null),
('3','2026-11-22 07:50:00+00','17.664',null,null),
('3','2026-11-22 07:55:00+00','30.711',null,null),
('3','2026-11-22 08:00:00+00','-25.439',null,null),
('3','2026-11-22 08:05:00+00','34.405',null,null),
('3','2026-11-22 08:10:00+00','84.584',null,null),
('3','2026-11-22 08:15:00+00','67.725',null,null),
('3','2026-11-22 08:20:00+00','-16.512',null,null),
('3','2026-11-22 08:25:00+00','-82.676',null,null),
('3','2026-11-22 08:30:00+00','10.803',null,null),
('3','2026-11-22 08:35:00+00','0',null,null),
('3','2026-11-22 08:40:00+00','51.937',null,null),
('4','2026-11-22 07:45:00+00','0',null,null),
('4','2026-11-22 07:50:00+00','81.611',null,null),
('4','2026-11-22 07:55:00+00','20.759',null,null),
('4','2026-11-22 08:00:00+00','68.904',null,null),
('4','2026-11-22 08:05:00+00','-68.617',null,null),
('4','2026-11-22 08:10:00+00','21.137',null,null),
('4','2026-11-22 08:15:00+00','-56.038',null,null),
('4','2026-11-22 08:20:00+00','0',null,null),
('4','2026-11-22 08:25:00+00','-2.241',null,null),
('4','2026-11-22 08:30:00+00','26.247',null,null),
('4','2026-11-22 08:35:00+00','0',null,null),
('4','2026-11-22 08:40:00+00','-4.67',null,null),
('5','2026-11-22 07:45:00+00','3.301',null,null),
('5','2026-11-22 07:50:00+00','62.598',null,null),
('5','2026-11-22 07:55:00+00','17.366',null,null),
('5','2026-11-22 08:00:00+00','-43.362',null,null),
('5','2026-11-22 08:05:00+00','-88.563',null,null),
('5','2026-11-22 08:10:00+00','-22.223',null,null),
('5','2026-11-22 08:15:00+00','81.168',null,null),
('5','2026-11-22 08:20:00+00','14.106',null,null),
('5','2026-11-22 08:25:00+00','-93.233',null,null),
('5','2026-11-22 08:30:00+00','0',null,null),
('5','2026-11-22 08:35:00+00','39.368',null,null),
('5','2026-11-22 08:40:00+00','0',null,null),
('6','2026-11-22 07:45:00+00','52.194',null,null),
('6','2026-11-22 07:50:00+00','0',null,null),
('6','2026-11-22 07:55:00+00','38.571',null,null),
('6','2026-11-22 08:00:00+00','-80.084',null,null),
('6','2026-11-22 08:05:00+00','-80.169',null,null),
('6','2026-11-22 08:10:00+00','49.106',null,null),
('6','2026-11-22 08:15:00+00','35.173',null,null),
('6','2026-11-22 08:20:00+00','0',null,null),
('6','2026-11-22 08:25:00+00','-70.881',null,null),
('6','2026-11-22 08:30:00+00','-60.759',null,null),
('6','2026-11-22 08:35:00+00','-69.346',null,null),
('6','2026-11-22 08:40:00+00','-69.399',null,null),
('1','2026-11-22 06:20:00+00','54.664',null,null),
('1','2026-11-22 06:30:00+00','-37.335',null,null),
('1','2026-11-22 06:40:00+00','94.947',null,null),
('1','2026-11-22 06:50:00+00','0',null,null),
('1','2026-11-22 07:00:00+00','31.51',null,null),
('1','2026-11-22 07:10:00+00','49.472',null,null),
('1','2026-11-22 07:20:00+00','-99.094',null,null),
('1','2026-11-22 07:30:00+00','-29.798',null,null),
('1','2026-11-22 07:40:00+00','-96.754',null,null),
('2','2026-11-22 06:20:00+00','20.88',null,null),
('2','2026-11-22 06:30:00+00','-46.121',null,null),
('2','2026-11-22 06:40:00+00','-84.781',null,null),
('2','2026-11-22 06:50:00+00','75.168',null,null),
('2','2026-11-22 07:00:00+00','-8.67',null,null),
('2','2026-11-22 07:10:00+00','55.148',null,null),
('2','2026-11-22 07:20:00+00','-11.013',null,null),
('2','2026-11-22 07:30:00+00','0',null,null),
('2','2026-11-22 07:40:00+00','-74.944',null,null),
('1','2026-11-22 04:00:00+00','-39.26',null,null),
('1','2026-11-22 04:10:00+00','2.006',null,null),
('1','2026-11-22 04:20:00+00','-78.266',null,null),
('1','2026-11-22 04:30:00+00','-28.589',null,null),
('1','2026-11-22 04:40:00+00','-78.68',null,null),
('2','2026-11-22 04:00:00+00','-68.475',null,null),
('2','2026-11-22 04:10:00+00','3.848',null,null),
('2','2026-11-22 04:20:00+00','-11.568',null,null),
('2','2026-11-22 04:30:00+00','0.17',null,null),
('2','2026-11-22 04:40:00+00','-59.122',null,null),
('1','2026-11-22 04:50:00+00','-45.097',null,null),
('1','2026-11-22 05:00:00+00','0',null,null),
('1','2026-11-22 05:10:00+00','-87.557',null,null),
('1','2026-11-22 05:20:00+00','-80.781',null,null),
('1','2026-11-22 05:30:00+00','0',null,null),
('1','2026-11-22 05:40:00+00','-74.824',null,null),
('1','2026-11-22 05:50:00+00','0',null,null),
('1','2026-11-22 06:00:00+00','98.232',null,null),
('1','2026-11-22 06:10:00+00','74.047',null,null),
('2','2026-11-22 04:50:00+00','-78.977',null,null),
('2','2026-11-22 05:00:00+00','85.948',null,null),
('2','2026-11-22 05:10:00+00','27.453',null,null),
('2','2026-11-22 05:20:00+00','0',null,null),
('2','2026-11-22 05:30:00+00','0',null,null),
('2','2026-11-22 05:40:00+00','62.391',null,null),
('2','2026-11-22 05:50:00+00','-20.008',null,null),
('2','2026-11-22 06:00:00+00','-99.841',null,null),
('2','2026-11-22 06:10:00+00','82.045',null,null),
('3','2026-11-22 06:15:00+00','-64.96',null,null),
('3','2026-11-22 06:20:00+00','-59.194',null,null),
('3','2026-11-22 06:25:00+00','-73.59',null,null),
('3','2026-11-22 06:30:00+00','-55.177',null,null),
('3','2026-11-22 06:35:00+00','19.421',null,null),
('3','2026-11-22 06:40:00+00','54.554',null,null),
('3','2026-11-22 06:45:00+00','-14.046',null,null),
('3','2026-11-22 06:50:00+00','-63.42',null,null),
('3','2026-11-22 06:55:00+00','7.203',null,null),
('3','2026-11-22 07:00:00+00','-4.671',null,null),
('3','2026-11-22 07:05:00+00','-69.601',null,null),
('3','2026-11-22 07:10:00+00','-6.919',null,null),
('3','2026-11-22 07:15:00+00','0',null,null),
('3','2026-11-22 07:20:00+00','0',null,null),
('3','2026-11-22 07:25:00+00','-41.99',null,null),
('3','2026-11-22 07:30:00+00','18.091',null,null),
('3','2026-11-22 07:35:00+00','-32.91',null,null),
('3','2026-11-22 07:40:00+00','-73.105',null,null),
('4','2026-11-22 06:15:00+00','51.387',null,null),
('4','2026-11-22 06:20:00+00','58.708',null,null),
('4','2026-11-22 06:25:00+00','-64.833',null,null),
('4','2026-11-22 06:30:00+00','-70.79',null,null),
('4','2026-11-22 06:35:00+00','44.415',null,null),
('4','2026-11-22 06:40:00+00','62.355',null,null),
('4','2026-11-22 06:45:00+00','41.337',null,null),
('4','2026-11-22 06:50:00+00','33.169',null,null),
('4','2026-11-22 06:55:00+00','0',null,null),
('4','2026-11-22 07:00:00+00','-31.493',null,null),
('4','2026-11-22 07:05:00+00','55.646',null,null),
('4','2026-11-22 07:10:00+00','-42.773',null,null),
('4','2026-11-22 07:15:00+00','-19.601',null,null),
('4','2026-11-22 07:20:00+00','-71.956',null,null),
('4','2026-11-22 07:25:00+00','27.555',null,null),
('4','2026-11-22 07:30:00+00','-26.285',null,null),
('4','2026-11-22 07:35:00+00','33.98',null,null),
('4','2026-11-22 07:40:00+00','0',null,null),
('5','2026-11-22 06:15:00+00','0',null,null),
('5','2026-11-22 06:20:00+00','-75.706',null,null),
('5','2026-11-22 06:25:00+00','0',null,null),
('5','2026-11-22 06:30:00+00','-49.943',null,null),
('5','2026-11-22 06:35:00+00','-16.268',null,null),
('5','2026-11-22 06:40:00+00','5.228',null,null),
('5','2026-11-22 06:45:00+00','-51.412',null,null),
('5','2026-11-22 06:50:00+00','-60.312',null,null),
('5','2026-11-22 06:55:00+00','0',null,null),
('5','2026-11-22 07:00:00+00','52.514',null,null),
('5','2026-11-22 07:05:00+00','3.294',null,null),
('5','2026-11-22 07:10:00+00','29.46',null,null),
('5','2026-11-22 07:15:00+00','-26.276',null,null),
('5','2026-11-22 07:20:00+00','-88.889',null,null),
('5','2026-11-22 07:25:00+00','0',null,null),
('5','2026-11-22 07:30:00+00','6.027',null,null),
('5','2026-11-22 07:35:00+00','-65.77',null,null),
('5','2026-11-22 07:40:00+00','0',null,null),
('6','2026-11-22 06:15:00+00','-99.419',null,null),
('6','2026-11-22 06:20:00+00','92.015',null,null),
('6','2026-11-22 06:25:00+00','-18.289',null,null),
('6','2026-11-22 06:30:00+00','0',null,null),
('6','2026-11-22 06:35:00+00','5.671',null,null),
('6','2026-11-22 06:40:00+00','38.544',null,null),
('6','2026-11-22 06:45:00+00','-50.401',null,null),
('6','2026-11-22 06:50:00+00','-39.976',null,null),
('6','2026-11-22 06:55:00+00','41.466',null,null),
('6','2026-11-22 07:00:00+00','-54.402',null,null),
('6','2026-11-22 07:05:00+00','-15.267',null,null),
('6','2026-11-22 07:10:00+00','60.553',null,null),
('6','2026-11-22 07:15:00+00','0',null,null),
('6','2026-11-22 07:20:00+00','0',null,null),
('6','2026-11-22 07:25:00+00','-91.617',null,null),
('6','2026-11-22 07:30:00+00','0',null,null),
('6','2026-11-22 07:35:00+00','-27.711',null,null),
('6','2026-11-22 07:40:00+00','-33.587',null,null),
('9','2026-11-22 08:20:00+00','-86.709',null,null),
('9','2026-11-22 08:30:00+00','49.233',null,null),
('9','2026-11-22 08:40:00+00','45.712',null,null),
('9','2026-11-22 00:00:00+00','95.474',null,null),
('9','2026-11-22 00:10:00+00','88.951',null,null),
('9','2026-11-22 00:20:00+00','-15.225',null,null),
('7','2026-11-22 00:30:00+00','52.919',null,null),
('7','2026-11-22 00:35:00+00','-97.574',null,null),
('7','2026-11-22 00:40:00+00','73.24',null,null),
('7','2026-11-22 00:45:00+00','-82.158',null,null),
('7','2026-11-22 00:50:00+00','73.813',null,null),
('7','2026-11-22 00:55:00+00','-77.854',null,null),
('8','2026-11-22 00:30:00+00','44.9',null,null),
('8','2026-11-22 00:35:00+00','-59.587',null,null),
('8','2026-11-22 00:40:00+00','-50.522',null,null),
('8','2026-11-22 00:45:00+00','0',null,null),
('8','2026-11-22 00:50:00+00','29.28',null,null),
('8','2026-11-22 00:55:00+00','47.392',null,null),
('7','2026-11-22 01:00:00+00','0',null,null),
('7','2026-11-22 01:05:00+00','25.343',null,null),
('7','2026-11-22 01:10:00+00','77.869',null,null),
('7','2026-11-22 01:15:00+00','-18.138',null,null),
('7','2026-11-22 01:20:00+00','-92.55',null,null),
('7','2026-11-22 01:25:00+00','-37.172',null,null),
('8','2026-11-22 01:00:00+00','59.191',null,null),
('8','2026-11-22 01:05:00+00','-19.357',null,null),
('8','2026-11-22 01:10:00+00','-51.663',null,null),
('8','2026-11-22 01:15:00+00','73.1',null,null),
('8','2026-11-22 01:20:00+00','3.797',null,null),
('8','2026-11-22 01:25:00+00','64.473',null,null),
('10','2026-11-22 07:50:00+00','0',null,'1'),
('10','2026-11-22 08:00:00+00','0',null,'1'),
('10','2026-11-22 08:10:00+00','91.305',null,'1'),
('10','2026-11-22 08:20:00+00','-54.892',null,'1'),
('10','2026-11-22 08:30:00+00','48.704',null,'1'),
('10','2026-11-22 08:40:00+00','-81.3',null,'1'),
('11','2026-11-22 08:00:00+00','1',null,'1'),
('12','2026-11-22 07:50:00+00','-76.959',null,'1'),
('12','2026-11-22 08:00:00+00','-86.893',null,'1'),
('12','2026-11-22 08:10:00+00','50.461',null,'1'),
('12','2026-11-22 08:20:00+00','19.635',null,'1'),
('12','2026-11-22 08:30:00+00','90.595',null,'1'),
('12','2026-11-22 08:40:00+00','-61.588',null,'1'),
('13','2026-11-22 07:50:00+00','-33.697',null,null),
('13','2026-11-22 08:00:00+00','-26.604',null,null),
('13','2026-11-22 08:10:00+00','65.058',null,null),
('13','2026-11-22 08:20:00+00','0',null,null),
('13','2026-11-22 08:30:00+00','89.302',null,null),
('13','2026-11-22 08:40:00+00','6.615',null,null),
('14','2026-11-22 07:50:00+00','-19.268',null,null),
('14','2026-11-22 08:00:00+00','39.269',null,null),
('14','2026-11-22 08:10:00+00','67.858',null,null),
('14','2026-11-22 08:20:00+00','0',null,null),
('14','2026-11-22 08:30:00+00','1.906',null,null),
('14','2026-11-22 08:40:00+00','30.821',null,null),
('13','2026-11-22 04:50:00+00','-4.885',null,null),
('13','2026-11-22 05:00:00+00','-86.177',null,null),
('13','2026-11-22 05:10:00+00','10.962',null,null),
('13','2026-11-22 05:20:00+00','0',null,null),
('13','2026-11-22 05:30:00+00','23.202',null,null),
('13','2026-11-22 05:40:00+00','-76.583',null,null),
('13','2026-11-22 05:50:00+00','0',null,null),
('13','2026-11-22 06:00:00+00','-19.604',null,null),
('13','2026-11-22 06:10:00+00','87.712',null,null),
('14','2026-11-22 04:50:00+00','0',null,null),
('14','2026-11-22 05:00:00+00','82.435',null,null),
('14','2026-11-22 05:10:00+00','-39.272',null,null),
('14','2026-11-22 05:20:00+00','51.004',null,null),
('14','2026-11-22 05:30:00+00','-17.247',null,null),
('14','2026-11-22 05:40:00+00','-87.49',null,null),
('14','2026-11-22 05:50:00+00','-67.187',null,null),
('14','2026-11-22 06:00:00+00','32.191',null,null),
('14','2026-11-22 06:10:00+00','-58.105',null,null),
('10','2026-11-22 06:20:00+00','-49.247',null,'1'),
('10','2026-11-22 06:30:00+00','-21.448',null,'1'),
('10','2026-11-22 06:40:00+00','62.801',null,'1'),
('10','2026-11-22 06:50:00+00','-49.392',null,'1'),
('10','2026-11-22 07:00:00+00','15.658',null,'1'),
('10','2026-11-22 07:10:00+00','-91.303',null,'1'),
('10','2026-11-22 07:20:00+00','-89.468',null,'1'),
('10','2026-11-22 07:30:00+00','60.211',null,'1'),
('10','2026-11-22 07:40:00+00','-44.445',null,'1'),
('11','2026-11-22 07:00:00+00','0',null,'1'),
('12','2026-11-22 06:20:00+00','70.624',null,'1'),
('12','2026-11-22 06:30:00+00','-4.644',null,'1'),
('12','2026-11-22 06:40:00+00','0',null,'1'),
('12','2026-11-22 06:50:00+00','75.857',null,'1'),
('12','2026-11-22 07:00:00+00','45.137',null,'1'),
('12','2026-11-22 07:10:00+00','-75.074',null,'1'),
('12','2026-11-22 07:20:00+00','-96.4',null,'1'),
('12','2026-11-22 07:30:00+00','95.605',null,'1'),
('12','2026-11-22 07:40:00+00','-0.764',null,'1'),
('9','2026-11-22 01:30:00+00','7.515',null,null),
('9','2026-11-22 01:40:00+00','-73.238',null,null),
('9','2026-11-22 01:50:00+00','-92.057',null,null),
('9','2026-11-22 02:30:00+00','3.095',null,null),
('9','2026-11-22 02:40:00+00','73.105',null,null),
('9','2026-11-22 02:50:00+00','38.167',null,null),
('18','2026-11-21 20:00:00+00','0','90','2'),
('18','2026-11-21 20:01:00+00','0.25','90','2'),
('18','2026-11-21 20:02:00+00','0.5','90','2'),
('18','2026-11-21 20:03:00+00','0.75','90','2'),
('18','2026-11-21 20:04:00+00','1','90','2'),
('18','2026-11-21 20:05:00+00','1.25','90','2'),
('18','2026-11-21 20:06:00+00','1.5','90','2'),
('18','2026-11-21 20:07:00+00','1.75','90','2'),
('18','2026-11-21 20:08:00+00','2','90','2'),
('18','2026-11-21 20:09:00+00','2.25','90','2'),
('18','2026-11-21 20:10:00+00','2.5','90','2'),
('18','2026-11-21 20:11:00+00','2.75','90','2'),
('18','2026-11-21 20:12:00+00','3','90','2'),
('18','2026-11-21 20:13:00+00','3.25','90','2'),
('18','2026-11-21 20:14:00+00','3.5','90','2'),
('18','2026-11-21 20:15:00+00','3.75','90','2'),
('18','2026-11-21 20:16:00+00','4','90','2'),
('18','2026-11-21 20:17:00+00','4.25','90','2'),
('18','2026-11-21 20:18:00+00','4.5','90','2'),
('18','2026-11-21 20:19:00+00','4.75','90','2'),
('18','2026-11-21 20:20:00+00','5','90','2'),
('18','2026-11-21 20:21:00+00','5.25','90','2'),
('18','2026-11-21 20:22:00+00','5.5','90','2'),
('18','2026-11-21 20:23:00+00','5.75','90','2'),
('18','2026-11-21 20:24:00+00','6','90','2'),
('18','2026-11-21 20:25:00+00','6.25','90','2'),
('18','2026-11-21 20:26:00+00','6.5','90','2'),
('18','2026-11-21 20:27:00+00','6.75','90','2'),
('3','2026-11-22 04:00:00+00','-75.071',null,null),
('3','2026-11-22 04:05:00+00','-6.9',null,null),
('3','2026-11-22 04:10:00+00','5.237',null,null),
('3','2026-11-22 04:15:00+00','-16.019',null,null),
('3','2026-11-22 04:20:00+00','-84.575',null,null),
('3','2026-11-22 04:25:00+00','55.017',null,null),
('3','2026-11-22 04:30:00+00','4.789',null,null),
('3','2026-11-22 04:35:00+00','97.517',null,null),
('3','2026-11-22 04:40:00+00','-22.401',null,null),
('4','2026-11-22 04:00:00+00','56.618',null,null),
('4','2026-11-22 04:05:00+00','-12.75',null,null),
('4','2026-11-22 04:10:00+00','-39.379',null,null),
('4','2026-11-22 04:15:00+00','0',null,null),
('4','2026-11-22 04:20:00+00','0',null,null),
('4','2026-11-22 04:25:00+00','71.163',null,null),
('4','2026-11-22 04:30:00+00','88.925',null,null),
('4','2026-11-22 04:35:00+00','95.634',null,null),
('4','2026-11-22 04:40:00+00','-37.368',null,null),
('5','2026-11-22 04:00:00+00','0',null,null),
('5','2026-11-22 04:05:00+00','0',null,null),
('5','2026-11-22 04:10:00+00','-55.073',null,null),
('5','2026-11-22 04:15:00+00','-65.958',null,null),
('5','2026-11-22 04:20:00+00','0',null,null),
('5','2026-11-22 04:25:00+00','4.518',null,null),
('5','2026-11-22 04:30:00+00','58.943',null,null),
('5','2026-11-22 04:35:00+00','9.718',null,null),
('5','2026-11-22 04:40:00+00','-41.966',null,null),
('6','2026-11-22 04:00:00+00','19.976',null,null),
('6','2026-11-22 04:05:00+00','79.516',null,null),
('6','2026-11-22 04:10:00+00','0',null,null),
('6','2026-11-22 04:15:00+00','-17.407',null,null),
('6','2026-11-22 04:20:00+00','-76.011',null,null),
('6','2026-11-22 04:25:00+00','0',null,null),
('6','2026-11-22 04:30:00+00','39.007',null,null),
('6','2026-11-22 04:35:00+00','-75.591',null,null),
('6','2026-11-22 04:40:00+00','90.478',null,null),
('3','2026-11-22 04:45:00+00','0',null,null),
('3','2026-11-22 04:50:00+00','-88.864',null,null),
('3','2026-11-22 04:55:00+00','0',null,null),
('3','2026-11-22 05:00:00+00','-70.402',null,null),
('3','2026-11-22 05:05:00+00','-23.612',null,null),
('3','2026-11-22 05:10:00+00','83.297',null,null),
('3','2026-11-22 05:15:00+00','0',null,null),
('3','2026-11-22 05:20:00+00','-40.549',null,null),
('3','2026-11-22 05:25:00+00','-90.37',null,null),
('3','2026-11-22 05:30:00+00','0',null,null),
('3','2026-11-22 05:35:00+00','-62.996',null,null),
('3','2026-11-22 05:40:00+00','41.132',null,null),
('3','2026-11-22 05:45:00+00','-28.566',null,null),
('3','2026-11-22 05:50:00+00','-50.159',null,null),
('3','2026-11-22 05:55:00+00','25.268',null,null),
('3','2026-11-22 06:00:00+00','57.688',null,null),
('3','2026-11-22 06:05:00+00','71.19',null,null),
('3','2026-11-22 06:10:00+00','-28.607',null,null),
('4','2026-11-22 04:45:00+00','-33.751',null,null),
('4','2026-11-22 04:50:00+00','-37.582',null,null),
('4','2026-11-22 04:55:00+00','-82.573',null,null),
('4','2026-11-22 05:00:00+00','-82.499',null,null),
('4','2026-11-22 05:05:00+00','-69.761',null,null),
('4','2026-11-22 05:10:00+00','-40.745',null,null),
('4','2026-11-22 05:15:00+00','0',null,null),
('4','2026-11-22 05:20:00+00','-42.844',null,null),
('4','2026-11-22 05:25:00+00','-82.11',null,null),
('4','2026-11-22 05:30:00+00','0',null,null),
('4','2026-11-22 05:35:00+00','14.767',null,null),
('4','2026-11-22 05:40:00+00','13.818',null,null),
('4','2026-11-22 05:45:00+00','-72.516',null,null),
('4','2026-11-22 05:50:00+00','42.196',null,null),
('4','2026-11-22 05:55:00+00','-1.318',null,null),
('4','2026-11-22 06:00:00+00','13.276',null,null),
('4','2026-11-22 06:05:00+00','17.305',null,null),
('4','2026-11-22 06:10:00+00','0',null,null),
('5','2026-11-22 04:45:00+00','76.006',null,null),
('5','2026-11-22 04:50:00+00','96.185',null,null),
('5','2026-11-22 04:55:00+00','-8.862',null,null),
('5','2026-11-22 05:00:00+00','-73.682',null,null),
('5','2026-11-22 05:05:00+00','2.813',null,null),
('5','2026-11-22 05:10:00+00','-59.512',null,null),
('5','2026-11-22 05:15:00+00','47.063',null,null),
('5','2026-11-22 05:20:00+00','-84.495',null,null),
('5','2026-11-22 05:25:00+00','-75.714',null,null),
('5','2026-11-22 05:30:00+00','-39.25',null,null),
('5','2026-11-22 05:35:00+00','-84.206',null,null),
('5','2026-11-22 05:40:00+00','35.164',null,null),
('5','2026-11-22 05:45:00+00','3.259',null,null),
('5','2026-11-22 05:50:00+00','-67.638',null,null),
('5','2026-11-22 05:55:00+00','7.107',null,null),
('5','2026-11-22 06:00:00+00','-67.796',null,null),
('5','2026-11-22 06:05:00+00','0',null,null),
('5','2026-11-22 06:10:00+00','9.965',null,null),
('6','2026-11-22 04:45:00+00','-50.382',null,null),
('6','2026-11-22 04:50:00+00','-93.848',null,null),
('6','2026-11-22 04:55:00+00','-19.244',null,null),
('6','2026-11-22 05:00:00+00','-18.571',null,null),
('6','2026-11-22 05:05:00+00','91.812',null,null),
('6','2026-11-22 05:10:00+00','-17.016',null,null),
('6','2026-11-22 05:15:00+00','-77.413',null,null),
('6','2026-11-22 05:20:00+00','-97.295',null,null),
('6','2026-11-22 05:25:00+00','56.549',null,null),
('6','2026-11-22 05:30:00+00','32.472',null,null),
('6','2026-11-22 05:35:00+00','0',null,null),
('6','2026-11-22 05:40:00+00','9.407',null,null),
('6','2026-11-22 05:45:00+00','0',null,null),
('6','2026-11-22 05:50:00+00','0',null,null),
('6','2026-11-22 05:55:00+00','-71.975',null,null),
('6','2026-11-22 06:00:00+00','-36.668',null,null),
('6','2026-11-22 06:05:00+00','-10.19',null,null),
('6','2026-11-22 06:10:00+00','0',null,null),
('7','2026-11-22 08:15:00+00','-86.777',null,null),
('7','2026-11-22 08:20:00+00','68.315',null,null),
('7','2026-11-22 08:25:00+00','17.124',null,null),
('7','2026-11-22 08:30:00+00','36.939',null,null),
('7','2026-11-22 08:35:00+00','-78.441',null,null),
('7','2026-11-22 08:40:00+00','73.592',null,null),
('8','2026-11-22 08:15:00+00','52.809',null,null),
('8','2026-11-22 08:20:00+00','-49.268',null,null),
('8','2026-11-22 08:25:00+00','4.106',null,null),
('8','2026-11-22 08:30:00+00','42.534',null,null),
('8','2026-11-22 08:35:00+00','0',null,null),
('8','2026-11-22 08:40:00+00','-30.974',null,null),
('7','2026-11-22 00:00:00+00','80.043',null,null),
('7','2026-11-22 00:05:00+00','59.984',null,null),
('7','2026-11-22 00:10:00+00','-82.514',null,null),
('7','2026-11-22 00:15:00+00','87.435',null,null),
('7','2026-11-22 00:20:00+00','-46.951',null,null),
('7','2026-11-22 00:25:00+00','-33.713',null,null),
('8','2026-11-22 00:00:00+00','38.828',null,null),
('8','2026-11-22 00:05:00+00','-90.11',null,null),
('8','2026-11-22 00:10:00+00','51.377',null,null),
('8','2026-11-22 00:15:00+00','-70.025',null,null),
('8','2026-11-22 00:20:00+00','-71.974',null,null),
('8','2026-11-22 00:25:00+00','-77.69',null,null),
('9','2026-11-22 00:30:00+00','-35.535',null,null),
('9','2026-11-22 00:40:00+00','-16.547',null,null),
('9','2026-11-22 00:50:00+00','93.738',null,null),
('9','2026-11-22 01:00:00+00','0',null,null),
('9','2026-11-22 01:10:00+00','-10.375',null,null),
('9','2026-11-22 01:20:00+00','-71.42',null,null),
('15','2026-11-22 07:50:00+00','-86.601',null,'1'),
('15','2026-11-22 08:00:00+00','97.231',null,'1'),
('15','2026-11-22 08:10:00+00','-32.441',null,'1'),
('15','2026-11-22 08:20:00+00','-1.71',null,'1'),
('15','2026-11-22 08:30:00+00','0',null,'1'),
('15','2026-11-22 08:40:00+00','66.608',null,'1'),
('16','2026-11-22 08:00:00+00','0',null,'1'),
('17','2026-11-22 07:50:00+00','37.101',null,'1'),
('17','2026-11-22 08:00:00+00','-78.581',null,'1'),
('17','2026-11-22 08:10:00+00','95.697',null,'1'),
('17','2026-11-22 08:20:00+00','9.114',null,'1'),
('17','2026-11-22 08:30:00+00','50.335',null,'1'),
('17','2026-11-22 08:40:00+00','-58.346',null,'1'),
('13','2026-11-22 06:20:00+00','0',null,null),
('13','2026-11-22 06:30:00+00','-17.101',null,null),
('13','2026-11-22 06:40:00+00','-11.771',null,null),
('13','2026-11-22 06:50:00+00','58.394',null,null),
('13','2026-11-22 07:00:00+00','15.832',null,null),
('13','2026-11-22 07:10:00+00','-74.631',null,null),
('13','2026-11-22 07:20:00+00','-43.059',null,null),
('13','2026-11-22 07:30:00+00','48.453',null,null),
('13','2026-11-22 07:40:00+00','-14.921',null,null),
('14','2026-11-22 06:20:00+00','0',null,null),
('14','2026-11-22 06:30:00+00','92.788',null,null),
('14','2026-11-22 06:40:00+00','72.95',null,null),
('14','2026-11-22 06:50:00+00','-77.901',null,null),
('14','2026-11-22 07:00:00+00','38.328',null,null),
('14','2026-11-22 07:10:00+00','30.447',null,null),
('14','2026-11-22 07:20:00+00','-95.296',null,null),
('14','2026-11-22 07:30:00+00','85.828',null,null),
('14','2026-11-22 07:40:00+00','21.917',null,null),
('7','2026-11-22 01:30:00+00','86.713',null,null),
('7','2026-11-22 01:35:00+00','77.941',null,null),
('7','2026-11-22 01:40:00+00','-88.393',null,null),
('7','2026-11-22 01:45:00+00','-3.418',null,null),
('7','2026-11-22 01:50:00+00','0',null,null),
('7','2026-11-22 01:55:00+00','-95.855',null,null),
('8','2026-11-22 01:30:00+00','12.524',null,null),
('8','2026-11-22 01:35:00+00','75.918',null,null),
('8','2026-11-22 01:40:00+00','-67.076',null,null),
('8','2026-11-22 01:45:00+00','-18.242',null,null),
('8','2026-11-22 01:50:00+00','-85.021',null,null),
('8','2026-11-22 01:55:00+00','-25.907',null,null),
('10','2026-11-22 05:50:00+00','0',null,'1'),
('10','2026-11-22 06:00:00+00','67.893',null,'1'),
('10','2026-11-22 06:10:00+00','-21.842',null,'1'),
('11','2026-11-22 06:00:00+00','1',null,'1'),
('12','2026-11-22 05:50:00+00','91.372',null,'1'),
('12','2026-11-22 06:00:00+00','-59.286',null,'1'),
('12','2026-11-22 06:10:00+00','58.973',null,'1'),
('7','2026-11-22 02:00:00+00','45.953',null,null),
('7','2026-11-22 02:05:00+00','-35.064',null,null),
('7','2026-11-22 02:10:00+00','26.99',null,null),
('7','2026-11-22 02:15:00+00','-75.921',null,null),
('7','2026-11-22 02:20:00+00','-91.892',null,null),
('7','2026-11-22 02:25:00+00','0',null,null),
('8','2026-11-22 02:00:00+00','-20.718',null,null),
('8','2026-11-22 02:05:00+00','92.477',null,null),
('8','2026-11-22 02:10:00+00','58.735',null,null),
('8','2026-11-22 02:15:00+00','-61.25',null,null),
('8','2026-11-22 02:20:00+00','3.298',null,null),
('8','2026-11-22 02:25:00+00','28.401',null,null),
('15','2026-11-22 06:20:00+00','-23.141',null,'1'),
('15','2026-11-22 06:30:00+00','-59.697',null,'1'),
('15','2026-11-22 06:40:00+00','0',null,'1'),
('15','2026-11-22 06:50:00+00','0',null,'1'),
('15','2026-11-22 07:00:00+00','-96.14',null,'1'),
('15','2026-11-22 07:10:00+00','-7.825',null,'1'),
('15','2026-11-22 07:20:00+00','-13.007',null,'1'),
('15','2026-11-22 07:30:00+00','67.052',null,'1'),
('15','2026-11-22 07:40:00+00','39.816',null,'1'),
('16','2026-11-22 07:00:00+00','1',null,'1'),
('17','2026-11-22 06:20:00+00','61.814',null,'1'),
('17','2026-11-22 06:30:00+00','-96.473',null,'1'),
('17','2026-11-22 06:40:00+00','-99.166',null,'1'),
('17','2026-11-22 06:50:00+00','-59.307',null,'1'),
('17','2026-11-22 07:00:00+00','81.597',null,'1'),
('17','2026-11-22 07:10:00+00','0',null,'1'),
('17','2026-11-22 07:20:00+00','15.666',null,'1'),
('17','2026-11-22 07:30:00+00','36.91',null,'1'),
('17','2026-11-22 07:40:00+00','-39.555',null,'1'),
('15','2026-11-22 05:50:00+00','-54.348',null,'1'),
('15','2026-11-22 06:00:00+00','-1.847',null,'1'),
('15','2026-11-22 06:10:00+00','30.616',null,'1'),
('16','2026-11-22 06:00:00+00','1',null,'1'),
('17','2026-11-22 05:50:00+00','-11.791',null,'1'),
('17','2026-11-22 06:00:00+00','-16.194',null,'1'),
('17','2026-11-22 06:10:00+00','-95.183',null,'1'),
('9','2026-11-22 02:00:00+00','-7.604',null,null),
('9','2026-11-22 02:10:00+00','16.03',null,null),
('9','2026-11-22 02:20:00+00','51.86',null,null),
('7','2026-11-22 02:30:00+00','72.885',null,null),
('7','2026-11-22 02:35:00+00','-29.011',null,null),
('7','2026-11-22 02:40:00+00','5.972',null,null),
('7','2026-11-22 02:45:00+00','42.561',null,null),
('7','2026-11-22 02:50:00+00','-41.452',null,null),
('7','2026-11-22 02:55:00+00','81.528',null,null),
('8','2026-11-22 02:30:00+00','3.829',null,null),
('8','2026-11-22 02:35:00+00','16.819',null,null),
('8','2026-11-22 02:40:00+00','-69.894',null,null),
('8','2026-11-22 02:45:00+00','11.472',null,null),
('8','2026-11-22 02:50:00+00','38.078',null,null),
('8','2026-11-22 02:55:00+00','37.676',null,null),
('7','2026-11-22 03:00:00+00','-19.945',null,null),
('7','2026-11-22 03:05:00+00','-15.286',null,null),
('7','2026-11-22 03:10:00+00','-33.936',null,null),
('7','2026-11-22 03:15:00+00','0',null,null),
('7','2026-11-22 03:20:00+00','9.545',null,null),
('7','2026-11-22 03:25:00+00','32.98',null,null),
('8','2026-11-22 03:00:00+00','-98.064',null,null),
('8','2026-11-22 03:05:00+00','12.465',null,null),
('8','2026-11-22 03:10:00+00','59.387',null,null),
('8','2026-11-22 03:15:00+00','-39.867',null,null),
('8','2026-11-22 03:20:00+00','16.111',null,null),
('8','2026-11-22 03:25:00+00','-65.352',null,null),
('10','2026-11-22 03:00:00+00','96.716',null,'1'),
('10','2026-11-22 03:10:00+00','-65.979',null,'1'),
('10','2026-11-22 03:20:00+00','-99.728',null,'1'),
('10','2026-11-22 03:30:00+00','-84.092',null,'1'),
('10','2026-11-22 03:40:00+00','84.006',null,'1'),
('10','2026-11-22 03:50:00+00','34.701',null,'1'),
('10','2026-11-22 04:00:00+00','0',null,'1'),
('10','2026-11-22 04:10:00+00','76.846',null,'1'),
('10','2026-11-22 04:20:00+00','81.644',null,'1'),
('10','2026-11-22 04:30:00+00','-66.084',null,'1'),
('10','2026-11-22 04:40:00+00','8.472',null,'1'),
('10','2026-11-22 04:50:00+00','22.187',null,'1'),
('11','2026-11-22 03:00:00+00','0',null,'1'),
('11','2026-11-22 04:00:00+00','1',null,'1'),
('12','2026-11-22 03:00:00+00','28.649',null,'1'),
('12','2026-11-22 03:10:00+00','22.016',null,'1'),
('12','2026-11-22 03:20:00+00','-82.795',null,'1'),
('12','2026-11-22 03:30:00+00','21.942',null,'1'),
('12','2026-11-22 03:40:00+00','94.336',null,'1'),
('12','2026-11-22 03:50:00+00','76.934',null,'1'),
('12','2026-11-22 04:00:00+00','34.151',null,'1'),
('12','2026-11-22 04:10:00+00','64.396',null,'1'),
('12','2026-11-22 04:20:00+00','58.374',null,'1'),
('12','2026-11-22 04:30:00+00','0',null,'1'),
('12','2026-11-22 04:40:00+00','0',null,'1'),
('12','2026-11-22 04:50:00+00','27.416',null,'1'),
('15','2026-11-22 03:00:00+00','-28.872',null,'1'),
('15','2026-11-22 03:10:00+00','-65.488',null,'1'),
('15','2026-11-22 03:20:00+00','0',null,'1'),
('15','2026-11-22 03:30:00+00','16.353',null,'1'),
('15','2026-11-22 03:40:00+00','89.363',null,'1'),
('15','2026-11-22 03:50:00+00','34',null,'1'),
('15','2026-11-22 04:00:00+00','-97.679',null,'1'),
('15','2026-11-22 04:10:00+00','-91.15',null,'1'),
('15','2026-11-22 04:20:00+00','-43.203',null,'1'),
('15','2026-11-22 04:30:00+00','47.566',null,'1'),
('15','2026-11-22 04:40:00+00','-71.981',null,'1'),
('15','2026-11-22 04:50:00+00','-60.49',null,'1'),
('16','2026-11-22 03:00:00+00','0',null,'1'),
('16','2026-11-22 04:00:00+00','0',null,'1'),
('17','2026-11-22 03:00:00+00','-32.413',null,'1'),
('17','2026-11-22 03:10:00+00','-37.141',null,'1'),
('17','2026-11-22 03:20:00+00','7.326',null,'1'),
('17','2026-11-22 03:30:00+00','-91.102',null,'1'),
('17','2026-11-22 03:40:00+00','-73.74',null,'1'),
('17','2026-11-22 03:50:00+00','0',null,'1'),
('17','2026-11-22 04:00:00+00','0',null,'1'),
('17','2026-11-22 04:10:00+00','0',null,'1'),
('17','2026-11-22 04:20:00+00','96.584',null,'1'),
('17','2026-11-22 04:30:00+00','-22.186',null,'1'),
('17','2026-11-22 04:40:00+00','21.644',null,'1'),
('17','2026-11-22 04:50:00+00','95.216',null,'1'),
('7','2026-11-22 03:30:00+00','99.637',null,null),
('7','2026-11-22 03:35:00+00','47.211',null,null),
('7','2026-11-22 03:40:00+00','-71.055',null,null),
('7','2026-11-22 03:45:00+00','-13.227',null,null),
('7','2026-11-22 03:50:00+00','-60.567',null,null),
('7','2026-11-22 03:55:00+00','73.347',null,null),
('8','2026-11-22 03:30:00+00','4.214',null,null),
('8','2026-11-22 03:35:00+00','-61.441',null,null),
('8','2026-11-22 03:40:00+00','0',null,null),
('8','2026-11-22 03:45:00+00','30.479',null,null),
('8','2026-11-22 03:50:00+00','10.442',null,null),
('8','2026-11-22 03:55:00+00','52.571',null,null),
('18','2026-11-21 20:28:00+00','7','90','2'),
('18','2026-11-21 20:29:00+00','7.25','90','2'),
('18','2026-11-21 20:30:00+00','7.5','90','2'),
('18','2026-11-21 20:31:00+00','7.75','90','2'),
('18','2026-11-21 20:32:00+00','8','90','2'),
('18','2026-11-21 20:33:00+00','8.25','90','2'),
('18','2026-11-21 20:34:00+00','8.5','90','2'),
('18','2026-11-21 20:35:00+00','8.75','90','2'),
('18','2026-11-21 20:36:00+00','9','90','2'),
('18','2026-11-21 20:37:00+00','9.25','90','2'),
('18','2026-11-21 20:38:00+00','9.5','90','2'),
('18','2026-11-21 20:39:00+00','9.75','90','2'),
('9','2026-11-22 03:00:00+00','-55.343',null,null),
('9','2026-11-22 03:10:00+00','0',null,null),
('9','2026-11-22 03:20:00+00','-54.813',null,null),
('7','2026-11-22 04:00:00+00','8.433',null,null),
('7','2026-11-22 04:05:00+00','-39.725',null,null),
('7','2026-11-22 04:10:00+00','29.82',null,null),
('7','2026-11-22 04:15:00+00','-26.747',null,null),
('7','2026-11-22 04:20:00+00','-12.454',null,null),
('7','2026-11-22 04:25:00+00','37.58',null,null),
('8','2026-11-22 04:00:00+00','-26.164',null,null),
('8','2026-11-22 04:05:00+00','-96.488',null,null),
('8','2026-11-22 04:10:00+00','45.694',null,null),
('8','2026-11-22 04:15:00+00','-30.742',null,null),
('8','2026-11-22 04:20:00+00','0',null,null),
('8','2026-11-22 04:25:00+00','96.708',null,null),
('9','2026-11-22 03:30:00+00','-24.273',null,null),
('9','2026-11-22 03:40:00+00','88.67',null,null),
('9','2026-11-22 03:50:00+00','0',null,null),
('15','2026-11-20 00:00:00+00','66.564',null,'1'),
('15','2026-11-20 00:10:00+00','-22.453',null,'1'),
('15','2026-11-20 00:20:00+00','28.295',null,'1'),
('15','2026-11-20 00:30:00+00','-62.977',null,'1'),
('15','2026-11-20 00:40:00+00','-17.78',null,'1'),
('15','2026-11-20 00:50:00+00','-26.456',null,'1'),
('15','2026-11-20 01:00:00+00','55.592',null,'1'),
('15','2026-11-20 01:10:00+00','58.203',null,'1'),
('15','2026-11-20 01:20:00+00','-43.311',null,'1'),
('15','2026-11-20 01:30:00+00','-72.32',null,'1'),
('15','2026-11-20 01:40:00+00','32.197',null,'1'),
('15','2026-11-20 01:50:00+00','87.865',null,'1'),
('16','2026-11-20 00:00:00+00','1',null,'1'),
('16','2026-11-20 01:00:00+00','0',null,'1'),
('17','2026-11-20 00:00:00+00','23.578',null,'1'),
('17','2026-11-20 00:10:00+00','-96.763',null,'1'),
('17','2026-11-20 00:20:00+00','87.365',null,'1'),
('17','2026-11-20 00:30:00+00','-19.24',null,'1'),
('17','2026-11-20 00:40:00+00','-30.178',null,'1'),
('17','2026-11-20 00:50:00+00','-97.317',null,'1'),
('17','2026-11-20 01:00:00+00','0',null,'1'),
('17','2026-11-20 01:10:00+00','-16.822',null,'1'),
('17','2026-11-20 01:20:00+00','-75.896',null,'1'),
('17','2026-11-20 01:30:00+00','56.634',null,'1'),
('17','2026-11-20 01:40:00+00','74.127',null,'1'),
('17','2026-11-20 01:50:00+00','-5.135',null,'1');

insert into refusal (id, stream_id, reason, sensor, variable, at, raw, noted_at, project_id) overriding system value values
('1','2','not-a-number','press-1','oil.state','2026-11-22 08:00:00+00','"RUN"','2026-11-22 08:43:33.827398+00',null),
('2','2','not-a-number','press-2','oil.state','2026-11-22 08:00:00+00','"NaN"','2026-11-22 08:43:33.827398+00',null),
('3','1','boolean','press-1','motor.running','2026-11-22 08:00:00+00','false','2026-11-22 08:43:33.838713+00',null),
('4','1','boolean','press-2','motor.running','2026-11-22 08:00:00+00','true','2026-11-22 08:43:33.838713+00',null),
('5','2','not-a-number','press-1','oil.state','2026-11-22 07:00:00+00','"false"','2026-11-22 08:43:33.99991+00',null),
('6','2','not-a-number','press-2','oil.state','2026-11-22 07:00:00+00','""','2026-11-22 08:43:33.99991+00',null),
('7','2','not-a-number','press-1','oil.state','2026-11-22 04:00:00+00','"NaN"','2026-11-22 08:43:34.0355+00',null),
('8','2','text-number','press-2','oil.state','2026-11-22 04:00:00+00','"42"','2026-11-22 08:43:34.0355+00',null),
('9','2','not-a-number','press-1','oil.state','2026-11-22 05:00:00+00','"NaN"','2026-11-22 08:43:34.067771+00',null),
('10','2','not-a-number','press-1','oil.state','2026-11-22 06:00:00+00','"false"','2026-11-22 08:43:34.067771+00',null),
('11','2','not-a-number','press-2','oil.state','2026-11-22 05:00:00+00','"NaN"','2026-11-22 08:43:34.067771+00',null),
('12','2','not-a-number','press-2','oil.state','2026-11-22 06:00:00+00','"NaN"','2026-11-22 08:43:34.067771+00',null),
('13','1','boolean','press-1','motor.running','2026-11-22 07:00:00+00','true','2026-11-22 08:43:34.127277+00',null),
('14','1','boolean','press-2','motor.running','2026-11-22 07:00:00+00','false','2026-11-22 08:43:34.127277+00',null),
('15','1','boolean','press-1','motor.running','2026-11-22 04:00:00+00','true','2026-11-22 08:43:34.190148+00',null),
('16','1','boolean','press-2','motor.running','2026-11-22 04:00:00+00','true','2026-11-22 08:43:34.190148+00',null),
('17','1','boolean','press-1','motor.running','2026-11-22 05:00:00+00','false','2026-11-22 08:43:34.20811+00',null),
('18','1','boolean','press-1','motor.running','2026-11-22 06:00:00+00','false','2026-11-22 08:43:34.20811+00',null),
('19','1','boolean','press-2','motor.running','2026-11-22 05:00:00+00','true','2026-11-22 08:43:34.20811+00',null),
('20','1','boolean','press-2','motor.running','2026-11-22 06:00:00+00','true','2026-11-22 08:43:34.20811+00',null),
('21','3','boolean','saw-1','motor.running','2026-11-22 00:00:00+00','false','2026-11-22 08:43:48.499093+00',null),
('22','4','text-number','saw-1','oil.state','2026-11-22 00:00:00+00','"-1.5"','2026-11-22 08:43:51.55419+00',null),
('23','3','boolean','saw-1','motor.running','2026-11-22 01:00:00+00','true','2026-11-22 08:43:56.654907+00',null),
('24','4','not-a-number','saw-1','oil.state','2026-11-22 01:00:00+00','"RUN"','2026-11-22 08:43:57.703063+00',null),
('25','7','boolean','00000000-0000-4000-8000-00000000000b','running','2026-11-22 08:00:00+00','true','2026-11-22 08:43:58.323058+00',null),
('26','7','boolean','00000000-0000-4000-8000-00000000000b','running','2026-11-22 07:00:00+00','false','2026-11-22 08:43:58.447835+00',null),
('27','7','boolean','00000000-0000-4000-8000-00000000000b','running','2026-11-22 05:00:00+00','true','2026-11-22 08:43:58.553796+00',null),
('28','7','boolean','00000000-0000-4000-8000-00000000000b','running','2026-11-22 06:00:00+00','true','2026-11-22 08:43:58.553796+00',null),
('29','3','boolean','saw-1','motor.running','2026-11-22 02:00:00+00','true','2026-11-22 08:44:00.740324+00',null),
('30','4','not-a-number','saw-1','oil.state','2026-11-22 02:00:00+00','""','2026-11-22 08:44:01.816103+00',null),
('31','3','boolean','saw-1','motor.running','2026-11-22 03:00:00+00','false','2026-11-22 08:44:03.782292+00',null),
('32','4','text-number','saw-1','oil.state','2026-11-22 03:00:00+00','"42"','2026-11-22 08:44:06.882373+00',null),
('33','3','boolean','saw-1','motor.running','2026-11-22 04:00:00+00','false','2026-11-22 08:44:07.880677+00',null);
select setval(pg_get_serial_sequence('refusal', 'id'), (select max(id) from refusal));

insert into refusal_count (stream_id, reason, hour, refused, kept) values
('2','text-number','2026-11-22 08:00:00+00','1','1'),
('2','not-a-number','2026-11-22 08:00:00+00','9','9'),
('1','boolean','2026-11-22 08:00:00+00','10','10'),
('7','boolean','2026-11-22 08:00:00+00','4','4'),
('4','not-a-number','2026-11-22 08:00:00+00','2','2'),
('4','text-number','2026-11-22 08:00:00+00','2','2'),
('3','boolean','2026-11-22 08:00:00+00','5','5');

insert into backfill (id, source_id, from_at, to_at, again, state, requested_by, created_at, finished_at) overriding system value values
('1','3','2026-11-22 03:00:00+00','2026-11-22 05:00:00+00','false','done','cli:operator','2026-11-22 08:44:04.195512+00','2026-11-22 08:44:05.005646+00'),
('2','3','2026-11-20 00:00:00+00','2026-11-22 08:44:12+00','false','running','cli:operator','2026-11-22 08:44:17.77997+00',null);
select setval(pg_get_serial_sequence('backfill', 'id'), (select max(id) from backfill));

insert into backfill_stream (backfill_id, stream_id, done) values
('1','5','{}'),
('1','6','{}'),
('2','5','{}'),
('2','6','{}');

insert into window_log (stream_id, source_id, lane, from_at, to_at, asked_at, requests, bytes, readings, duplicates, revised, refused, late, lateness_us, waited_ms, http_ms, normalise_ms, store_ms, fault) values
('2','1','live','2026-11-22 07:43:28+00','2026-11-22 08:43:28+00','2026-11-22 08:43:33.629138+00','1','1028','12','0','0','2','0','0','36.22756','94.701225','0.327652','0.978',null),
('1','1','live','2026-11-22 07:43:28+00','2026-11-22 08:43:28+00','2026-11-22 08:43:33.620319+00','1','1581','48','0','0','2','0','0','37.146557','87.70059','2.960232','4.917',null),
('2','1','history','2026-11-22 06:13:28+00','2026-11-22 07:43:28+00','2026-11-22 08:43:33.940476+00','1','1214','18','0','0','2','0','0','27.521435','17.009394','0.108909','1.267',null),
('2','1','history','2026-11-22 03:43:33+00','2026-11-22 04:43:28+00','2026-11-22 08:43:34.005796+00','1','972','10','0','0','2','0','0','1.956243','12.179428','0.069419','0.448',null),
('2','1','history','2026-11-22 04:43:28+00','2026-11-22 06:13:28+00','2026-11-22 08:43:33.941309+00','1','1206','18','0','0','4','0','0','103.58053','10.848886','0.092251','0.53',null),
('1','1','history','2026-11-22 06:13:28+00','2026-11-22 07:43:28+00','2026-11-22 08:43:33.973366+00','1','2019','72','0','0','2','0','0','120.4159','29.808327','0.082727','0.851',null),
('1','1','history','2026-11-22 03:43:33+00','2026-11-22 04:43:28+00','2026-11-22 08:43:34.133753+00','1','1350','36','0','0','2','0','0','20.542336','12.045325','0.068376','0.63',null),
('1','1','history','2026-11-22 04:43:28+00','2026-11-22 06:13:28+00','2026-11-22 08:43:33.974234+00','1','2031','72','0','0','4','0','0','221.06154','8.17996','0.064444','2.076',null),
('1','1','live','2026-11-22 08:42:13+00','2026-11-22 08:43:30+00','2026-11-22 08:43:35.673488+00','1','409','0','0','0','0','0','0','7.733902','4.493574','0.004048','0.212',null),
('2','1','live','2026-11-22 08:42:13+00','2026-11-22 08:43:30+00','2026-11-22 08:43:35.676679+00','1','390','0','0','0','0','0','0','7.850942','5.636491','0.002763','5.514',null),
('3','2','live','2026-11-22 08:13:30+00','2026-11-22 08:43:30+00','2026-11-22 08:43:35.262031+00','1','749','12','0','0','0','0','0','972.86523','7.831987','0.080806','0.624',null),
('4','2','live','2026-11-22 08:13:31+00','2026-11-22 08:43:31+00','2026-11-22 08:43:36.265353+00','1','589','3','0','0','0','0','0','990.8218','3.331842','0.050488','0.327',null),
('1','1','live','2026-11-22 08:43:30+00','2026-11-22 08:43:32+00','2026-11-22 08:43:37.67647+00','1','409','0','0','0','0','0','0','11.474944','3.021406','0.002393','1.972',null),
('2','1','live','2026-11-22 08:43:30+00','2026-11-22 08:43:32+00','2026-11-22 08:43:37.676979+00','1','390','0','0','0','0','0','0','12.099781','3.180608','0.002358','5.971',null),
('3','2','live','2026-11-22 08:43:30+00','2026-11-22 08:43:32+00','2026-11-22 08:43:37.67274+00','1','409','0','0','0','0','0','0','604.74896','3.01638','0.003429','0.236',null),
('4','2','live','2026-11-22 08:43:31+00','2026-11-22 08:43:33+00','2026-11-22 08:43:38.296719+00','1','390','0','0','0','0','0','0','1000.5484','3.335615','0.003409','0.205',null),
('1','1','live','2026-11-22 08:43:32+00','2026-11-22 08:43:34+00','2026-11-22 08:43:39.668539+00','1','409','0','0','0','0','0','0','9.539679','55.01326','0.002754','0.419',null),
('2','1','live','2026-11-22 08:43:32+00','2026-11-22 08:43:34+00','2026-11-22 08:43:39.674913+00','1','390','0','0','0','0','0','0','9.439977','56.42916','0.001605','9.883',null),
('3','2','live','2026-11-22 08:43:32+00','2026-11-22 08:43:34+00','2026-11-22 08:43:39.414493+00','1','409','0','0','0','0','0','0','902.14044','2.611686','0.003591','0.234',null),
('4','2','live','2026-11-22 08:43:33+00','2026-11-22 08:43:35+00','2026-11-22 08:43:40.328433+00','1','390','0','0','0','0','0','0','1008.85974','2.881686','0.003688','0.226',null),
('1','1','live','2026-11-22 08:43:34+00','2026-11-22 08:43:36+00','2026-11-22 08:43:41.680656+00','1','409','0','0','0','0','0','0','7.056798','4.471027','0.003893','0.184',null),
('2','1','live','2026-11-22 08:43:34+00','2026-11-22 08:43:36+00','2026-11-22 08:43:41.681408+00','1','390','0','0','0','0','0','0','5.126782','8.397846','0.00385','0.363',null),
('3','2','live','2026-11-22 08:43:34+00','2026-11-22 08:43:36+00','2026-11-22 08:43:41.672624+00','1','409','0','0','0','0','0','0','684.4149','2.815225','0.003434','0.209',null),
('4','2','live','2026-11-22 08:43:35+00','2026-11-22 08:43:37+00','2026-11-22 08:43:42.372537+00','1','390','0','0','0','0','0','0','1004.9326','3.170935','0.002622','0.5',null),
('1','1','live','2026-11-22 08:43:36+00','2026-11-22 08:43:38+00','2026-11-22 08:43:43.677701+00','1','409','0','0','0','0','0','0','4.544962','4.15528','0.002666','0.349',null),
('2','1','live','2026-11-22 08:43:36+00','2026-11-22 08:43:38+00','2026-11-22 08:43:43.678515+00','1','390','0','0','0','0','0','0','4.696241','4.455055','0.001529','0.757',null),
('3','2','live','2026-11-22 08:43:36+00','2026-11-22 08:43:38+00','2026-11-22 08:43:43.416815+00','1','409','0','0','0','0','0','0','980.3313','2.923104','0.002588','0.254',null),
('4','2','live','2026-11-22 08:43:37+00','2026-11-22 08:43:39+00','2026-11-22 08:43:44.428707+00','1','390','0','0','0','0','0','0','987.9225','3.345792','0.002486','0.235',null),
('1','1','live','2026-11-22 08:43:38+00','2026-11-22 08:43:40+00','2026-11-22 08:43:45.67968+00','1','409','0','0','0','0','0','0','8.114833','2.864112','0.002802','0.229',null),
('2','1','live','2026-11-22 08:43:38+00','2026-11-22 08:43:40+00','2026-11-22 08:43:45.680361+00','1','390','0','0','0','0','0','0','8.149382','3.943952','0.001844','5.445',null),
('3','2','live','2026-11-22 08:43:38+00','2026-11-22 08:43:40+00','2026-11-22 08:43:45.672269+00','1','409','0','0','0','0','0','0','769.1381','2.855187','0.003048','0.354',null),
('4','2','live','2026-11-22 08:43:39+00','2026-11-22 08:43:41+00','2026-11-22 08:43:46.451934+00','1','390','0','0','0','0','0','0','1001.7008','2.764467','0.004028','0.356',null),
('1','1','live','2026-11-22 08:43:40+00','2026-11-22 08:43:42+00','2026-11-22 08:43:47.6562+00','1','409','0','0','0','0','0','0','11.074043','2.885486','0.003379','0.341',null),
('2','1','live','2026-11-22 08:43:40+00','2026-11-22 08:43:42+00','2026-11-22 08:43:47.657374+00','1','390','0','0','0','0','0','0','11.10464','3.869401','0.001745','6.379',null),
('3','2','history','2026-11-22 00:00:00+00','2026-11-22 00:30:00+00','2026-11-22 08:43:36.423934+00','1','757','12','0','0','1','0','0','12051.981','16.222761','0.084241','4.871',null),
('3','2','live','2026-11-22 08:43:40+00','2026-11-22 08:43:43+00','2026-11-22 08:43:48.451467+00','1','409','0','0','0','0','0','0','1052.3617','3.270555','0.00526','0.35',null),
('1','1','live','2026-11-22 08:43:42+00','2026-11-22 08:43:44+00','2026-11-22 08:43:49.678469+00','1','409','0','0','0','0','0','0','6.069028','6.164741','0.004388','0.388',null),
('2','1','live','2026-11-22 08:43:42+00','2026-11-22 08:43:44+00','2026-11-22 08:43:49.679891+00','1','390','0','0','0','0','0','0','9.582955','4.633112','0.002745','1.368',null),
('4','2','live','2026-11-22 08:43:41+00','2026-11-22 08:43:44+00','2026-11-22 08:43:49.513471+00','1','390','0','0','0','0','0','0','1004.0012','4.297152','0.003358','0.419',null),
('4','2','history','2026-11-22 00:00:00+00','2026-11-22 00:30:00+00','2026-11-22 08:43:37.421179+00','1','591','3','0','0','1','0','0','14118.046','3.939429','0.071637','0.396',null),
('2','1','live','2026-11-22 08:42:29+00','2026-11-22 08:43:46+00','2026-11-22 08:43:51.808285+00','1','390','0','0','0','0','0','0','8.320428','8.386289','0.002461','0.411',null),
('1','1','live','2026-11-22 08:42:29+00','2026-11-22 08:43:46+00','2026-11-22 08:43:51.807014+00','1','409','0','0','0','0','0','0','8.433706','7.359938','0.002625','0.439',null),
('3','2','live','2026-11-22 08:43:43+00','2026-11-22 08:43:46+00','2026-11-22 08:43:51.767192+00','1','409','0','0','0','0','0','0','789.5359','7.02646','0.002773','0.433',null),
('4','2','live','2026-11-22 08:43:44+00','2026-11-22 08:43:47+00','2026-11-22 08:43:52.574293+00','1','390','0','0','0','0','0','0','1021.2273','14.341138','0.003922','0.505',null),
('1','1','live','2026-11-22 08:43:46+00','2026-11-22 08:43:48+00','2026-11-22 08:43:53.678496+00','1','409','0','0','0','0','0','0','12.221017','6.547786','0.002731','0.381',null),
('2','1','live','2026-11-22 08:43:46+00','2026-11-22 08:43:48+00','2026-11-22 08:43:53.679047+00','1','390','0','0','0','0','0','0','12.521755','6.65231','0.001971','2.61',null),
('3','2','history','2026-11-22 00:30:00+00','2026-11-22 01:00:00+00','2026-11-22 08:43:48.506882+00','1','747','12','0','0','0','0','0','6091.972','18.426981','0.051649','2.745',null),
('4','2','history','2026-11-22 00:30:00+00','2026-11-22 01:00:00+00','2026-11-22 08:43:51.724001+00','1','590','3','0','0','0','0','0','3912.2944','41.14118','0.034636','1.729',null),
('1','1','live','2026-11-22 08:43:48+00','2026-11-22 08:43:50+00','2026-11-22 08:43:55.722635+00','1','409','0','0','0','0','0','0','10.203666','35.69859','0.00321','0.421',null),
('2','1','live','2026-11-22 08:43:48+00','2026-11-22 08:43:50+00','2026-11-22 08:43:55.723197+00','1','390','0','0','0','0','0','0','10.420061','53.749084','0.002451','0.406',null),
('3','2','history','2026-11-22 01:00:00+00','2026-11-22 01:30:00+00','2026-11-22 08:43:54.644173+00','1','747','12','0','0','1','0','0','1999.0674','8.642898','0.046634','0.437',null),
('4','2','history','2026-11-22 01:00:00+00','2026-11-22 01:30:00+00','2026-11-22 08:43:55.697797+00','1','585','3','0','0','1','0','0','1988.2845','9.038085','0.050937','0.411',null),
('1','1','live','2026-11-22 08:43:50+00','2026-11-22 08:43:52+00','2026-11-22 08:43:57.773113+00','1','409','0','0','0','0','0','0','20.855583','10.253984','0.002073','0.458',null),
('2','1','live','2026-11-22 08:43:50+00','2026-11-22 08:43:52+00','2026-11-22 08:43:57.773772+00','1','390','0','0','0','0','0','0','21.301188','24.609106','0.004015','0.428',null),
('5','3','live','2026-11-22 07:43:52+00','2026-11-22 08:43:52+00','2026-11-22 08:43:57.368915+00','1','654','13','0','0','0','0','0','425.67337','20.686253','0.133982','0.461',null),
('7','4','live','2026-11-22 07:43:53+00','2026-11-22 08:43:53+00','2026-11-22 08:43:58.304716+00','1','652','12','0','0','1','0','0','1.365775','2.837873','0.068807','0.446',null),
('6','3','live','2026-11-22 07:43:52+00','2026-11-22 08:43:52+00','2026-11-22 08:43:57.880462+00','1','659','13','0','0','0','0','0','431.58264','3.703153','0.059127','0.397',null),
('7','4','history','2026-11-22 06:13:53+00','2026-11-22 07:43:53+00','2026-11-22 08:43:58.427628+00','1','874','18','0','0','1','0','0','8.131492','8.106868','0.048825','0.617',null),
('7','4','history','2026-11-22 04:43:58+00','2026-11-22 06:13:53+00','2026-11-22 08:43:58.427787+00','1','903','18','0','0','2','0','0','105.257225','14.873853','0.102891','0.688',null),
('5','3','history','2026-11-22 06:13:52+00','2026-11-22 07:43:52+00','2026-11-22 08:43:57.973137+00','1','879','19','0','0','0','0','0','849.217','5.812189','0.042587','0.536',null),
('4','2','history','2026-11-22 01:30:00+00','2026-11-22 02:00:00+00','2026-11-22 08:43:57.74079+00','1','589','3','0','0','0','0','0','1955.5204','6.787438','0.039722','0.43',null),
('2','1','live','2026-11-22 08:43:54+00','2026-11-22 08:43:56+00','2026-11-22 08:44:01.714704+00','1','390','0','0','0','0','0','0','18.961304','23.23085','0.002376','0.377',null),
('5','3','live','2026-11-22 08:43:54+00','2026-11-22 08:43:56+00','2026-11-22 08:44:01.466326+00','1','157','0','0','0','0','0','0','424.3337','13.276814','0.003862','0.366',null),
('7','4','live','2026-11-22 08:43:55+00','2026-11-22 08:43:56+00','2026-11-22 08:44:01.981829+00','1','157','0','0','0','0','0','0','5.694477','15.964725','0.00378','0.376',null),
('2','1','live','2026-11-22 08:43:56+00','2026-11-22 08:43:58+00','2026-11-22 08:44:03.695255+00','1','390','0','0','0','0','0','0','8.394055','31.753357','0.002153','0.367',null),
('6','3','live','2026-11-22 08:43:56+00','2026-11-22 08:43:58+00','2026-11-22 08:44:03.458572+00','1','157','0','0','0','0','0','0','495.33926','2.584983','0.003451','0.316',null),
('7','4','live','2026-11-22 08:43:56+00','2026-11-22 08:43:59+00','2026-11-22 08:44:04.190268+00','1','157','0','0','0','0','0','0','9.49927','9.093591','0.004154','0.284',null),
('4','2','history','2026-11-22 02:30:00+00','2026-11-22 03:00:00+00','2026-11-22 08:44:01.842735+00','1','587','3','0','0','0','0','0','2958.8787','9.579801','0.032724','0.518',null),
('2','1','live','2026-11-22 08:42:43+00','2026-11-22 08:44:00+00','2026-11-22 08:44:05.706632+00','1','390','0','0','0','0','0','0','34.207558','4.351447','0.001721','3.685',null),
('4','2','history','2026-11-22 03:00:00+00','2026-11-22 03:30:00+00','2026-11-22 08:44:04.830498+00','1','585','3','0','0','1','0','0','2011.135','24.143785','0.060005','0.77',null),
('2','1','live','2026-11-22 08:44:00+00','2026-11-22 08:44:02+00','2026-11-22 08:44:07.747174+00','1','390','0','0','0','0','0','0','28.25651','23.344118','0.002526','0.377',null),
('2','1','live','2026-11-22 08:44:02+00','2026-11-22 08:44:04+00','2026-11-22 08:44:09.723475+00','1','390','0','0','0','0','0','0','12.587783','7.096193','0.002416','0.382',null),
('6','3','live','2026-11-22 08:44:02+00','2026-11-22 08:44:04+00','2026-11-22 08:44:09.513595+00','1','157','0','0','0','0','0','0','468.83618','21.428247','0.004246','0.426',null),
('3','2','history','2026-11-22 01:30:00+00','2026-11-22 02:00:00+00','2026-11-22 08:43:56.674517+00','1','752','12','0','0','0','0','0','1998.0504','2.628136','0.035084','0.552',null),
('5','3','history','2026-11-22 05:43:55+00','2026-11-22 06:13:52+00','2026-11-22 08:43:58.831925+00','1','442','7','0','0','0','0','0','504.28976','3.575986','0.081684','0.443',null),
('5','3','live','2026-11-22 08:43:52+00','2026-11-22 08:43:54+00','2026-11-22 08:43:59.435178+00','1','157','0','0','0','0','0','0','411.3003','3.249711','0.006753','0.378',null),
('3','2','history','2026-11-22 02:00:00+00','2026-11-22 02:30:00+00','2026-11-22 08:43:58.690792+00','1','748','12','0','0','1','0','0','2031.5247','12.428794','0.04818','6.07',null),
('6','3','history','2026-11-22 06:13:52+00','2026-11-22 07:43:52+00','2026-11-22 08:43:58.582026+00','1','868','19','0','0','0','0','0','2278.8184','4.855177','0.04476','0.59',null),
('1','1','live','2026-11-22 08:43:54+00','2026-11-22 08:43:56+00','2026-11-22 08:44:01.713912+00','1','409','0','0','0','0','0','0','18.564678','3.14565','0.002975','0.373',null),
('5','3','live','2026-11-22 08:43:56+00','2026-11-22 08:43:58+00','2026-11-22 08:44:03.440111+00','1','157','0','0','0','0','0','0','4.102285','5.810321','0.00377','0.348',null),
('1','1','live','2026-11-22 08:43:56+00','2026-11-22 08:43:58+00','2026-11-22 08:44:03.694649+00','1','409','0','0','0','0','0','0','8.15193','28.14244','0.002604','0.411',null),
('5','3','history','2026-11-22 03:00:00+00','2026-11-22 05:00:00+00','2026-11-22 08:44:04.45516+00','1','1117','26','0','0','0','0','0','5.578032','3.17669','0.03697','0.645',null),
('6','3','history','2026-11-22 03:00:00+00','2026-11-22 05:00:00+00','2026-11-22 08:44:04.466642+00','1','1113','26','0','0','0','0','0','501.3451','10.946929','0.466607','0.654',null),
('3','2','history','2026-11-22 03:30:00+00','2026-11-22 04:00:00+00','2026-11-22 08:44:03.794115+00','1','749','12','0','0','0','0','0','2028.4087','3.747609','0.034004','0.576',null),
('6','3','live','2026-11-22 08:42:43+00','2026-11-22 08:44:00+00','2026-11-22 08:44:05.71901+00','1','157','0','0','0','0','0','0','478.796','1.956166','0.004313','0.311',null),
('1','1','live','2026-11-22 08:44:00+00','2026-11-22 08:44:02+00','2026-11-22 08:44:07.746591+00','1','409','0','0','0','0','0','0','28.152128','20.003551','0.0023389999','18.371',null),
('6','3','live','2026-11-22 08:44:00+00','2026-11-22 08:44:02+00','2026-11-22 08:44:07.571654+00','1','157','0','0','0','0','0','0','479.93512','19.3281','0.004001','0.433',null),
('1','1','live','2026-11-22 08:43:52+00','2026-11-22 08:43:54+00','2026-11-22 08:43:59.660952+00','1','409','0','0','0','0','0','0','51.818947','3.523185','0.0031339999','0.342',null),
('2','1','live','2026-11-22 08:43:52+00','2026-11-22 08:43:54+00','2026-11-22 08:43:59.661739+00','1','390','0','0','0','0','0','0','41.73346','10.485059','0.002705','0.394',null),
('7','4','live','2026-11-22 08:43:53+00','2026-11-22 08:43:55+00','2026-11-22 08:44:00.197725+00','1','157','0','0','0','0','0','0','7.934419','8.996516','0.009019','6.529',null),
('6','3','live','2026-11-22 08:43:52+00','2026-11-22 08:43:54+00','2026-11-22 08:43:59.869231+00','1','157','0','0','0','0','0','0','484.86523','5.440944','0.003394','0.325',null),
('6','3','history','2026-11-22 05:43:55+00','2026-11-22 06:13:52+00','2026-11-22 08:44:00.917033+00','1','449','7','0','0','0','0','0','463.0585','3.511415','0.035475','0.541',null),
('4','2','history','2026-11-22 02:00:00+00','2026-11-22 02:30:00+00','2026-11-22 08:43:59.73132+00','1','584','3','0','0','1','0','0','2028.6096','35.52724','0.047193','4.21',null),
('6','3','live','2026-11-22 08:43:54+00','2026-11-22 08:43:56+00','2026-11-22 08:44:01.920506+00','1','157','0','0','0','0','0','0','471.7205','2.343586','0.002426','0.212',null),
('3','2','history','2026-11-22 02:30:00+00','2026-11-22 03:00:00+00','2026-11-22 08:44:00.765523+00','1','752','12','0','0','0','0','0','1989.6619','17.133596','0.036581','0.469',null),
('3','2','history','2026-11-22 03:00:00+00','2026-11-22 03:30:00+00','2026-11-22 08:44:02.786509+00','1','751','12','0','0','1','0','0','990.23474','4.378226','0.197952','0.583',null),
('5','3','live','2026-11-22 08:42:43+00','2026-11-22 08:44:00+00','2026-11-22 08:44:05.68266+00','1','157','0','0','0','0','0','0','9.669582','4.127622','0.003472','0.303',null),
('1','1','live','2026-11-22 08:42:43+00','2026-11-22 08:44:00+00','2026-11-22 08:44:05.705978+00','1','409','0','0','0','0','0','0','34.055496','3.382994','0.002878','0.289',null),
('5','3','live','2026-11-22 08:44:00+00','2026-11-22 08:44:02+00','2026-11-22 08:44:07.514858+00','1','157','0','0','0','0','0','0','20.022146','10.607211','0.003641','0.41',null),
('3','2','history','2026-11-22 04:00:00+00','2026-11-22 04:30:00+00','2026-11-22 08:44:05.838134+00','1','750','12','0','0','1','0','0','2018.3475','8.356823','0.047972','0.595',null),
('4','2','history','2026-11-22 03:30:00+00','2026-11-22 04:00:00+00','2026-11-22 08:44:06.895453+00','1','583','3','0','0','0','0','0','1980.766','38.47967','0.054516','0.383',null),
('5','3','live','2026-11-22 08:44:02+00','2026-11-22 08:44:04+00','2026-11-22 08:44:09.482073+00','1','157','0','0','0','0','0','0','11.628703','9.829615','0.003954','0.324',null),
('1','1','live','2026-11-22 08:44:02+00','2026-11-22 08:44:04+00','2026-11-22 08:44:09.722691+00','1','409','0','0','0','0','0','0','12.359656','3.490935','0.003238','0.309',null),
('1','1','live','2026-11-22 08:44:04+00','2026-11-22 08:44:06+00','2026-11-22 08:44:11.466488+00','1','409','0','0','0','0','0','0','33.35009','37.169262','0.003054','0.391',null),
('5','3','live','2026-11-22 08:44:04+00','2026-11-22 08:44:06+00','2026-11-22 08:44:11.517108+00','1','157','0','0','0','0','0','0','7.71312','26.363676','0.004072','0.35',null),
('2','1','live','2026-11-22 08:44:04+00','2026-11-22 08:44:06+00','2026-11-22 08:44:11.467199+00','1','390','0','0','0','0','0','0','33.624554','62.348057','0.003698','0.663',null),
('6','3','live','2026-11-22 08:44:04+00','2026-11-22 08:44:06+00','2026-11-22 08:44:11.582411+00','1','157','0','0','0','0','0','0','453.38333','21.601873','0.003898','0.472',null),
('5','3','live','2026-11-22 08:44:06+00','2026-11-22 08:44:08+00','2026-11-22 08:44:13.486311+00','1','157','0','0','0','0','0','0','7.177302','21.953262','0.0039129998','0.446',null),
('2','1','live','2026-11-22 08:44:06+00','2026-11-22 08:44:08+00','2026-11-22 08:44:13.75329+00','1','390','0','0','0','0','0','0','13.999255','16.708714','0.001362','0.264',null),
('1','1','live','2026-11-22 08:44:06+00','2026-11-22 08:44:08+00','2026-11-22 08:44:13.752535+00','1','409','0','0','0','0','0','0','13.785777','16.35091','0.002878','18.613',null),
('6','3','live','2026-11-22 08:44:06+00','2026-11-22 08:44:08+00','2026-11-22 08:44:13.5488+00','1','157','0','0','0','0','0','0','456.9475','1.889941','0.007412','0.331',null),
('5','3','live','2026-11-22 08:44:08+00','2026-11-22 08:44:10+00','2026-11-22 08:44:15.510924+00','1','157','0','0','0','0','0','0','15.053685','43.675354','0.004042','0.374',null),
('1','1','live','2026-11-22 08:44:08+00','2026-11-22 08:44:10+00','2026-11-22 08:44:15.712524+00','1','409','0','0','0','0','0','0','32.975117','5.831848','0.003155','0.284',null),
('2','1','live','2026-11-22 08:44:08+00','2026-11-22 08:44:10+00','2026-11-22 08:44:15.713343+00','1','390','0','0','0','0','0','0','33.203777','11.973529','0.003751','4.144',null),
('6','3','live','2026-11-22 08:44:08+00','2026-11-22 08:44:10+00','2026-11-22 08:44:15.577039+00','1','157','0','0','0','0','0','0','449.71478','16.917387','0.003854','0.505',null),
('5','3','live','2026-11-22 08:44:10+00','2026-11-22 08:44:12+00','2026-11-22 08:44:17.520365+00','1','157','0','0','0','0','0','0','13.125129','3.563803','0.004557','0.413',null),
('1','1','live','2026-11-22 08:44:10+00','2026-11-22 08:44:12+00','2026-11-22 08:44:17.743834+00','1','409','0','0','0','0','0','0','24.295479','12.035948','0.00347','0.413',null),
('2','1','live','2026-11-22 08:44:10+00','2026-11-22 08:44:12+00','2026-11-22 08:44:17.744453+00','1','390','0','0','0','0','0','0','24.542545','20.410086','0.002167','1.78',null),
('6','3','live','2026-11-22 08:44:10+00','2026-11-22 08:44:12+00','2026-11-22 08:44:17.55175+00','1','157','0','0','0','0','0','0','483.73944','5.380332','0.006772','0.229',null),
('6','3','history','2026-11-20 00:00:00+00','2026-11-20 02:00:00+00','2026-11-22 08:44:17.971532+00','1','1132','26','0','0','0','0','0','573.5783','4.864865','0.040717','1.14',null);

insert into window_sum (source_id, hour, lane, windows, failures, requests, bytes, readings, duplicates, revised, refused, late) values
('1','2026-11-22 08:00:00+00','live','46','0','46','20187','60','0','0','4','0'),
('1','2026-11-22 08:00:00+00','history','6','0','6','8792','226','0','0','16','0'),
('3','2026-11-22 08:00:00+00','live','22','0','22','4453','26','0','0','0','0'),
('3','2026-11-22 08:00:00+00','history','7','0','7','6000','130','0','0','0','0'),
('4','2026-11-22 08:00:00+00','live','4','0','4','1123','12','0','0','1','0'),
('2','2026-11-22 08:00:00+00','history','17','0','17','11447','132','0','0','9','0'),
('2','2026-11-22 08:00:00+00','live','16','0','16','6931','15','0','0','0','0'),
('4','2026-11-22 08:00:00+00','history','2','0','2','1777','36','0','0','3','0');

insert into audit (id, at, actor, action, subject, detail) overriding system value values
('1','2026-11-22 08:43:26.918441+00','cli:operator','organisation.created','acme','{"name": "Acme"}'),
('2','2026-11-22 08:43:27.646704+00','cli:operator','project.created','press-shop','{"organisation": "default"}'),
('3','2026-11-22 08:43:28.41776+00','cli:operator','project.created','kiln','{"organisation": "acme"}'),
('4','2026-11-22 08:43:29.309561+00','cli:operator','application.created','app_72f9c8026d3ff4a57f76','{"name": "gateway-7", "projects": null, "organisation": "default"}'),
('5','2026-11-22 08:43:30.18823+00','cli:operator','ingestion.push','press-shop','{"url": "http://service.invalid", "code": "remote-hall", "mostWaiting": 10000000, "organisation": "remote-org", "applicationId": "app_outbox"}'),
('6','2026-11-22 08:43:33.152884+00','cli:operator','source.created','north','{"differences": []}'),
('7','2026-11-22 08:43:34.683247+00','cli:operator','source.created','west','{"differences": []}'),
('8','2026-11-22 08:43:53.000969+00','cli:operator','source.pause','west','{}'),
('9','2026-11-22 08:43:55.125031+00','cli:operator','source.created','south','{"differences": []}'),
('10','2026-11-22 08:43:58.013505+00','cli:operator','source.created','east','{"differences": []}'),
('11','2026-11-22 08:44:06.418861+00','databridge','signing-key.created','hIXz8EkMOmtlVN3_BSdf3ynGQvtcJmEnySxYKEqOUKc','{"signsInSeconds": 0, "othersWithdrawn": false}'),
('12','2026-11-22 08:44:11.114097+00','cli:operator','source.changed','north','{"differences": [{"path": "mapping.labels", "after": "[\"north\"]"}]}');
select setval(pg_get_serial_sequence('audit', 'id'), (select max(id) from audit));

insert into application (id, organisation_id, name, projects, secret_hash, previous_secret_hash, previous_secret_until, created_at, revoked_at) values
('app_72f9c8026d3ff4a57f76','default','gateway-7',null,'\x7aca7222bca12b13d7846b07d68a09335ed3c3f0cda64df553c0b42bd50918e5',null,null,'2026-11-22 08:43:29.309561+00',null);

insert into signing_key (kid, public_key, private_key, created_at, signs_from, signs_until) values
('hIXz8EkMOmtlVN3_BSdf3ynGQvtcJmEnySxYKEqOUKc','{"x": "T1X-y0AzJ6XiekYcgMjwknQZWLmZgJgNxiX1K4UeVow", "crv": "Ed25519", "kty": "OKP"}','eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..42i6ThQNffi30kAV.ekBhT6u_OKQ52mkbTrN5DA5OB6CHskubVAMh_FHiw7EX5MGZkBxnxg6cjP-LnoQGaKGZ-6Bfa9Ux-Gjdo3CMRikj1Oyyov8Spsvi3fw3pkbxjgdOdXEljZWBz7wqdih9jbhJKE78AG5rsHsJNI3Le3liqMPygNjPlncudOunhXyC.rYkQqqY2JPiT10GSF55Gng','2026-11-22 08:44:06.418861+00','2026-11-22 08:44:06.418861+00',null);

insert into refresh_family (id, application_id, created_at, expires_at, revoked_at, revoked_because) overriding system value values
('1','app_72f9c8026d3ff4a57f76','2026-11-22 08:44:06.494922+00','2026-12-22 08:44:07+00',null,null);
select setval(pg_get_serial_sequence('refresh_family', 'id'), (select max(id) from refresh_family));

insert into refresh_token (hash, family_id, generation, expires_at, used_at, successor_seed) values
('\x4e377d9ee3f58a8bca66186faec67bddfd6f4c7fe5e840b7dc6419c53ec75a30','1','1','2026-12-22 08:44:07+00',null,null);

insert into remote (project_id, url, organisation, code, application_id, secret, most_waiting, state, revision, batch, waiting, counted_at, full_since, claimed_by, failures, held_until, last_delivery_at, last_fault, created_at) values
('1','http://service.invalid','remote-org','remote-hall','app_outbox','eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..cSpJClL7C3k_luLn.2v2HYb8W2NYuXS1S3uLSHnQXO96A9g5HDA.QPuqvtIWLB19Fsj8C5h_AA','10000000','active','1',null,'374','2026-11-22 08:44:17.803974+00',null,null,'7','2026-11-22 08:45:02.398066+00',null,'{"at": "2026-11-22T08:44:17.530131Z", "code": "overloaded", "message": "http://service.invalid answers 503"}','2026-11-22 08:43:30.18823+00');

insert into remote_token (project_id, version, sealed, replacing_until) values
('1','1','eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..jKW2ny3DjtwRGhMC.9tIYYVnZPoS1DrQXIUGgTSj2EtQMg3556rbQwspDzV2fkzJg1QcAtsOol5Xnk5keBOtE0bSe26IFIP_-nt_peLi0kRT6UWlT1a8thWDRKQ8zxEvC8iGzsnh_9_ITmnrC5PgMzJ-sJkib7pgCPEV0cVeoW6OQLNL_p0srAZs73W5nTUnw3cPkKUdJcGGbAw087NI7Zo1JwbQ5OMqHUazRqEQDnemHUI8z2jSx3-H6toru3ImHmpOgt3j9ZwcFnGP3vh16q3m3ChEdMKWJOuHyHCuVm6OcvgIyxibFcoirHQyFqujP0i1jowarEyjxmRJX_7RhYObhCrnxVJZi6ElKBlJMNxm0yo7bXAnh1bq6M7kn1ogojo_S.0ukeZlM9OaW97vK8L8O-NQ',null);

insert into outbox (id, project_id, stream_id, readings, series, at, value, precision, labels, noted_at) overriding system value values
('1','1','2','12','{1,1,1,1,1,1,2,2,2,2,2,2}','{"2026-11-22 07:50:00+00","2026-11-22 08:00:00+00","2026-11-22 08:10:00+00","2026-11-22 08:20:00+00","2026-11-22 08:30:00+00","2026-11-22 08:40:00+00","2026-11-22 07:50:00+00","2026-11-22 08:00:00+00","2026-11-22 08:10:00+00","2026-11-22 08:20:00+00","2026-11-22 08:30:00+00","2026-11-22 08:40:00+00"}','{13.638,-52.429,-31.824,60.632,-29.382,-99.299,61.227,-46.028,1.669,0,-77.47,0}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','2026-11-22 08:43:33.827398+00'),
('2','1','1','48','{3,3,3,3,3,3,3,3,3,3,3,3,4,4,4,4,4,4,4,4,4,4,4,4,5,5,5,5,5,5,5,5,5,5,5,5,6,6,6,6,6,6,6,6,6,6,6,6}','{"2026-11-22 07:45:00+00","2026-11-22 07:50:00+00","2026-11-22 07:55:00+00","2026-11-22 08:00:00+00","2026-11-22 08:05:00+00","2026-11-22 08:10:00+00","2026-11-22 08:15:00+00","2026-11-22 08:20:00+00","2026-11-22 08:25:00+00","2026-11-22 08:30:00+00","2026-11-22 08:35:00+00","2026-11-22 08:40:00+00","2026-11-22 07:45:00+00","2026-11-22 07:50:00+00","2026-11-22 07:55:00+00","2026-11-22 08:00:00+00","2026-11-22 08:05:00+00","2026-11-22 08:10:00+00","2026-11-22 08:15:00+00","2026-11-22 08:20:00+00","2026-11-22 08:25:00+00","2026-11-22 08:30:00+00","2026-11-22 08:35:00+00","2026-11-22 08:40:00+00","2026-11-22 07:45:00+00","2026-11-22 07:50:00+00","2026-11-22 07:55:00+00","2026-11-22 08:00:00+00","2026-11-22 08:05:00+00","2026-11-22 08:10:00+00","2026-11-22 08:15:00+00","2026-11-22 08:20:00+00","2026-11-22 08:25:00+00","2026-11-22 08:30:00+00","2026-11-22 08:35:00+00","2026-11-22 08:40:00+00","2026-11-22 07:45:00+00","2026-11-22 07:50:00+00","2026-11-22 07:55:00+00","2026-11-22 08:00:00+00","2026-11-22 08:05:00+00","2026-11-22 08:10:00+00","2026-11-22 08:15:00+00","2026-11-22 08:20:00+00","2026-11-22 08:25:00+00","2026-11-22 08:30:00+00","2026-11-22 08:35:00+00","2026-11-22 08:40:00+00"}','{47.714,17.664,30.711,-25.439,34.405,84.584,67.725,-16.512,-82.676,10.803,0,51.937,0,81.611,20.759,68.904,-68.617,21.137,-56.038,0,-2.241,26.247,0,-4.67,3.301,62.598,17.366,-43.362,-88.563,-22.223,81.168,14.106,-93.233,0,39.368,0,52.194,0,38.571,-80.084,-80.169,49.106,35.173,0,-70.881,-60.759,-69.346,-69.399}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','2026-11-22 08:43:33.838713+00'),
('3','1','2','18','{1,1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,2,2}','{"2026-11-22 06:20:00+00","2026-11-22 06:30:00+00","2026-11-22 06:40:00+00","2026-11-22 06:50:00+00","2026-11-22 07:00:00+00","2026-11-22 07:10:00+00","2026-11-22 07:20:00+00","2026-11-22 07:30:00+00","2026-11-22 07:40:00+00","2026-11-22 06:20:00+00","2026-11-22 06:30:00+00","2026-11-22 06:40:00+00","2026-11-22 06:50:00+00","2026-11-22 07:00:00+00","2026-11-22 07:10:00+00","2026-11-22 07:20:00+00","2026-11-22 07:30:00+00","2026-11-22 07:40:00+00"}','{54.664,-37.335,94.947,0,31.51,49.472,-99.094,-29.798,-96.754,20.88,-46.121,-84.781,75.168,-8.67,55.148,-11.013,0,-74.944}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','2026-11-22 08:43:33.99991+00'),
('4','1','2','10','{1,1,1,1,1,2,2,2,2,2}','{"2026-11-22 04:00:00+00","2026-11-22 04:10:00+00","2026-11-22 04:20:00+00","2026-11-22 04:30:00+00","2026-11-22 04:40:00+00","2026-11-22 04:00:00+00","2026-11-22 04:10:00+00","2026-11-22 04:20:00+00","2026-11-22 04:30:00+00","2026-11-22 04:40:00+00"}','{-39.26,2.006,-78.266,-28.589,-78.68,-68.475,3.848,-11.568,0.17,-59.122}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','2026-11-22 08:43:34.0355+00'),
('5','1','2','18','{1,1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,2,2}','{"2026-11-22 04:50:00+00","2026-11-22 05:00:00+00","2026-11-22 05:10:00+00","2026-11-22 05:20:00+00","2026-11-22 05:30:00+00","2026-11-22 05:40:00+00","2026-11-22 05:50:00+00","2026-11-22 06:00:00+00","2026-11-22 06:10:00+00","2026-11-22 04:50:00+00","2026-11-22 05:00:00+00","2026-11-22 05:10:00+00","2026-11-22 05:20:00+00","2026-11-22 05:30:00+00","2026-11-22 05:40:00+00","2026-11-22 05:50:00+00","2026-11-22 06:00:00+00","2026-11-22 06:10:00+00"}','{-45.097,0,-87.557,-80.781,0,-74.824,0,98.232,74.047,-78.977,85.948,27.453,0,0,62.391,-20.008,-99.841,82.045}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','2026-11-22 08:43:34.067771+00'),
('6','1','1','72','{3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6}','{"2026-11-22 06:15:00+00","2026-11-22 06:20:00+00","2026-11-22 06:25:00+00","2026-11-22 06:30:00+00","2026-11-22 06:35:00+00","2026-11-22 06:40:00+00","2026-11-22 06:45:00+00","2026-11-22 06:50:00+00","2026-11-22 06:55:00+00","2026-11-22 07:00:00+00","2026-11-22 07:05:00+00","2026-11-22 07:10:00+00","2026-11-22 07:15:00+00","2026-11-22 07:20:00+00","2026-11-22 07:25:00+00","2026-11-22 07:30:00+00","2026-11-22 07:35:00+00","2026-11-22 07:40:00+00","2026-11-22 06:15:00+00","2026-11-22 06:20:00+00","2026-11-22 06:25:00+00","2026-11-22 06:30:00+00","2026-11-22 06:35:00+00","2026-11-22 06:40:00+00","2026-11-22 06:45:00+00","2026-11-22 06:50:00+00","2026-11-22 06:55:00+00","2026-11-22 07:00:00+00","2026-11-22 07:05:00+00","2026-11-22 07:10:00+00","2026-11-22 07:15:00+00","2026-11-22 07:20:00+00","2026-11-22 07:25:00+00","2026-11-22 07:30:00+00","2026-11-22 07:35:00+00","2026-11-22 07:40:00+00","2026-11-22 06:15:00+00","2026-11-22 06:20:00+00","2026-11-22 06:25:00+00","2026-11-22 06:30:00+00","2026-11-22 06:35:00+00","2026-11-22 06:40:00+00","2026-11-22 06:45:00+00","2026-11-22 06:50:00+00","2026-11-22 06:55:00+00","2026-11-22 07:00:00+00","2026-11-22 07:05:00+00","2026-11-22 07:10:00+00","2026-11-22 07:15:00+00","2026-11-22 07:20:00+00","2026-11-22 07:25:00+00","2026-11-22 07:30:00+00","2026-11-22 07:35:00+00","2026-11-22 07:40:00+00","2026-11-22 06:15:00+00","2026-11-22 06:20:00+00","2026-11-22 06:25:00+00","2026-11-22 06:30:00+00","2026-11-22 06:35:00+00","2026-11-22 06:40:00+00","2026-11-22 06:45:00+00","2026-11-22 06:50:00+00","2026-11-22 06:55:00+00","2026-11-22 07:00:00+00","2026-11-22 07:05:00+00","2026-11-22 07:10:00+00","2026-11-22 07:15:00+00","2026-11-22 07:20:00+00","2026-11-22 07:25:00+00","2026-11-22 07:30:00+00","2026-11-22 07:35:00+00","2026-11-22 07:40:00+00"}','{-64.96,-59.194,-73.59,-55.177,19.421,54.554,-14.046,-63.42,7.203,-4.671,-69.601,-6.919,0,0,-41.99,18.091,-32.91,-73.105,51.387,58.708,-64.833,-70.79,44.415,62.355,41.337,33.169,0,-31.493,55.646,-42.773,-19.601,-71.956,27.555,-26.285,33.98,0,0,-75.706,0,-49.943,-16.268,5.228,-51.412,-60.312,0,52.514,3.294,29.46,-26.276,-88.889,0,6.027,-65.77,0,-99.419,92.015,-18.289,0,5.671,38.544,-50.401,-39.976,41.466,-54.402,-15.267,60.553,0,0,-91.617,0,-27.711,-33.587}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','2026-11-22 08:43:34.127277+00'),
('7','1','1','36','{3,3,3,3,3,3,3,3,3,4,4,4,4,4,4,4,4,4,5,5,5,5,5,5,5,5,5,6,6,6,6,6,6,6,6,6}','{"2026-11-22 04:00:00+00","2026-11-22 04:05:00+00","2026-11-22 04:10:00+00","2026-11-22 04:15:00+00","2026-11-22 04:20:00+00","2026-11-22 04:25:00+00","2026-11-22 04:30:00+00","2026-11-22 04:35:00+00","2026-11-22 04:40:00+00","2026-11-22 04:00:00+00","2026-11-22 04:05:00+00","2026-11-22 04:10:00+00","2026-11-22 04:15:00+00","2026-11-22 04:20:00+00","2026-11-22 04:25:00+00","2026-11-22 04:30:00+00","2026-11-22 04:35:00+00","2026-11-22 04:40:00+00","2026-11-22 04:00:00+00","2026-11-22 04:05:00+00","2026-11-22 04:10:00+00","2026-11-22 04:15:00+00","2026-11-22 04:20:00+00","2026-11-22 04:25:00+00","2026-11-22 04:30:00+00","2026-11-22 04:35:00+00","2026-11-22 04:40:00+00","2026-11-22 04:00:00+00","2026-11-22 04:05:00+00","2026-11-22 04:10:00+00","2026-11-22 04:15:00+00","2026-11-22 04:20:00+00","2026-11-22 04:25:00+00","2026-11-22 04:30:00+00","2026-11-22 04:35:00+00","2026-11-22 04:40:00+00"}','{-75.071,-6.9,5.237,-16.019,-84.575,55.017,4.789,97.517,-22.401,56.618,-12.75,-39.379,0,0,71.163,88.925,95.634,-37.368,0,0,-55.073,-65.958,0,4.518,58.943,9.718,-41.966,19.976,79.516,0,-17.407,-76.011,0,39.007,-75.591,90.478}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','2026-11-22 08:43:34.190148+00'),
('8','1','1','72','{3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6}','{"2026-11-22 04:45:00+00","2026-11-22 04:50:00+00","2026-11-22 04:55:00+00","2026-11-22 05:00:00+00","2026-11-22 05:05:00+00","2026-11-22 05:10:00+00","2026-11-22 05:15:00+00","2026-11-22 05:20:00+00","2026-11-22 05:25:00+00","2026-11-22 05:30:00+00","2026-11-22 05:35:00+00","2026-11-22 05:40:00+00","2026-11-22 05:45:00+00","2026-11-22 05:50:00+00","2026-11-22 05:55:00+00","2026-11-22 06:00:00+00","2026-11-22 06:05:00+00","2026-11-22 06:10:00+00","2026-11-22 04:45:00+00","2026-11-22 04:50:00+00","2026-11-22 04:55:00+00","2026-11-22 05:00:00+00","2026-11-22 05:05:00+00","2026-11-22 05:10:00+00","2026-11-22 05:15:00+00","2026-11-22 05:20:00+00","2026-11-22 05:25:00+00","2026-11-22 05:30:00+00","2026-11-22 05:35:00+00","2026-11-22 05:40:00+00","2026-11-22 05:45:00+00","2026-11-22 05:50:00+00","2026-11-22 05:55:00+00","2026-11-22 06:00:00+00","2026-11-22 06:05:00+00","2026-11-22 06:10:00+00","2026-11-22 04:45:00+00","2026-11-22 04:50:00+00","2026-11-22 04:55:00+00","2026-11-22 05:00:00+00","2026-11-22 05:05:00+00","2026-11-22 05:10:00+00","2026-11-22 05:15:00+00","2026-11-22 05:20:00+00","2026-11-22 05:25:00+00","2026-11-22 05:30:00+00","2026-11-22 05:35:00+00","2026-11-22 05:40:00+00","2026-11-22 05:45:00+00","2026-11-22 05:50:00+00","2026-11-22 05:55:00+00","2026-11-22 06:00:00+00","2026-11-22 06:05:00+00","2026-11-22 06:10:00+00","2026-11-22 04:45:00+00","2026-11-22 04:50:00+00","2026-11-22 04:55:00+00","2026-11-22 05:00:00+00","2026-11-22 05:05:00+00","2026-11-22 05:10:00+00","2026-11-22 05:15:00+00","2026-11-22 05:20:00+00","2026-11-22 05:25:00+00","2026-11-22 05:30:00+00","2026-11-22 05:35:00+00","2026-11-22 05:40:00+00","2026-11-22 05:45:00+00","2026-11-22 05:50:00+00","2026-11-22 05:55:00+00","2026-11-22 06:00:00+00","2026-11-22 06:05:00+00","2026-11-22 06:10:00+00"}','{0,-88.864,0,-70.402,-23.612,83.297,0,-40.549,-90.37,0,-62.996,41.132,-28.566,-50.159,25.268,57.688,71.19,-28.607,-33.751,-37.582,-82.573,-82.499,-69.761,-40.745,0,-42.844,-82.11,0,14.767,13.818,-72.516,42.196,-1.318,13.276,17.305,0,76.006,96.185,-8.862,-73.682,2.813,-59.512,47.063,-84.495,-75.714,-39.25,-84.206,35.164,3.259,-67.638,7.107,-67.796,0,9.965,-50.382,-93.848,-19.244,-18.571,91.812,-17.016,-77.413,-97.295,56.549,32.472,0,9.407,0,0,-71.975,-36.668,-10.19,0}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','2026-11-22 08:43:34.20811+00'),
('9','1','7','12','{13,13,13,13,13,13,14,14,14,14,14,14}','{"2026-11-22 07:50:00+00","2026-11-22 08:00:00+00","2026-11-22 08:10:00+00","2026-11-22 08:20:00+00","2026-11-22 08:30:00+00","2026-11-22 08:40:00+00","2026-11-22 07:50:00+00","2026-11-22 08:00:00+00","2026-11-22 08:10:00+00","2026-11-22 08:20:00+00","2026-11-22 08:30:00+00","2026-11-22 08:40:00+00"}','{-33.697,-26.604,65.058,0,89.302,6.615,-19.268,39.269,67.858,0,1.906,30.821}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','2026-11-22 08:43:58.323058+00'),
('10','1','7','18','{13,13,13,13,13,13,13,13,13,14,14,14,14,14,14,14,14,14}','{"2026-11-22 06:20:00+00","2026-11-22 06:30:00+00","2026-11-22 06:40:00+00","2026-11-22 06:50:00+00","2026-11-22 07:00:00+00","2026-11-22 07:10:00+00","2026-11-22 07:20:00+00","2026-11-22 07:30:00+00","2026-11-22 07:40:00+00","2026-11-22 06:20:00+00","2026-11-22 06:30:00+00","2026-11-22 06:40:00+00","2026-11-22 06:50:00+00","2026-11-22 07:00:00+00","2026-11-22 07:10:00+00","2026-11-22 07:20:00+00","2026-11-22 07:30:00+00","2026-11-22 07:40:00+00"}','{0,-17.101,-11.771,58.394,15.832,-74.631,-43.059,48.453,-14.921,0,92.788,72.95,-77.901,38.328,30.447,-95.296,85.828,21.917}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','2026-11-22 08:43:58.447835+00'),
('11','1','7','18','{13,13,13,13,13,13,13,13,13,14,14,14,14,14,14,14,14,14}','{"2026-11-22 04:50:00+00","2026-11-22 05:00:00+00","2026-11-22 05:10:00+00","2026-11-22 05:20:00+00","2026-11-22 05:30:00+00","2026-11-22 05:40:00+00","2026-11-22 05:50:00+00","2026-11-22 06:00:00+00","2026-11-22 06:10:00+00","2026-11-22 04:50:00+00","2026-11-22 05:00:00+00","2026-11-22 05:10:00+00","2026-11-22 05:20:00+00","2026-11-22 05:30:00+00","2026-11-22 05:40:00+00","2026-11-22 05:50:00+00","2026-11-22 06:00:00+00","2026-11-22 06:10:00+00"}','{-4.885,-86.177,10.962,0,23.202,-76.583,0,-19.604,87.712,0,82.435,-39.272,51.004,-17.247,-87.49,-67.187,32.191,-58.105}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}','2026-11-22 08:43:58.553796+00'),
('12','1',null,'40','{18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18,18}','{"2026-11-21 20:00:00+00","2026-11-21 20:01:00+00","2026-11-21 20:02:00+00","2026-11-21 20:03:00+00","2026-11-21 20:04:00+00","2026-11-21 20:05:00+00","2026-11-21 20:06:00+00","2026-11-21 20:07:00+00","2026-11-21 20:08:00+00","2026-11-21 20:09:00+00","2026-11-21 20:10:00+00","2026-11-21 20:11:00+00","2026-11-21 20:12:00+00","2026-11-21 20:13:00+00","2026-11-21 20:14:00+00","2026-11-21 20:15:00+00","2026-11-21 20:16:00+00","2026-11-21 20:17:00+00","2026-11-21 20:18:00+00","2026-11-21 20:19:00+00","2026-11-21 20:20:00+00","2026-11-21 20:21:00+00","2026-11-21 20:22:00+00","2026-11-21 20:23:00+00","2026-11-21 20:24:00+00","2026-11-21 20:25:00+00","2026-11-21 20:26:00+00","2026-11-21 20:27:00+00","2026-11-21 20:28:00+00","2026-11-21 20:29:00+00","2026-11-21 20:30:00+00","2026-11-21 20:31:00+00","2026-11-21 20:32:00+00","2026-11-21 20:33:00+00","2026-11-21 20:34:00+00","2026-11-21 20:35:00+00","2026-11-21 20:36:00+00","2026-11-21 20:37:00+00","2026-11-21 20:38:00+00","2026-11-21 20:39:00+00"}','{0,0.25,0.5,0.75,1,1.25,1.5,1.75,2,2.25,2.5,2.75,3,3.25,3.5,3.75,4,4.25,4.5,4.75,5,5.25,5.5,5.75,6,6.25,6.5,6.75,7,7.25,7.5,7.75,8,8.25,8.5,8.75,9,9.25,9.5,9.75}','{90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90,90}','{2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2}','2026-11-22 08:44:06.69844+00');
select setval(pg_get_serial_sequence('outbox', 'id'), (select max(id) from outbox));

insert into series_name (source_id, sensor_id, value_name, holder) values
('1','press-1','motor_current','["press-1","motor.current"]'),
('1','press-1','motor_running','["press-1","motor.running"]'),
('1','press-1','motor_speed','["press-1","motor.speed"]'),
('1','press-1','oil_state','["press-1","oil.state"]'),
('1','press-1','oil_temperature','["press-1","oil.temperature"]'),
('1','press-2','motor_current','["press-2","motor.current"]'),
('1','press-2','motor_running','["press-2","motor.running"]'),
('1','press-2','motor_speed','["press-2","motor.speed"]'),
('1','press-2','oil_state','["press-2","oil.state"]'),
('1','press-2','oil_temperature','["press-2","oil.temperature"]'),
('2','saw-1','motor_current','["saw-1","motor.current"]'),
('2','saw-1','motor_speed','["saw-1","motor.speed"]'),
('2','saw-1','oil_temperature','["saw-1","oil.temperature"]'),
('2','saw-1','motor_running','["saw-1","motor.running"]'),
('2','saw-1','oil_state','["saw-1","oil.state"]'),
('3','00000000-0000-4000-8000-000000000001','flow','["00000000-0000-4000-8000-000000000001","flow"]'),
('3','00000000-0000-4000-8000-000000000001','running','["00000000-0000-4000-8000-000000000001","running"]'),
('3','00000000-0000-4000-8000-000000000001','temperature','["00000000-0000-4000-8000-000000000001","temperature"]'),
('4','00000000-0000-4000-8000-00000000000b','flow','["00000000-0000-4000-8000-00000000000b","flow"]'),
('4','00000000-0000-4000-8000-00000000000b','running','["00000000-0000-4000-8000-00000000000b","running"]'),
('4','00000000-0000-4000-8000-00000000000b','temperature','["00000000-0000-4000-8000-00000000000b","temperature"]'),
('3','00000000-0000-4000-8000-000000000002','flow','["00000000-0000-4000-8000-000000000002","flow"]'),
('3','00000000-0000-4000-8000-000000000002','running','["00000000-0000-4000-8000-000000000002","running"]'),
('3','00000000-0000-4000-8000-000000000002','temperature','["00000000-0000-4000-8000-000000000002","temperature"]');

insert into migration (id, name, run_on) values
('1','0001_foundation','2026-11-22 08:43:26.852048'),
('2','0002_access','2026-11-22 08:43:26.878428'),
('3','0003_outbox','2026-11-22 08:43:26.886248'),
('4','0004_series_name','2026-11-22 08:43:26.893841'),
('5','0005_caught_up','2026-11-22 08:43:26.896138');
select setval('migration_id_seq', (select max(id) from migration));
