import { beforeEach, describe, expect, it } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { good, makeGround } from './registration-ground.ts';
import type { Ground } from './registration-ground.ts';

// An operator changes what points mean, and covered time followed the former meaning.

const databases = useDatabases();
let ground: Ground;

beforeEach(async () => {
  ground = await makeGround(databases);
});

describe('a source', () => {
  it('begins its coverage anew where a wall clock is read in another zone', async () => {
    const inZone = (timezone: string, dst = 'refuse') => ({ platform: 'wall-clock', mapping: { timezone, dst } });
    await ground.apply(inZone('Europe/Berlin'));
    await ground.storeStreams('flow');
    expect((await ground.apply(inZone('Europe/Berlin', 'later'))).move.coverage).toBe('kept');
    const { move } = await ground.apply(inZone('America/New_York', 'later'));
    expect(move).toMatchObject({ coverage: 'begins-anew', fields: ['mapping.timezone'] });
    expect(await ground.database.rows('select from stream where retired_at is null')).toEqual([]);
  });

  it.each<[string, object, boolean]>([
    ['a scale', { sensors: [{ id: 'flow', values: { v: { scale: 2 } } }] }, true],
    ['a mapping', { mapping: { booleans: 'number' } }, true],
    ['an option', { options: { ...good.options, keys: ['s3cret-other'] } }, true],
    ['a longer list of sensors', { sensors: [{ id: 'flow', values: { v: { scale: 1 } } }, { id: 'heat' }] }, false],
    ['a schedule', { schedule: { ...good.schedule, every: '20s' } }, false],
  ])(
    'with %s lets a running backfill --what all begin anew where points become other readings',
    async (_, change, anew) => {
      const before = { sensors: [{ id: 'flow', values: { v: { scale: 1 } } }] };
      await ground.apply(before);
      await ground.storeStreams('flow');
      await ground.database.run(
        `with wish as (
         insert into backfill (source_id, from_at, to_at, what, requested_by, state)
         select id, '2026-01-01', '2026-02-01', given.what, 'test', given.state from source,
           (values ('all', 'running'), ('missing', 'running'), ('all', 'done')) as given (what, state) returning id)
       insert into backfill_stream (backfill_id, stream_id, done)
       select wish.id, stream.id, '{[2026-01-01,2026-01-20)}' from wish, stream`,
      );
      await ground.apply({ ...before, ...change });
      const left = await ground.database.rows<{ left: boolean }>(
        `select done <> '{}' as left from backfill_stream order by backfill_id`,
      );
      expect(left.map((row) => row.left)).toEqual([!anew, true, true]);
    },
  );
});
