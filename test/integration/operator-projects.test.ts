import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../../src/access/applications.ts';
import { createProject } from '../../src/access/projects.ts';
import type { Database } from '../../src/database/database.ts';
import { makePartitions } from '../../src/database/partitions.ts';
import { admitNames } from '../../src/ingest/new-names.ts';
import type { BroughtName, Bringer } from '../../src/ingest/new-names.ts';
import { pushedRefusals } from '../../src/ingest/pushed-refusals.ts';
import { useDatabases } from '../kit/databases.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorAnswer, OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

// Operators decide which series a project may have. Each test goes on where the one before ended, and a command has the same answer.

const databases = useDatabases();
let api: OperatorApiUnderTest;
let database: Database;
let admin: SignedIn;
let anna: SignedIn;
let south: SignedIn;
let hall: number;
let source: Bringer;
let application: string;

const get = (path: string, as: SignedIn = anna): Promise<OperatorAnswer> =>
  api.send('GET', `/api/v1/projects${path}`, { as });
const post = (path: string, body?: unknown, as: SignedIn = anna): Promise<OperatorAnswer> =>
  api.send('POST', `/api/v1/projects/default/hall/${path}`, { as, body });

const command = async (...args: readonly string[]): Promise<unknown> => {
  const env = { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' };
  const { stdout } = await databridgeHere([...args, '--json'], { env });
  return JSON.parse(stdout) as unknown;
};

/** Names as a source or an application brings them. */
const bring = (bringer: Bringer, ...names: readonly BroughtName[]) =>
  database.transaction((client) => admitNames(client, { projectId: hall, owner: 'north', names, bringer }));

const named = (sensorId: string): BroughtName => ({
  sensorId,
  valueName: 'flow',
  holder: JSON.stringify([sensorId, 'flow']),
});

/** The last changes of projects, the newest last. */
const audited = (last: number): Promise<unknown[]> =>
  database.rows(
    `select actor, action, subject, detail from (
       select * from audit where action like 'project.%' order by id desc limit $1) as newest order by id`,
    [last],
  );

beforeAll(async () => {
  database = await databases.create();
  api = await startOperatorApi(database);
  admin = await api.operator('root', 'admin');
  anna = await api.operator('anna', 'operator');
  south = await api.operator('sue', 'admin', ['south']);
  await createProject(database, { organisation: 'default', code: 'hall' }, 'test');
  hall = (await database.row<{ id: number }>('select id from ml_project'))?.id ?? 0;
  const row = await database.row<{ id: number }>(
    `insert into source (name, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us)
     values ('north', $1, 'custom', 'none', '{}', 'epoch', 1e6, 0, 0) returning id`,
    [hall],
  );
  source = { sourceId: row?.id ?? 0 };
  ({ applicationId: application } = await createApplication(
    database,
    { organisation: 'default', name: 'gateway' },
    'test',
  ));
  await bring(source, named('pump-7'));
});

afterAll(async () => {
  await api?.close();
});

describe('a project', () => {
  it('is locked once, and shown as the command shows it', async () => {
    const answer = { code: 'hall', organisation: 'default', locked: true, changed: true, series: 1 };
    expect((await post('lock')).json).toEqual(answer);
    expect((await post('lock')).json).toEqual({ ...answer, changed: false });
    expect(await command('project', 'lock', 'hall')).toEqual({ ...answer, changed: false });
    const { id: _, ...shown } = (await command('project', 'show', 'hall')) as Record<string, unknown>;
    expect((await get('/default/hall')).json).toEqual(shown);
    expect(await audited(1)).toEqual([
      {
        actor: 'operator:anna',
        action: 'project.locked',
        subject: 'hall',
        detail: { organisation: 'default', before: { locked: false }, after: { locked: true } },
      },
    ]);
  });

  it('tells of held names that resemble its series beside the refusals of the application', async () => {
    await bring({ applicationId: application }, { ...named('PUMP_7'), readings: 1 });
    const refused = new Map([['name-held-back', 1]] as const);
    await pushedRefusals(database)({ applicationId: application, projectId: hall, refused, examples: [] });
    const { json } = await api.send('GET', `/api/v1/applications/${application}/refusals`, { as: anna });
    expect(json).toMatchObject({ resembling: [{ sensorId: 'PUMP_7', near: [{ sensorId: 'pump-7' }] }] });
    expect(json).toEqual({ ...((await command('application', 'refusals', application)) as object), next: null });
    await database.run('delete from held_name');
  });

  it('lists the names that it holds back, in pages that no release shifts', async () => {
    await bring(source, ...['Pump-7', 'press', 'valve-1', 'valve-2'].map(named));
    await bring({ applicationId: application }, { ...named('boiler'), readings: 3 });
    const { names } = (await command('project', 'names', 'hall')) as {
      names: { sensorId: string; valueName: string }[];
    };
    expect((await get('/default/hall/held-names')).json).toEqual({ items: names, next: null });
    expect(names).toHaveLength(5);
    expect(names.find(({ sensorId }) => sensorId === 'Pump-7')).toMatchObject({
      source: 'north',
      near: [{ sensorId: 'pump-7', valueName: 'flow' }],
    });
    const first = (await get('/default/hall/held-names?limit=2')).json as { items: typeof names; next: string };
    expect(first.items).toEqual(names.slice(0, 2));
    // The name at which the page ended is held no more.
    await database.run('delete from held_name where sensor_id = $1', [first.items[1]?.sensorId ?? '']);
    expect((await get(`/default/hall/held-names?limit=9&cursor=${first.next}`)).json).toEqual({
      items: names.slice(2),
      next: null,
    });
    await bring(source, named('Pump-7'), named('press'));
    await bring({ applicationId: application }, { ...named('boiler'), readings: 3 });
    const valves = (await get('/default/hall/held-names?sensor=valve-*')).json as { items: typeof names };
    expect(valves.items.map(({ sensorId }) => sensorId)).toEqual(['valve-1', 'valve-2']);
    for (const cursor of ['nonsense', Buffer.from('[0,"x"]').toString('base64url')])
      expect((await get(`/default/hall/held-names?cursor=${cursor}`)).status).toBe(400);
  });

  it('releases the names that are named, and all of them only where that is said', async () => {
    expect((await post('release', {})).json).toMatchObject({ status: 400, errors: [{ pointer: '/sensorId' }] });
    expect((await post('release', { all: true, sensorId: 'press' })).status).toBe(400);
    expect((await post('release', { all: true, valueName: 'flow' })).status).toBe(400);
    expect((await post('release', { sensorId: 'none' })).json).toMatchObject({
      status: 400,
      detail: 'no such name is held back',
      errors: [{ pointer: '/sensorId' }],
    });
    expect((await post('release', { sensorId: 'valve-*', valueName: 'flow' })).json).toEqual({
      code: 'hall',
      organisation: 'default',
      released: 2,
      repairs: [],
      applications: [],
    });
    expect(await audited(1)).toMatchObject([
      { actor: 'operator:anna', action: 'project.released', detail: { sensorId: 'valve-*', names: 2 } },
    ]);
    expect((await get('/default/hall')).json).toMatchObject({ series: 3, held: 3 });
  });

  it('takes held names for series that it has, and ends that', async () => {
    const as = { sensorId: 'pump-7' };
    expect((await post('rename', { sensorId: 'boiler', as: { sensorId: 'none' } })).json).toMatchObject({
      status: 400,
      errors: [{ pointer: '/as' }],
    });
    const [from, to] = ['boiler', 'pump-7'].map((sensorId) => ({ sensorId, valueName: 'flow' }));
    expect((await post('rename', { sensorId: 'boiler', as })).json).toEqual({
      code: 'hall',
      organisation: 'default',
      pushed: [{ from, to }],
      applications: [application],
      files: [],
    });
    expect((await post('rename', { sensorId: 'Pump-7', as })).json).toMatchObject({
      pushed: [],
      files: [{ source: 'north', yaml: expect.stringContaining('id: "Pump-7"') as unknown }],
    });
    const renamed = await get('/default/hall/renamed-names');
    expect(renamed.json).toEqual({ items: [{ from, to }], next: null });
    expect(await command('project', 'names', 'hall', '--renamed')).toEqual([{ from, to }]);
    expect((await post('unrename', { sensorId: 'boiler' })).json).toMatchObject({ ended: 1 });
    expect((await post('unrename', { sensorId: 'boiler' })).status).toBe(400);
    expect(await audited(1)).toMatchObject([
      {
        actor: 'operator:anna',
        action: 'project.unrenamed',
        detail: { organisation: 'default', before: [{ ...from, as: to }] },
      },
    ]);
  });

  it('has a quota that an admin sets, and that a release does not exceed', async () => {
    const quota = (series: unknown, as: SignedIn = admin) =>
      api.send('PUT', '/api/v1/projects/default/hall/quota', { as, body: { series } });
    expect((await quota(3, anna)).status).toBe(403);
    expect((await quota(-1)).status).toBe(400);
    expect((await quota(3)).json).toEqual({ code: 'hall', organisation: 'default', quota: 3, series: 3 });
    expect(await audited(1)).toMatchObject([
      { actor: 'operator:root', action: 'project.quota', detail: { before: 100_000, after: 3 } },
    ]);
    expect((await post('release', { all: true })).json).toMatchObject({
      status: 409,
      remedy: expect.stringContaining('quota hall 5') as unknown,
    });
    expect(await command('project', 'quota', 'hall', '5')).toEqual({
      code: 'hall',
      organisation: 'default',
      quota: 5,
      series: 3,
    });
    expect((await post('release', { all: true })).json).toMatchObject({ released: 2 });
  });

  it('keeps readings as long as an admin says, and is put on hold', async () => {
    const keep = (body: unknown, as: SignedIn = admin) =>
      api.send('PUT', '/api/v1/projects/default/hall/keep', { as, body });
    const now = Date.now() * 1000;
    await database.transaction((client) => makePartitions(client, 'reading', now, now + 1));
    await database.run(
      `insert into reading (series, at, value)
       select min(series.id), at_instant($1), 1 from series join ml_project on ml_project.id = project_id where code = 'hall'`,
      [now],
    );
    const answer = { code: 'hall', organisation: 'default', keep: '3y', keptFrom: null, hold: null };
    expect((await keep({ keep: '3y' }, anna)).status).toBe(403);
    expect((await keep({ keep: '3m' })).json).toMatchObject({ status: 400, errors: [{ pointer: '/keep' }] });
    const old = { days: 0, rows: 0, archivedReadings: 0, archivedBytes: 0, before: expect.any(String) as unknown };
    expect((await keep({ keep: '3y', dryRun: true })).json).toEqual({ ...answer, dryRun: true, old });
    expect((await get('/default/hall')).json).toMatchObject({ keep: 'forever' });
    expect((await keep({ keep: '3y' })).json).toEqual({ ...answer, dryRun: false, old: null });
    expect(await audited(1)).toEqual([
      {
        actor: 'operator:root',
        action: 'project.keep',
        subject: 'hall',
        detail: { organisation: 'default', before: 'forever', after: '3y' },
      },
    ]);
    expect(await command('project', 'keep', 'hall', '3y', '--dry-run')).toEqual({ ...answer, dryRun: true, old });
    const hold = { reason: 'inquiry', by: 'operator:root', at: expect.any(String) as unknown };
    expect((await post('hold', { reason: 'inquiry' })).status).toBe(403);
    expect((await post('hold', { reason: 'inquiry' }, admin)).json).toEqual({ ...answer, hold, changed: true });
    expect((await post('hold', { reason: 'inquiry' }, admin)).json).toMatchObject({ changed: false });
    expect(await command('project', 'show', 'hall')).toMatchObject({ keep: '3y', hold });
    expect(await command('project', 'trim')).toMatchObject({ steps: [{ code: 'hall', outcome: 'held' }] });
    expect(await command('archive', 'list')).toMatchObject({ holds: [{ code: 'hall', hold }] });
    expect((await api.send('GET', '/api/v1/overview', { as: anna })).json).toMatchObject({ holds: ['hall'] });
    expect((await post('unhold', undefined, admin)).json).toEqual({ ...answer, changed: true });
    const trimmed = { steps: [{ code: 'hall', outcome: 'bound', days: 0 }] };
    expect(await command('project', 'trim', 'hall')).toMatchObject(trimmed);
    expect(await command('project', 'keep', 'hall', 'forever')).toMatchObject({
      keep: 'forever',
      keptFrom: expect.any(String) as unknown,
    });
  });

  it('is unlocked, and names the backfills that repair', async () => {
    await bring(source, named('late'));
    await database.run(
      `with stream as (insert into stream (source_id, key, selection, sensors) select id, 'all', '{}', '[]' from source returning id)
       insert into refused_hour (stream_id, hour, sensor, variable, reason, points)
       select id, '2026-03-01T00:00:00Z', 'late', 'flow', 'name-held-back', '{1,2}' from stream`,
    );
    expect((await post('unlock')).json).toMatchObject({
      locked: false,
      changed: true,
      held: 1,
      repairs: [{ source: 'north', points: 2 }],
    });
    expect((await post('unlock')).json).toMatchObject({ changed: false });
  });

  it('of another organisation does not exist', async () => {
    await createProject(database, { organisation: 'south', code: 'hall' }, 'test');
    expect((await post('lock', undefined, south)).status).toBe(404);
    expect((await get('/south/hall', south)).json).toMatchObject({ organisation: 'south', locked: false });
    expect((await get('/default/hall')).json).toMatchObject({ locked: false });
    expect((await get('/south/none', south)).status).toBe(404);
  });
});
