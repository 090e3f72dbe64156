-- Up Migration

-- A source that is polled each second writes more rows here than readings. Housekeeping puts the quiet live windows of a stream and
-- minute into one row, which counts them: sums, the span of their time, and the instant at which the first was asked. Lengths of time
-- are averages of a window then.
alter table window_log add column windows integer not null default 1, add column slowest_ms real;
