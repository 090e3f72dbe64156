import pino from 'pino';
import { randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { credentialsRejected } from '../../src/core/errors.ts';
import { clockOf } from '../../src/database/clock.ts';
import { sharedAccountOf } from '../../src/pull/open/account.ts';
import type { Bridge } from '../../src/pull/bridge.ts';
import { actOn } from '../../src/pull/consequence.ts';
import { paceRowsOf } from '../../src/pace/pace-rows.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';

const databases = useDatabases();

it('a stop of all sources of an account and a refusal of it, which both change all their paces, never wait in a ring', async () => {
  const database = await databases.create();
  const stored: StoredSource[] = [];
  for (const name of ['a', 'b', 'c']) stored.push(await storeSource(database, name));
  const [first, second, third] = stored.map(({ sourceId }) => sourceId) as [number, number, number];
  // The rows of the paces lie in another order than those of the sources, so statements that follow either cross.
  for (const id of [second, third, first]) await paceRowsOf(database).read(id);
  const account = sharedAccountOf(database, 'account', { sourceId: first });
  for (const id of [second, third, first]) await account.link(id, 1);
  await account.refuse(randomUUID(), 2);

  const waiting = async (wanted: number): Promise<void> =>
    await vi.waitFor(async () => {
      const row = await database.row<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      expect(row?.waiting).toBe(wanted);
    });
  const holder = await database.pool.connect();
  const bridge = { database, clock: await clockOf(database), log: pino({ level: 'silent' }) } as unknown as Bridge;
  try {
    await holder.query('begin');
    await holder.query('select from pace where source_id = $1 for update', [third]);
    const refused = sharedAccountOf(database, 'account', { sourceId: second }).refuse(randomUUID(), 1);
    await waiting(1);
    const source = { id: first, name: 'a', organisation: 'default', edition: stored[0]?.edition ?? '' };
    const stopped = actOn(bridge, source, credentialsRejected('no', 'ask'), { failures: 0, lane: 'live' });
    await waiting(2);
    await holder.query('commit');
    expect(await Promise.allSettled([refused, stopped])).toMatchObject([
      { status: 'fulfilled', value: 3 },
      { status: 'fulfilled' },
    ]);
  } finally {
    holder.release();
  }
  expect(await database.rows('select distinct state from source')).toEqual([{ state: 'stopped' }]);
  expect(await database.rows(`select distinct state ->> 'paused' as paused from pace`)).toEqual([{ paused: 'true' }]);
});
