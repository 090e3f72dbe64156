import { beforeEach, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { claimsOf } from '../../src/pull/claim.ts';
import { forgetImpossibleWaits, uncoverEarlyWindows, uncoverFutureWindows } from '../../src/upkeep/future.ts';
import { plannerSilence } from '../../src/pull/planner.ts';
import { poll } from '../../src/pull/poll.ts';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { readingsIn, storeSource, storeStream } from '../kit/stored-source.ts';
import { dueHistories, dueLooks } from '../kit/work.ts';

// The clock of the database was ahead for a while and has gone back. Its traces lie in the future.

const LOGGED = `insert into window_log (stream_id, source_id, lane, from_at, to_at, asked_at, requests, bytes, readings,
  duplicates, revised, refused, late, waited_ms, http_ms, normalise_ms, store_ms)`;

const databases = useDatabases();
let database: Database;
let sourceId: number;
let streamId: number;

beforeEach(async () => {
  database = await databases.create();
  const source = await storeSource(database);
  ({ sourceId } = source);
  streamId = await storeStream(database, source);
});

it('windows that were asked ahead of time are not covered any more, and all others are', async () => {
  // One instant for all, and hours rather than seconds, so that neither midnight nor a slow machine makes a difference.
  const now = (await database.row<{ now: string }>('select now()::text as now'))?.now;
  await database.run(
    `update stream set covered = tstzmultirange(tstzrange($1::timestamptz - interval '1 hour', $1::timestamptz + interval '17 h'))`,
    [now],
  );
  // Its window log has a partition for each day that is concerned, as a commit makes them.
  for (const day of [-1, 0, 1]) {
    await database.run(
      `do $$ declare day date := (timestamptz '${now}' at time zone 'UTC')::date + ${day}; begin
         execute format('create table window_log_x%s partition of window_log for values from (%L) to (%L)', ${day + 1},
           day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC'); end $$`,
    );
  }
  const log = `${LOGGED} select $1, $2, 'live', $6::timestamptz + $3::interval, $6::timestamptz + $4::interval,
    $6::timestamptz + $5::interval, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0`;
  await database.run(log, [streamId, sourceId, '-1 hour', '0 s', '-1 s', now]);
  await database.run(log, [streamId, sourceId, '0 s', '10 h', '11 h', now]);
  await database.run(log, [streamId, sourceId, '10 h', '17 h', '18 h', now]);
  expect(await uncoverFutureWindows(database)).toBe(2);
  expect(
    await database.row(
      `select share_of(tstzrange($1, $1::timestamptz + interval '17 h'), covered) as ahead,
         share_of(tstzrange($1::timestamptz - interval '1 hour', $1), covered) as past from stream`,
      [now],
    ),
  ).toEqual({ ahead: 0, past: 1 });
  expect(await uncoverFutureWindows(database)).toBe(0);
});

it('windows that were asked too early by a clock that was set back since are asked again, and no others', async () => {
  const now = (await database.row<{ now: number }>('select instant_of(now()) as now'))?.now ?? 0;
  await partitionsOf(database).ensure('window_log', now - 3 * DAY, now);
  await database.run(`update source set settle_us = $1`, [10 * SECOND]);
  await database.run('update stream set covered = tstzmultirange(tstzrange(at_instant($1), at_instant($2)))', [
    now - 10 * DAY,
    now,
  ]);
  const asked = async (at: number, to: number): Promise<number> =>
    await database.run(
      `${LOGGED} select $1, $2, 'live', at_instant($3::bigint - 1000000), at_instant($3), at_instant($4), 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0`,
      [streamId, sourceId, to, at],
    );
  const since = now - HOUR;
  await asked(since - SECOND, since - 11 * SECOND);
  await asked(since, since - 20 * SECOND);
  // The clock was ahead by a minute: what is older had settled all the same.
  await asked(since + MINUTE, since - 9 * SECOND);
  await asked(since + MINUTE, since - 10 * SECOND);
  await asked(since + 2 * MINUTE, since - 5 * DAY);
  expect(await uncoverEarlyWindows(database, { since, by: MINUTE })).toBe(2);
  expect(
    await database.rows(
      'select (instant_of(upper(hole)) - $1::bigint)::float8 as ended from stream, unnest(tstzmultirange(tstzrange(at_instant($2), at_instant($3))) - covered) as hole',
      [since, now - 10 * DAY, now],
    ),
  ).toEqual([{ ended: -20 * SECOND }, { ended: -9 * SECOND }]);
  await asked(now - 2 * DAY, now - 2 * DAY);
  expect(await uncoverEarlyWindows(database, { since: now - 3 * DAY, by: MINUTE })).toBe(1);
});

it('a running backfill asks again what it asked ahead of time', async () => {
  const now = (await database.row<{ now: number }>('select instant_of(now()) as now'))?.now ?? 0;
  await partitionsOf(database).ensure('window_log', now - DAY, now + DAY);
  const done = `tstzmultirange(tstzrange(at_instant(${now - HOUR}), at_instant(${now})))`;
  const backfill = async (state: string): Promise<void> => {
    await database.run(
      `with wish as (
         insert into backfill (source_id, from_at, to_at, what, requested_by, state)
         values ($1, at_instant($2), at_instant($3), 'all', 'test', $4) returning id)
       insert into backfill_stream (backfill_id, stream_id, done) select id, $5, ${done} from wish`,
      [sourceId, now - HOUR, now, state, streamId],
    );
  };
  await backfill('done');
  await backfill('running');
  await database.run(`update stream set covered = ${done}`);
  await database.run(
    `${LOGGED} select $1, $2, 'history', at_instant($3), at_instant($4), at_instant($5), 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0`,
    [streamId, sourceId, now - MINUTE, now, now + HOUR],
  );
  expect(await uncoverFutureWindows(database)).toBe(1);
  expect(
    await database.rows(
      `select state, instant_of(upper(done)) as until, exists (select from work where kind = 'history' and work.id = stream.id) as due
       from backfill join backfill_stream on backfill_id = backfill.id join stream on stream.id = stream_id order by backfill.id`,
    ),
  ).toEqual([
    { state: 'done', until: now, due: true },
    { state: 'running', until: now - MINUTE, due: true },
  ]);
});

it('a window during which the clock was set back is not stored, and is asked again', async () => {
  const stored = { sourceId, projectId: 1, edition: '' };
  const row = await database.row<{ edition: string; project_id: number }>('select edition, project_id from source');
  let count = 0;
  let asked = 0;
  const now = Date.now() * 1000;
  const source = openSourceOf(
    { ...stored, edition: row?.edition ?? '', projectId: row?.project_id ?? 0 },
    {
      policy: { start: now - MINUTE, settle: 0, align: SECOND, overlap: 0, maxWindow: HOUR },
      read: ({ from }) => {
        asked += 1;
        if (asked === 1) count += 1;
        return [{ sensor: 'pump', variable: 'flow', at: [from], values: [1] }];
      },
    },
  );
  const bridge = bridgeOf(database, { source, now: () => now, workerId: '33333333-3333-4333-8333-333333333333' });
  const watched = { ...bridge, clock: { ...bridge.clock, setBacks: () => ({ count, recent: undefined }) } };
  const never = new AbortController().signal;
  await poll(watched, sourceId, never);
  expect([asked, await readingsIn(database)]).toEqual([1, []]);
  await poll(watched, sourceId, never);
  expect([asked, (await readingsIn(database)).length]).toEqual([2, 1]);
});

it('waits that no poll can have written are dropped, and possible ones stay', async () => {
  await database.run(`update source set held_until = now() + interval '3 days'`);
  await dueLooks(database);
  await dueHistories(database);
  await database.run(`update work set due_at = now() + interval '1 day' * case kind when 'history' then 9 else 2 end`);
  await database.run(`update stream set retry_at = now() + interval '2 hours'`);
  expect(await forgetImpossibleWaits(database)).toBeGreaterThan(0);
  expect(
    await database.row(
      `select held_until, retry_at <= now() as retried, (select array_agg(kind order by kind) from work where due_at <= now()) as due
       from source join stream on source_id = source.id`,
    ),
  ).toEqual({ held_until: null, retried: true, due: ['history', 'look', 'poll'] });
  await database.run(`update source set held_until = now() + interval '1 hour'`);
  await database.run(
    `update work set due_at = now() + case kind when 'poll' then interval '50 s' when 'look' then interval '1 hour' else interval '59 min' end`,
  );
  await database.run(`update stream set retry_at = now() + interval '20 min'`);
  expect(await forgetImpossibleWaits(database)).toBe(0);
});

it('a hold that was written at an instant to come is dropped, however short it is; others stay, quiet hours too', async () => {
  const hold = (notedAfter: string): Promise<number> =>
    database.run(
      `update source set held_until = now() + interval '11 hours', last_fault = jsonb_build_object(
         'code', 'throttled', 'own', true, 'at', to_char((now() + $1::interval) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))`,
      [notedAfter],
    );
  const isHeld = async (): Promise<unknown> =>
    (await database.row<{ held: boolean }>('select held_until is not null as held from source'))?.held;
  await hold('-1 s');
  expect([await forgetImpossibleWaits(database), await isHeld()]).toEqual([0, true]);
  await hold('10 h');
  expect([await forgetImpossibleWaits(database), await isHeld()]).toEqual([1, false]);
});

it('turns, probes, logins and deliveries do not wait for a time that only a wrong clock can have written', async () => {
  await database.run(`update stream set turn_at = now() + interval '1 day'`);
  await database.run(
    `insert into account (digest, probe, probe_until) values ('a', gen_random_uuid(), now() + interval '1 day'), ('b', gen_random_uuid(), now() + interval '1 minute')`,
  );
  await database.run(`insert into token (source_id, replacing_until) values ($1, now() + interval '1 day')`, [
    sourceId,
  ]);
  await database.run(
    `insert into remote (project_id, url, organisation, code, application_id, secret, most_waiting, held_until, counted_at)
     select project_id, 'https://example.org', 'o', 'c', 'a', 's', 1, now() + interval '1 day', now() + interval '1 day' from source`,
  );
  await database.run(
    `insert into remote_token (project_id, replacing_until) select project_id, now() + interval '1 day' from source`,
  );
  expect(await forgetImpossibleWaits(database)).toBe(6);
  expect(
    await database.row(
      `select turn_at, token.replacing_until as login, remote_token.replacing_until as remote_login, remote.held_until, counted_at,
         (select array_agg(digest order by digest) from account where probe is not null) as probes
       from stream join token using (source_id) cross join remote join remote_token using (project_id)`,
    ),
  ).toEqual({ turn_at: null, login: null, remote_login: null, held_until: null, counted_at: null, probes: ['b'] });
  expect(await forgetImpossibleWaits(database)).toBe(0);
});

it('a heartbeat from the future frees the claims of its worker, and another process plans', async () => {
  const [ghost, worker] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
  await database.run(
    `insert into worker (id, host, pid, version, beat_at) values ($1, 'h', 1, 'test', now() + interval '180 s')`,
    [ghost],
  );
  await database.run('update work set claimed_by = $1', [ghost]);
  await database.run(`insert into heartbeat (name, beat_at) values ('planner', now() + interval '180 s')`);
  expect(
    await claimsOf({ database, workerId: worker, sources: { editionOf: () => undefined } }).take('poll', sourceId),
  ).toBeDefined();
  expect(await plannerSilence(database)).toBeDefined();
});
