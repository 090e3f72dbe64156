-- Up Migration

-- PostgreSQL puts the text of such a function in the place of its call only where nothing in the text depends on the session's time
-- zone. Before, each instant of each statement of a poll was the call of a function that runs a query.
create or replace function at_instant(us bigint) returns timestamptz language sql immutable strict parallel safe
  return (timestamp 'epoch' + us * interval '1 microsecond') at time zone 'UTC';
create or replace function instant_of(at timestamptz) returns bigint language sql immutable strict parallel safe
  return (extract(epoch from at at time zone 'UTC') * 1000000)::bigint;
