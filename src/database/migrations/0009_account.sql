-- Up Migration

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
