-- Up Migration

-- Requests of operators that carried an Idempotency-Key, for a day.
create table idempotent_request (
  operator_id bigint not null,
  -- SHA-256 of the key.
  key text not null,
  -- HMAC of the route and the body under the key.
  request bytea not null,
  at timestamptz not null default now(),
  -- The status of the answer; null until it is given.
  status smallint,
  -- The answer; null where it holds a secret or is too long to keep.
  answer text,
  -- The path of the thing that was made, or its id where the answer is not kept.
  made text,
  primary key (operator_id, key)
);
create index idempotent_request_age on idempotent_request (at);
