import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { claimsOf } from '../../src/pull/claim.ts';
import { forgetImpossibleWaits, uncoverFutureWindows } from '../../src/pull/future.ts';
import { isPlannerSilent } from '../../src/pull/planner.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';

// The clock of the database was ahead for a while and has gone back. Its traces lie in the future.

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
  await database.run(
    `update stream set covered = tstzmultirange(tstzrange(now() - interval '1 hour', now() + interval '170 s'))`,
  );
  // Its window log has a partition for today and tomorrow, as a commit makes them.
  for (const day of [0, 1]) {
    await database.run(
      `do $$ declare day date := (now() at time zone 'UTC')::date + ${day}; begin
         execute format('create table if not exists window_log_x${day} partition of window_log for values from (%L) to (%L)',
           day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC'); end $$`,
    );
  }
  const log = `insert into window_log select $1, $2, 'live', now() + $3::interval, now() + $4::interval, now() + $5::interval,
    1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0`;
  await database.run(log, [streamId, sourceId, '-1 hour', '0 s', '-1 s']);
  await database.run(log, [streamId, sourceId, '0 s', '100 s', '110 s']);
  await database.run(log, [streamId, sourceId, '100 s', '170 s', '180 s']);
  expect(await uncoverFutureWindows(database)).toBe(2);
  const row = await database.row<{ ahead: number; past: number }>(
    `select share_of(tstzrange(now(), now() + interval '170 s'), covered) as ahead,
       share_of(tstzrange(now() - interval '1 hour', now() - interval '1 minute'), covered) as past from stream`,
  );
  expect(row?.ahead).toBeLessThan(0.2);
  expect(row?.past).toBe(1);
  expect(await uncoverFutureWindows(database)).toBe(0);
});

it('waits that no poll can have written are dropped, and possible ones stay', async () => {
  await database.run(
    `update source set next_due_at = now() + interval '2 days', held_until = now() + interval '3 days'`,
  );
  await database.run(
    `update stream set retry_at = now() + interval '2 hours', history_due_at = now() + interval '9 days'`,
  );
  expect(await forgetImpossibleWaits(database)).toBeGreaterThan(0);
  expect(
    await database.row(
      `select held_until, next_due_at <= now() as due, retry_at <= now() as retried, history_due_at <= now() as history
       from source join stream on source_id = source.id`,
    ),
  ).toEqual({ held_until: null, due: true, retried: true, history: true });
  await database.run(`update source set next_due_at = now() + interval '50 s', held_until = now() + interval '1 hour'`);
  await database.run(
    `update stream set retry_at = now() + interval '20 min', history_due_at = now() + interval '59 min'`,
  );
  expect(await forgetImpossibleWaits(database)).toBe(0);
});

it('a heartbeat from the future frees the claims of its worker, and another process plans', async () => {
  const [ghost, worker] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
  await database.run(
    `insert into worker (id, host, pid, version, beat_at) values ($1, 'h', 1, 'test', now() + interval '180 s')`,
    [ghost],
  );
  await database.run('update source set claimed_by = $1', [ghost]);
  await database.run(`insert into heartbeat (name, beat_at) values ('planner', now() + interval '180 s')`);
  expect(await claimsOf({ database, workerId: worker, sources: { revisionOf: () => 0 } }).take(sourceId)).toBeDefined();
  expect(await isPlannerSilent(database)).toBe(true);
});
