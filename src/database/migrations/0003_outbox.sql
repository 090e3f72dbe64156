-- Up Migration

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
