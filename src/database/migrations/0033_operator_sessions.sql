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
