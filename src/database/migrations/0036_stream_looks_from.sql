-- Up Migration

-- Looks for late data reach no further back than this: readings before it have other names, or had another owner.
alter table stream add column looks_from timestamptz;
