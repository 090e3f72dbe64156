-- Up Migration

-- Attempts of clients and operators that all processes count together, such as passwords from one address: by the hash of what is
-- counted, the instant at which all attempts are free again. Lost with a crash of the server, which frees them.
create unlogged table attempt (
  key text primary key,
  full_at timestamptz not null
);
