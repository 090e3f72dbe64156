-- Up Migration

-- One 401 does not tell a wrong password from a right that is missing on one path; see pull/open/account.ts.
alter table account
  -- The source whose request the platform refused last.
  add column refused_by integer,
  -- Until then only a source that worked makes the second try.
  add column second_until timestamptz;
