-- Up Migration

-- A list of sources asks which of them had points refused in the last day; nearly all hours of nearly all sources had none.
create index window_sum_refused on window_sum (hour, source_id) where refused > 0;
