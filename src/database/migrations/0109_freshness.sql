-- Up Migration

-- When a sensor of each source is silent by its own rhythm. The turn of the alerts refreshes a row each minute or so, because the
-- newest reading of each sensor is too dear to find for every list of sources. See core/freshness.ts.
create table freshness (
  source_id integer primary key references source on delete cascade,
  -- What the row says of readings is of this instant, and the source was covered up to `reached_at` then.
  looked_at timestamptz not null,
  reached_at timestamptz,
  -- Where the coverage passes this instant, a sensor has been silent for too long; null without sensors that were asked for.
  silent_from timestamptz,
  -- At that look: all sensors, those that were silent, and those of them that have never given a reading.
  sensors integer not null,
  silent integer not null,
  never integer not null,
  -- When the period began in which the longest gaps of `known` are kept.
  period_at timestamptz not null,
  -- By sensor, µs: [newest reading, longest gap that ended in this period, the same of the period before].
  known jsonb not null
) with (fillfactor = 50);
