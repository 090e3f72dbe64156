-- Up Migration

-- The pushes of each application. Every process adds its sums every few seconds, so that no push waits for them; a killed
-- process loses those of its last seconds.
create table application_use (
  application_id text primary key references application on delete cascade,
  last_push_at timestamptz not null,
  pushes bigint not null,
  accepted bigint not null,
  duplicates bigint not null,
  revised bigint not null,
  -- Of bodies, after unpacking.
  bytes bigint not null
);
