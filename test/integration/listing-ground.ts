import type { Database } from '../../src/database/database.ts';
import { partitionsOf } from '../../src/database/partitions.ts';

/** Names as long as they may be, or as plants have them. */
export const LONG = {
  organisation: 'organisation-of-the-northern-works-and-its-subsidiaries-in-full',
  project: 'project-of-the-second-pump-hall-behind-the-old-rolling-mill-no-7',
  source: 'historian-of-the-second-pump-hall-behind-the-old-rolling-mill-7',
  stream: 'stream-of-all-the-sensors-that-stand-in-the-second-pump-hall-no7',
  sensor: 'sensor-at-the-pressure-side-of-the-second-feed-pump-of-boiler-12',
  variable: 'variable-that-says-how-far-the-valve-before-the-pump-has-opened',
  application: 'app_0123456789abcdef0123',
  operator: 'operator.of.the.second.pump.hall@northern-works-and-subsidiaries',
} as const;

const FAULT = {
  code: 'unavailable',
  message: `reading the page of ${LONG.sensor}: https://historian.northern-works.example/api answers 503 Service Unavailable`,
  remedy:
    'look at the log of the platform, and at the load of the machine on which it runs; the bridge asks again by itself',
  at: '2026-11-20T12:00:00Z',
};

/** Fills every table that a listing command reads with long names: one source with everything, and `sources` altogether. */
export async function fillWithLongNames(database: Database, sources: number): Promise<void> {
  const run = (statement: string, ...values: unknown[]): Promise<number> => database.run(statement, values);
  await run('insert into organisation (id, name) values ($1, $1)', LONG.organisation);
  await run(
    `with operator as (
       insert into operator_account (name, role, organisations) values ($1, 'operator', array[$2]) returning id)
     insert into operator_token (id, operator_id, name, hash, expires_at, last_used_at)
     select 'tok_0123456789abcdef0123', id, $3, 'x', now(), now() from operator`,
    LONG.operator,
    LONG.organisation,
    LONG.sensor,
  );
  await run(
    'insert into ml_project (organisation_id, code, name) values ($1, $2, $2)',
    LONG.organisation,
    LONG.project,
  );
  await run(
    `insert into held_name (project_id, sensor_id, value_name, application_id, readings, first_at, last_at)
     select id, $1, $2, null, 1000000, now(), now() from ml_project`,
    LONG.sensor,
    LONG.variable,
  );
  await run(
    `insert into source (organisation_id, name, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us,
       state, failures, last_fault, look_fault, held_until, clock_ahead_us)
     select $1, case n when 1 then $2 else left($2, 57) || '-' || lpad(n::text, 5, '0') end, ml_project.id, 'user-credentials', 'influxdb',
       $3::jsonb, now() - interval '3 days', 60000000, 0, 5000000,
       (array['active', 'paused', 'stopped'])[1 + n % 3], 3 * (n % 2), case when n % 2 = 1 then $4::jsonb end, $4::jsonb,
       now() + interval '1 hour', -8000000
     from ml_project, generate_series(1, $5) as n where code = $6`,
    LONG.organisation,
    LONG.source,
    JSON.stringify({
      name: LONG.source,
      organisation: LONG.organisation,
      project: LONG.project,
      connection: { url: 'https://historian.northern-works.example/api', username: 'reader', password: 'sealed' },
      sensors: [{ id: LONG.sensor, as: LONG.sensor }],
    }),
    JSON.stringify(FAULT),
    sources,
    LONG.project,
  );
  await run(
    `insert into work (kind, id, source_id, due_at, failures, ended_at) select one.kind, id, id, now(), 2, now()
     from source, unnest(array['poll', 'look']) as one (kind)`,
  );
  await run(
    `insert into stream (source_id, key, selection, sensors, covered, failures, retry_at, last_fault, newest_at, look_again, news_age_us, news_beyond, absent_since)
     select id, $1, '{}', jsonb_build_array(jsonb_build_object('id', $3::text)), tstzmultirange(tstzrange(now() - interval '2 days', now() - interval '1 day'), tstzrange(now() - interval '9 hours', now() - interval '1 hour')),
       4, now() + interval '1 hour', $2::jsonb, now() - interval '1 hour', tstzmultirange(tstzrange(now() - interval '2 days', now() - interval '1 day')), 3600000000, 7, now()
     from source`,
    LONG.stream,
    JSON.stringify(FAULT),
    LONG.sensor,
  );
  await run(
    `insert into unreadable (stream_id, from_at, to_at, tries, retry_at, fault)
     select id, now() - interval '3 hours', now() - interval '2 hours', 3, now(), $1::jsonb from stream`,
    JSON.stringify(FAULT),
  );
  await run(
    'insert into series (project_id, sensor_id, value_name, owner) select id, $1, $2, $3 from ml_project where code = $4',
    LONG.sensor,
    LONG.variable,
    LONG.source,
    LONG.project,
  );
  const row = await database.row<{ now: number }>('select instant_of(now()) as now');
  const now = row?.now ?? 0;
  for (const name of ['reading', 'window_log'] as const)
    await partitionsOf(database).ensure(name, now - 7_200_000_000, now);
  await run(`insert into label_set (labels) values (array['${'label-'.repeat(10)}'])`);
  await run(
    `insert into reading (series, at, value, precision, labels) select series.id, now() - n * interval '1 minute', n / 7.0, 100, label_set.id from series, label_set, generate_series(1, 30) as n`,
  );
  await run(
    `insert into refused_hour (stream_id, hour, reason, sensor, variable, points, examples)
     select id, date_trunc('hour', now()), 'text-number', $1, $2, array(select generate_series(1, 12345)), jsonb_build_array(jsonb_build_array(1, $3::text))
     from stream where source_id = (select min(id) from source)`,
    LONG.sensor,
    LONG.variable,
    JSON.stringify('a text of the platform that stands where a number is expected, and that is as long as texts are'),
  );
  await run(
    `insert into refusal_count (stream_id, reason, hour, refused, kept) select id, 'text-number', date_trunc('hour', now()), 12345, 1 from stream`,
  );
  await run(
    `insert into window_log (stream_id, source_id, lane, from_at, to_at, asked_at, requests, bytes, readings, duplicates, revised, refused, late, waited_ms, http_ms, normalise_ms, store_ms)
     select id, source_id, 'history', now() - interval '1 hour', now(), now() - interval '1 minute', 17, 123456789, 123456, 12, 3, 4, 5, 12345, 23456, 3456, 4567
     from stream where source_id = (select min(id) from source)`,
  );
  await run(
    `insert into backfill (source_id, from_at, to_at, what, requested_by) select id, now() - interval '2 days', now(), 'all', 'cli:operator' from source where id < 20`,
  );
  await run(
    `insert into application (id, organisation_id, name, projects, secret_hash, previous_secret_until) values ($1, $2, $3, array[$4, $4], '', now() + interval '1 day')`,
    LONG.application,
    LONG.organisation,
    `gateway-${LONG.source}`,
    LONG.project,
  );
  await run(
    `insert into refusal (project_id, application_id, reason, sensor, variable, at, raw) select id, $1, 'text-number', $2, $3, now(), '"text"' from ml_project where code = $4`,
    LONG.application,
    LONG.sensor,
    LONG.variable,
    LONG.project,
  );
  await run(
    `insert into refusal_count (application_id, project_id, reason, hour, refused, kept) select $1, id, 'text-number', date_trunc('hour', now()), 1, 1 from ml_project where code = $2`,
    LONG.application,
    LONG.project,
  );
  await run(
    `insert into remote (project_id, url, organisation, code, application_id, secret, most_waiting, waiting, last_fault, last_delivery_at, full_since)
     select id, 'https://ingest.northern-works.example', $1, $2, $3, '\${env:SECRET}', 10, 123456, $4::jsonb, now(), now() from ml_project where code = $2`,
    LONG.organisation,
    LONG.project,
    LONG.application,
    JSON.stringify(FAULT),
  );
  await run(
    `insert into refusal (project_id, reason, sensor, variable, at, raw) select id, 'remote', $1, $2, now(), $3 from ml_project where code = $4`,
    LONG.sensor,
    LONG.variable,
    '12.5: invalid: the service said in many words that it does not take readings of this sensor at this time of the year',
    LONG.project,
  );
  await run(
    `insert into signing_key (kid, public_key, signs_from) values ('key-0123456789abcdef0123456789abcdef', '{}', now())`,
  );
  await run(
    `insert into audit (actor, action, subject, detail) select 'cli:operator-with-a-long-name', 'source.applied', $1, jsonb_build_object('organisation', $2::text, 'revision', n) from generate_series(1, 60) as n`,
    LONG.source,
    LONG.organisation,
  );
  await run(
    `insert into worker (id, host, pid, version) select gen_random_uuid(), 'worker-' || n || '.pump-hall.northern-works.example', n, '0.1.0' from generate_series(1, 9) as n`,
  );
}
