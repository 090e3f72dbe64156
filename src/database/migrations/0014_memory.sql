-- Up Migration

-- How much each process remembers of this database: it raises its mark with everything it learns, in the transaction that
-- reads it. A database that was restored holds an older mark, and the process that finds it forgets everything.
create table memory (
  process uuid primary key,
  mark bigint not null,
  at timestamptz not null default now()
);

-- Tells a configuration from every other one, also from one with the same numbers that a restored database got anew.
alter table source add column edition uuid not null default gen_random_uuid();

create function new_edition() returns trigger language plpgsql as $$
begin
  new.edition = gen_random_uuid();
  return new;
end $$;
create trigger source_edition before update of revision on source
  for each row when (old.revision <> new.revision) execute function new_edition();
