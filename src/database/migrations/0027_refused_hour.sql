-- Up Migration

-- The points of a stream that were refused and still are: those of each window replace all that stood in its time, so asking
-- again counts nothing twice and a mended mapping leaves nothing behind. Each point is held by its instant, because a window may
-- end inside an hour: as µs from the middle of the hour, which fits four bytes. `examples`: [point, value] of at most three.
create table refused_hour (
  stream_id integer not null references stream on delete cascade,
  hour timestamptz not null,
  sensor text not null,
  variable text not null,
  reason text not null,
  points integer[] not null,
  examples jsonb not null default '[]',
  noted_at timestamptz not null default now(),
  primary key (stream_id, hour, sensor, variable, reason)
) with (fillfactor = 80);

-- The points that were kept so far. One without an instant stands at the hour in which it was noted.
insert into refused_hour (stream_id, hour, sensor, variable, reason, points, examples, noted_at)
select stream_id, hour, sensor, variable, reason, array_agg(point order by point),
  jsonb_build_array(jsonb_build_array(min(point), (array_agg(raw order by point))[1])), max(noted_at)
from (
  select refusal.*, date_trunc('hour', coalesce(at, noted_at), 'UTC') as hour,
    (instant_of(coalesce(at, date_trunc('hour', noted_at, 'UTC'))) - instant_of(date_trunc('hour', coalesce(at, noted_at), 'UTC')) - 1800000000)::int as point
  from refusal where stream_id is not null) as kept
group by stream_id, hour, sensor, variable, reason;

-- Those of a remote service stay with their project, too.
delete from refusal where stream_id is not null and project_id is null;

-- What remains are points that were counted and not kept: no one knows their sensors and instants.
delete from refusal_count where stream_id is not null and refused <= kept;
update refusal_count set refused = refused - kept, kept = 0 where stream_id is not null;
