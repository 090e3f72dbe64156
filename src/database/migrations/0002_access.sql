-- Up Migration

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
