-- Up Migration

-- The requests of each source by hour, as the pace counted them: those of windows, looks and logins, failed ones too, each in the
-- minute of its slot. The text of the pace knows the last hour alone. Written every few minutes from that text, never by a poll.
create table request_hour (
  source_id integer not null references source on delete cascade,
  hour timestamptz not null,
  live integer not null,
  history integer not null,
  look integer not null,
  login integer not null,
  -- Those among them without an answer, or with a status from 400 on.
  failed integer not null,
  -- The requests of the fullest minute, and when it began.
  fullest integer not null,
  fullest_at timestamptz not null,
  -- The minutes before this instant are in the row.
  counted_to timestamptz not null,
  primary key (source_id, hour)
);
