-- The key of the sealed secrets, by its id, and a text that it sealed. A process whose keys do not open the text refuses to work.
-- A row without a text stands for secrets that were given up: the next process that starts makes it with its own key.
create table sealing (
  id boolean primary key default true check (id),
  kid text,
  canary text,
  -- Since when values are sealed anew with this key; null where none is left.
  rotating_since timestamptz,
  check ((kid is null) = (canary is null))
);
