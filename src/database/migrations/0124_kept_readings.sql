-- Up Migration

alter table ml_project
  -- How long its readings are kept, such as 3y; null: for ever.
  add column keep text check (keep ~ '^[1-9][0-9]{0,3}(d|w|mo|y)$'),
  -- The begin of a day (UTC). Readings before it are not seen, whether they were removed yet or not. It never goes back.
  add column kept_from timestamptz,
  -- When rows before kept_from are looked for next; null while there are none to look for.
  add column trim_at timestamptz,
  -- While there is a reason nothing of the project is removed.
  add column hold_reason text,
  add column held_by text,
  add column held_at timestamptz,
  add check ((hold_reason is null) = (held_by is null) and (hold_reason is null) = (held_at is null));
