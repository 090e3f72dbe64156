-- Up Migration

-- When the operator of a session last proved who it is: it signed in, or gave its password again.
alter table operator_session add column proved_at timestamptz not null default now();
update operator_session set proved_at = created_at;
-- It was begun with a link, so an operator without a password of its own choice may choose one in it.
alter table operator_session add column by_link boolean not null default false;

-- Links that sign a browser in once. An operator has at most one, so a new one replaces it.
create table operator_link (
  -- Of operator_account, without a foreign key, because a backup holds that table and not this one.
  operator_id bigint primary key,
  -- SHA-256 of the token.
  hash bytea not null unique,
  expires_at timestamptz not null
);
create index operator_link_expiry on operator_link (expires_at);
