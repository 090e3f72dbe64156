-- How far the host's clock is ahead of the database's (µs, negative where it is behind), while the worker polls nothing
-- because of that; null otherwise.
alter table worker add column clock_ahead_us bigint;
