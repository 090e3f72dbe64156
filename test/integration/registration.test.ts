import { beforeEach, describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import { phaseOf } from '../../src/core/schedule.ts';
import type { Database } from '../../src/database/database.ts';
import { changeSource } from '../../src/source/state-change.ts';
import { useDatabases } from '../kit/databases.ts';
import { NOW, byPath, good, makeGround } from './registration-ground.ts';
import type { Ground } from './registration-ground.ts';
import { workOf } from '../kit/work.ts';
import { POLL_NEW } from '../../src/pull/work.ts';

const databases = useDatabases();
let ground: Ground;
let database: Database;

beforeEach(async () => {
  ground = await makeGround(databases);
  ({ database } = ground);
});

const apply: Ground['apply'] = (change, given) => ground.apply(change, given);

describe('applying a source', () => {
  it('creates it, due at once, with its phase in the interval and a start that does not move', async () => {
    expect(await apply()).toMatchObject({ name: 'hall-3', action: 'created', differences: [] });
    const columns = `name, kind, platform, revision, state, every_us, phase_us, settle_us, ${workOf('look', 'due_at')} <= now() as due,
      instant_of(start_at) as start, (select code from ml_project where id = project_id) as project`;
    const created = {
      name: 'hall-3',
      kind: 'user-credentials',
      platform: 'plant',
      revision: 1,
      state: 'active',
      every_us: 10 * SECOND,
      phase_us: phaseOf('hall-3', 10 * SECOND),
      settle_us: 10 * SECOND,
      due: true,
      start: Math.floor((NOW - 7 * DAY) / SECOND) * SECOND,
      project: 'presses',
    };
    expect(await database.rows(`select ${columns} from source`)).toEqual([created]);
    await apply({ schedule: { every: '10s', start: '7d', settle: '1m' } }, { now: NOW + 30 * DAY });
    expect(await database.rows(`select ${columns} from source`)).toEqual([
      { ...created, revision: 2, settle_us: MINUTE },
    ]);
    const audit = await database.rows('select actor, action, subject, detail from audit order by id');
    expect(audit).toMatchObject([
      { actor: 'tester', action: 'source.created', subject: 'hall-3', detail: { differences: [] } },
      { action: 'source.changed', detail: { differences: [{ path: 'schedule.settle', after: '1m' }] } },
    ]);
  });

  it('keeps its start or moves it back to the grid, unless the operator set another start', async () => {
    const start = async (): Promise<number | undefined> =>
      (await database.row<{ start: number }>('select instant_of(start_at) as start from source'))?.start;
    const second = Math.floor(NOW / SECOND) * SECOND;
    await apply({ schedule: { every: '1s' } });
    expect(await start()).toBe(second);
    await apply({ schedule: { every: '1s', align: '1h' } }, { now: NOW + DAY });
    const hour = Math.floor(NOW / HOUR) * HOUR;
    expect(await start()).toBe(hour);
    // Live polls asked from the hour on, and backfills only up to it, so a later start could leave a gap.
    await apply({ schedule: { every: '1s' } }, { now: NOW + DAY });
    expect(await start()).toBe(hour);
    await apply({ schedule: { every: '1s', start: '1d' } }, { now: NOW + DAY });
    expect(await start()).toBe(second - DAY);
  });

  it('forgets the names of variables where sensors or their names changed, and only there', async () => {
    await apply();
    await database.run(`insert into series_name select id, 's', 'a_b', '["s","a b"]' from source`);
    const names = async (): Promise<number> => (await database.rows('select * from series_name')).length;
    await apply({ schedule: { every: '20s' }, connection: { ...good.connection, password: 's3cret-second' } });
    expect(await names()).toBe(1);
    await apply({ schedule: { every: '20s' }, sensors: [{ id: 's', values: { 'a-b': { as: 'a_b' } } }] });
    expect(await names()).toBe(0);
  });

  it('a second time changes nothing at all', async () => {
    await apply();
    await database.run(`update source set state = 'stopped', failures = 3`);
    await database.run('delete from work');
    const before = await ground.everything();
    expect(await apply({}, { now: NOW + DAY })).toMatchObject({ action: 'unchanged', differences: [] });
    expect(await ground.everything()).toBe(before);
  });

  it('in a dry run reports the same and writes nothing', async () => {
    const empty = await ground.everything();
    expect(await apply({}, { dryRun: true })).toMatchObject({ action: 'created' });
    expect(await ground.everything()).toBe(empty);
    await apply();
    const before = await ground.everything();
    const change = { connection: { ...good.connection, username: 'other', password: 's3cret-second' } };
    const told = await apply(change, { dryRun: true });
    expect(await ground.everything()).toBe(before);
    expect(byPath(told)).toMatchObject({
      name: 'hall-3',
      action: 'changed',
      differences: [
        { path: 'connection.password', before: '(secret)', after: '(secret changed)' },
        { path: 'connection.username', before: 'bridge', after: 'other' },
      ],
    });
    expect(await apply(change)).toEqual(told);
  });

  it('three times at once creates one source', async () => {
    const applied = await Promise.all([1, 2, 3].map(() => apply()));
    expect(applied.every(({ action }) => action !== 'changed')).toBe(true);
    expect(await database.row('select count(*) as n from source')).toEqual({ n: 1 });
  });

  it('resumes a stopped one, clears its faults and looks its sensors up again, but leaves a paused one paused', async () => {
    await apply();
    await ground.storeStreams('a');
    await database.run(
      `update source set state = 'stopped', failures = 3, held_until = now() + interval '1 h', last_fault = '{}'`,
    );
    await database.run('delete from work');
    await database.run(POLL_NEW, [1]);
    await database.run(`update work set due_at = now() + interval '1 h'`);
    const password = { connection: { ...good.connection, password: 's3cret-second' } };
    await apply(password);
    expect(
      await database.row(
        `select state, failures, held_until, last_fault, ${workOf('look', 'due_at')} <= now() as look, awaits_look, ${workOf('poll', 'due_at')} <= now() as due, revision from source`,
      ),
    ).toEqual({
      state: 'active',
      failures: 0,
      held_until: null,
      last_fault: null,
      look: true,
      // A new password leaves the streams what they are.
      awaits_look: false,
      due: true,
      revision: 2,
    });
    expect(await database.row(`select failures, retry_at, learned, covered <> '{}' as covered from stream`)).toEqual({
      failures: 0,
      retry_at: null,
      learned: null,
      covered: true,
    });
    await changeSource(database, 'pause', { name: 'hall-3' }, 'tester');
    await apply();
    expect(await database.row('select state from source')).toEqual({ state: 'paused' });
  });

  it.each([
    ['project', { project: 'pumps' }],
    ['platform', { platform: 'other' }],
  ])('with another %s begins its coverage anew', async (_, change) => {
    await apply();
    await ground.storeStreams('a', 'b');
    await apply({ schedule: { every: '20s', start: '7d' } });
    expect(await database.rows('select key from stream where retired_at is null order by key')).toHaveLength(2);
    await apply(change);
    expect(await database.rows('select key from stream where retired_at is null')).toEqual([]);
    // The keys of retired streams are free for new streams.
    await ground.storeStreams('a', 'b');
    await apply();
    await ground.storeStreams('a', 'b');
    expect(await database.row('select count(*) as n from stream')).toEqual({ n: 6 });
  });

  it.each([
    ['address', { connection: { ...good.connection, url: 'https://other.example' } }, ['connection.url']],
    ['database', { options: { ...good.options, database: 'hall' } }, ['options.database']],
  ])('with another %s begins its coverage anew, unless it holds the same data', async (_, change, fields) => {
    await apply();
    await ground.storeStreams('a', 'b');
    const before = await ground.everything();
    const anew = { move: { coverage: 'begins-anew', fields, byText: [], streams: 2 } };
    const kept = { move: { ...anew.move, coverage: 'kept' } };
    expect(await apply(change, { dryRun: true })).toMatchObject(anew);
    expect(await apply(change, { dryRun: true, sameData: true })).toMatchObject(kept);
    expect(await ground.everything()).toBe(before);
    const keys = (): Promise<unknown[]> =>
      database.rows('select key from stream where retired_at is null order by key');
    expect(await apply(change, { sameData: true })).toMatchObject(kept);
    expect(await keys()).toEqual([{ key: 'a' }, { key: 'b' }]);
    expect(await apply()).toMatchObject(anew);
    expect(await keys()).toEqual([]);
    // Another project has none of these readings, also where the platform holds the same data.
    await ground.storeStreams('a', 'b');
    expect(await apply({ ...change, project: 'pumps' }, { sameData: true })).toMatchObject({
      move: { coverage: 'begins-anew', fields: ['project', ...fields], streams: 2 },
    });
    expect(await keys()).toEqual([]);
  });

  it('keeps its coverage where only the notation of the address changes, and compares references by their text', async () => {
    await apply();
    await ground.storeStreams('a');
    const notation = { connection: { ...good.connection, url: 'https://PLANT.example:443/' } };
    expect(await apply(notation)).toMatchObject({ action: 'changed', move: { coverage: 'kept', fields: [] } });
    expect(await apply({ options: { ...good.options, database: '${env:PLANT}' } })).toMatchObject({
      move: { coverage: 'begins-anew', fields: ['options.database'], byText: ['options.database'], streams: 1 },
    });
  });

  it.each<[string, object, Record<string, unknown>, string[]]>([
    ['a field that is gone', { was: 'kept' }, {}, []],
    ['options that are gone, too', { was: 'kept', options: { ...good.options, was: 1 } }, {}, []],
    ['another database', { was: 'kept' }, { options: { ...good.options, database: 'other' } }, ['options.database']],
  ])(
    'repairs one that this version no longer takes, and keeps its coverage where the place is the same: %s',
    async (_what, stored, change, fields) => {
      await ground.apply();
      await ground.storeStreams('flow');
      await ground.database.run('update source set config = config || $1::jsonb', [JSON.stringify(stored)]);
      const { action, move } = await ground.apply(change);
      expect({ action, fields: move.fields }).toEqual({ action: 'changed', fields });
      expect(await ground.database.rows('select retired_at is null as live from stream')).toEqual([
        { live: fields.length === 0 },
      ]);
    },
  );

  it('of a project that does not exist is refused with the command that creates it', async () => {
    const before = await ground.everything();
    await expect(apply({ project: 'nowhere' })).rejects.toMatchObject({
      code: 'config-invalid',
      remedy: 'databridge project create nowhere',
    });
    await expect(apply({ organisation: 'acme' })).rejects.toMatchObject({
      remedy: 'databridge project create presses --organisation acme',
    });
    expect(await ground.everything()).toBe(before);
  });
});

describe('a change of state', () => {
  const state = (): Promise<unknown> =>
    database.row(
      `select state, revision, failures, held_until, ${workOf('poll', 'due_at')} <= now() as due from source`,
    );

  it('pauses, resumes and polls at once', async () => {
    await apply();
    await database.run(`update source set failures = 2, held_until = now() + interval '1 h'`);
    await database.run(POLL_NEW, [1]);
    await database.run(`update work set due_at = now() + interval '1 h'`);
    await changeSource(database, 'poll', { name: 'hall-3' }, 'tester');
    expect(await state()).toMatchObject({ state: 'active', due: true, held_until: null, failures: 2 });
    await changeSource(database, 'pause', { name: 'hall-3' }, 'tester');
    await expect(changeSource(database, 'poll', { name: 'hall-3' }, 'tester')).rejects.toMatchObject({
      code: 'config-invalid',
      message: 'source hall-3 is paused',
      remedy: 'databridge source resume hall-3',
    });
    await changeSource(database, 'resume', { name: 'hall-3' }, 'tester');
    expect(await state()).toEqual({ state: 'active', revision: 2, failures: 0, held_until: null, due: true });
    expect(await database.rows('select action from audit order by id')).toEqual([
      { action: 'source.created' },
      { action: 'source.poll' },
      { action: 'source.pause' },
      { action: 'source.resume' },
    ]);
  });

  it('removes a source with its streams, but not its readings', async () => {
    await apply();
    await ground.storeStreams('a');
    await database.run(`create table reading_all partition of reading default`);
    await database.run('insert into reading (series, at, value) values (1, now(), 1)');
    await changeSource(database, 'remove', { name: 'hall-3' }, 'tester');
    expect(
      await database.row('select (select count(*) from stream) as streams, (select count(*) from reading) as readings'),
    ).toEqual({ streams: 0, readings: 1 });
    expect(await apply()).toMatchObject({ action: 'created' });
  });

  it('of an unknown source is refused', async () => {
    for (const change of ['pause', 'resume', 'remove', 'poll'] as const) {
      await expect(changeSource(database, change, { name: 'nowhere' }, 'tester')).rejects.toMatchObject({
        code: 'config-invalid',
        remedy: expect.any(String),
      });
    }
    expect(await database.rows('select * from audit')).toEqual([]);
  });
});
