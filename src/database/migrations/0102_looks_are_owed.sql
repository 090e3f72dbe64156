-- Up Migration

-- Looks for late data before a gap are owed in look_again, so no run of history leaves word for the next one.
alter table stream drop column caught_up_to;
