-- How far the platform's clock is ahead of ours (µs, negative where it is behind), while its answers prove that it is off; null
-- otherwise. See core/platform-clock.ts.
alter table source add column clock_ahead_us bigint;
