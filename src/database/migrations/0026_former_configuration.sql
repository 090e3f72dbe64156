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
