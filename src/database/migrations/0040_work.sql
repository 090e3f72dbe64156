-- Up Migration

-- What may be done, when, and who does it now: the poll of a source, the look for its sensors, the history of a stream. A row is
-- narrow and no index names what changes in it, because a row changes with each run. There is a row only while there is something
-- to do: the poll of a source from its first streams on, its look until none is needed, the history of a stream until it is complete.
create table work (
  kind text not null check (kind in ('poll', 'look', 'history')),
  -- Of the source or, in history, of the stream.
  id integer not null,
  source_id integer not null references source on delete cascade,
  due_at timestamptz not null,
  -- When the planner gave it to the queue; null from its claim on. A lost queue loses its jobs, so it is given again after a while.
  sent_at timestamptz,
  -- More was asked for since the claim, so that the report leaves the work due.
  asked boolean not null default false,
  -- The process that does it (worker.id). The claim ends with its report, and when the process falls silent.
  claimed_by uuid,
  -- In a row, of looks and of histories. Failures of polls are those of the source.
  failures integer not null default 0,
  -- The end of the last run, and of the last one without a fault.
  ended_at timestamptz,
  well_at timestamptz,
  primary key (kind, id)
) with (fillfactor = 50);

insert into work (kind, id, source_id, due_at, claimed_by, ended_at, well_at)
  select 'poll', id, id, coalesce(next_due_at, now()), claimed_by, last_poll_at, last_success_at from source
  where exists (select from stream where source_id = source.id and retired_at is null);
insert into work (kind, id, source_id, due_at, asked, claimed_by, failures)
  select 'look', id, id, coalesce(look_due_at, now()), look_asked, look_claimed_by, look_failures from source
  where look_due_at is not null or look_claimed_by is not null;
insert into work (kind, id, source_id, due_at, asked, claimed_by, failures)
  select 'history', id, source_id, coalesce(history_due_at, now()), history_asked, history_claimed_by, history_failures from stream
  where retired_at is null and (history_due_at is not null or history_claimed_by is not null);

drop index source_due, stream_history_due;
alter table source drop column next_due_at, drop column claimed_by, drop column last_poll_at, drop column last_success_at,
  drop column look_due_at, drop column look_asked, drop column look_claimed_by, drop column look_failures;
alter table stream drop column history_due_at, drop column history_asked, drop column history_claimed_by, drop column history_failures;

-- Room on each page for the next version of a row that changes with every window or request.
alter table stream set (fillfactor = 80);
alter table pace set (fillfactor = 50);
