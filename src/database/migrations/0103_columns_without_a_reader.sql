-- Up Migration

-- Each commit took the age of its latest reading, and nobody read it; no window with a fault has been logged since faults stand with
-- their stream and source.
alter table window_log drop column lateness_us, drop column fault;
