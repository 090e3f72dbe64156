-- Up Migration

-- Where a run of history ended: what lies before was asked again for late data, so the run that goes on from here need not.
alter table stream add column caught_up_to timestamptz;
