-- Up Migration

-- What the platform said when it refused a request with these credentials the last time. A process that only finds the mark
-- of another one tells it to the operator as well.
alter table account add column refusal text;
