-- Up Migration

-- The end of a run of history: it asked the time before again for late data, so the run that continues here need not.
alter table stream add column caught_up_to timestamptz;
