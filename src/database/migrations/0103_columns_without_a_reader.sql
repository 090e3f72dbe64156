-- Up Migration

-- Each commit stored how late its latest reading was, and nobody read that. The first versions logged failed windows with their fault,
-- which stands with the stream and the source today; without it those rows would look like windows that were read.
delete from window_log where fault is not null;
alter table window_log drop column lateness_us, drop column fault;
