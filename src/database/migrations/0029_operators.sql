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
