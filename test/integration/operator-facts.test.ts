import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { cursorOf } from '../../src/operator/route-shapes.ts';
import { useDatabases } from '../kit/databases.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';
import { LONG, fillWithLongNames } from './listing-ground.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorAnswer, OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

// The facts that operators read, of a database with a row of each kind, are those of the commands.

const databases = useDatabases();
let api: OperatorApiUnderTest;
let database: Database;
let admin: SignedIn;
let anna: SignedIn;
let south: SignedIn;

const SOURCE = `/sources/${LONG.organisation}/${LONG.source}`;
const OF = ['--organisation', LONG.organisation];

const get = (path: string, as: SignedIn = anna): Promise<OperatorAnswer> => api.send('GET', `/api/v1${path}`, { as });
const post = (path: string, as: SignedIn, body?: unknown): Promise<OperatorAnswer> =>
  api.send('POST', `/api/v1${path}`, { as, body });

const command = async (...args: readonly string[]): Promise<unknown> => {
  const env = { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' };
  const { stdout } = await databridgeHere([...args, '--json'], { env });
  return JSON.parse(stdout) as unknown;
};

beforeAll(async () => {
  database = await databases.create();
  await fillWithLongNames(database, 2);
  api = await startOperatorApi(database);
  admin = await api.operator('root', 'admin');
  anna = await api.operator('anna', 'operator');
  south = await api.operator('sue', 'admin', ['south']);
});

afterAll(async () => {
  await api?.close();
});

interface Page {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly next: string | null;
}

describe('facts', () => {
  it.each([
    [`${SOURCE}/refusals`, ['source', 'refusals', LONG.source, ...OF]],
    [`/applications/${LONG.application}/refusals`, ['application', 'refusals', LONG.application]],
    [`/applications/${LONG.application}`, ['application', 'show', LONG.application]],
  ])('of %s are those of the command', async (path, args) => {
    const { next, ...shown } = (await get(path)).json as Partial<Page>;
    expect(shown).toEqual(await command(...args));
    expect(next ?? null).toBeNull();
  });

  it.each([
    ['/organisations', ['organisation', 'list']],
    ['/projects', ['project', 'list']],
    ['/applications', ['application', 'list']],
    ['/ingestion', ['ingestion', 'list']],
    ['/signing-keys', ['signing-key', 'list']],
    ['/requests', ['source', 'requests']],
    [`/ingestion/${LONG.organisation}/${LONG.project}/refusals`, ['ingestion', 'refusals', LONG.project, ...OF]],
    ['/audit?limit=50', ['audit', 'list']],
    [`/audit?limit=50&source=${LONG.source}`, ['audit', 'list', '--source', LONG.source]],
  ])('in the list of %s are those of the command', async (path, args) => {
    expect(((await get(path)).json as Page).items).toEqual(await command(...args));
  });

  it('that grow with time have the fields of the command', async () => {
    const fieldsOf = (document: unknown): readonly string[] => Object.keys(document as object).toSorted();
    const [why, coverage, newest] = [
      await get(`${SOURCE}/why`),
      await get(`${SOURCE}/coverage?from=2d`),
      await get(`${SOURCE}/newest`),
    ];
    expect(fieldsOf(why.json)).toEqual(fieldsOf(await command('source', 'why', LONG.source, ...OF)));
    const told = (await command('source', 'coverage', LONG.source, '--from', '2d', ...OF)) as {
      bucketSeconds: number;
    };
    expect(fieldsOf(coverage.json)).toEqual(fieldsOf({ ...told, next: null }));
    expect(coverage.json).toMatchObject({ bucketSeconds: told.bucketSeconds, streams: [{ key: LONG.stream }] });
    expect((newest.json as Page).items.map(({ sensor }) => sensor)).toEqual([LONG.sensor]);
    expect(((await get(`${SOURCE}/newest?silent=30d`)).json as Page).items).toHaveLength(1);
    expect((await get(`${SOURCE}/newest?silent=x`)).status).toBe(400);
    expect((await get(`${SOURCE}/coverage?sensor=none`)).status).toBe(400);
  });

  it.each([
    [`/audit?limit=17&source=${LONG.source}`, 60, []],
    [`/ingestion/${LONG.organisation}/${LONG.project}/refusals?limit=17`, 41, [cursorOf([0, '["a","b"]'])]],
  ])('of %s come in pages', async (list, count, wrongCursors) => {
    // Some of one instant, on both sides of the end of a page.
    await database.run(
      `insert into refusal (project_id, reason, sensor, variable, at, raw, noted_at)
       select id, 'remote', 'paged', 'v', at_instant(n), '', now() - (n / 10 + 1) * interval '1 minute' from ml_project, generate_series(1, 40) as n
       where code = $1 on conflict do nothing`,
      [LONG.project],
    );
    const seen: unknown[] = [];
    let next: string | null = null;
    do {
      const cursor: string = next === null ? '' : `&cursor=${next}`;
      const page = (await get(`${list}${cursor}`)).json as Page;
      seen.push(...page.items.map(({ id }) => id));
      next = page.next;
    } while (next !== null);
    expect(seen).toHaveLength(count);
    expect(new Set(seen).size).toBe(count);
    for (const wrong of ['x', ...wrongCursors]) expect((await get(`${list}&cursor=${wrong}`)).status).toBe(400);
  });

  it('of other organisations do not exist', async () => {
    for (const list of ['projects', 'applications', 'ingestion', 'requests']) {
      expect((await get(`/${list}`, south)).json).toMatchObject({ items: [] });
    }
    expect(((await get('/organisations', south)).json as Page).items.map(({ id }) => id)).toEqual(['south']);
    const { items } = (await get('/audit', south)).json as Page;
    expect(items.map(({ action, subject }) => `${String(action)} ${String(subject)}`)).toEqual([
      'organisation.created south',
    ]);
  });

  it('of platforms begin the file of a source, as the command does', async () => {
    const { items } = (await get('/platforms')).json as Page;
    expect(items.find(({ name }) => name === 'influxdb')).toMatchObject({ kinds: ['user-credentials'] });
    const { stdout } = await databridgeHere(['source', 'new', '--platform', 'influxdb', '--print']);
    const { yaml } = (await get('/platforms/influxdb/sample')).json as { yaml: string };
    expect(yaml.trimEnd()).toBe(stdout.trimEnd());
    expect((await get('/platforms/influxbd/sample')).status).toBe(404);
  });

  it('of readings come line by line', async () => {
    const { rows } = await database.pool.query<{ n: number }>('select count(*)::int as n from reading');
    const path = `/projects/${LONG.organisation}/${LONG.project}/readings`;
    const answer = await get(`${path}?from=1h`);
    const lines = answer.text.trimEnd().split('\n');
    expect(lines).toHaveLength(rows[0]?.n ?? 0);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ sensorId: LONG.sensor, valueName: LONG.variable });
    expect((await get(`${path}?from=1h&limit=3`)).text.trimEnd().split('\n')).toHaveLength(3);
    expect((await get(`${path}?from=1h&to=2h`)).status).toBe(400);
    expect((await get('/projects/default/none/readings?from=1h')).status).toBe(404);
  });
});

describe('access', () => {
  it('is changed by an admin, and each change is in the audit', async () => {
    expect((await post('/projects', anna, { code: 'hall-9', name: 'Hall 9' })).json).toEqual({
      code: 'hall-9',
      organisation: 'default',
      created: true,
    });
    expect((await post('/organisations', admin, { id: 'east', name: 'East works' })).json).toEqual({
      id: 'east',
      created: true,
    });
    expect((await post('/organisations', admin, { id: 'east' })).json).toEqual({ id: 'east', created: false });
    expect((await post('/organisations', admin, { id: 'a b' })).status).toBe(400);
    const created = await post('/applications', admin, { name: 'gateway', projects: ['hall-9'] });
    expect(created.status).toBe(201);
    const { applicationId, secret } = created.json as { applicationId: string; secret: string };
    const rotated = await post(`/applications/${applicationId}/rotate`, admin, { overlapHours: 0 });
    expect(rotated.json).toMatchObject({ applicationId, secret: expect.not.stringMatching(secret) as unknown });
    expect((await post(`/applications/${applicationId}/revoke`, admin)).json).toEqual({ applicationId, revoked: true });
    expect((await post(`/applications/${applicationId}/rotate`, admin, {})).status).toBe(400);
    expect((await post('/signing-keys/rotate', admin)).json).toMatchObject({ created: true });
    const { items } = (await get('/audit?actor=operator:')).json as Page;
    expect(items.map(({ actor, action }) => `${String(actor)} ${String(action)}`).toReversed()).toEqual([
      'operator:anna project.created',
      'operator:root organisation.created',
      'operator:root application.created',
      'operator:root application.secret-rotated',
      'operator:root application.revoked',
      'operator:root signing-key.created',
    ]);
    expect(JSON.stringify(items)).not.toContain(secret);
    expect(items.find(({ action }) => action === 'organisation.created')).toMatchObject({
      subject: 'east',
      detail: { organisation: 'east', before: null, after: { name: 'East works' } },
    });
    expect(items.find(({ action }) => action === 'application.revoked')).toMatchObject({
      detail: { organisation: 'default' },
    });
  });

  it('to another service is given and taken back', async () => {
    const path = '/ingestion/default/hall-9';
    const body = { url: 'https://other.example', applicationId: 'app_x', secret: 's3cret' };
    expect((await post(`${path}/push?check=false`, admin, body)).json).toMatchObject({ ingestion: 'push' });
    expect((await post(`${path}/push`, admin, { ...body, url: 'http://other.example' })).status).toBe(400);
    expect((await post(`${path}/resume`, anna)).json).toEqual({ project: 'hall-9', resumed: true });
    expect((await post(`${path}/store`, admin)).json).toEqual({ project: 'hall-9', ingestion: 'store', discarded: 0 });
    expect((await post(`${path}/resume`, anna)).status).toBe(409);
  });
});

describe('former configurations', () => {
  it('are listed without secrets and restored, also of a removed source', async () => {
    const source = (every: string) => ({
      name: 'old',
      project: 'hall-9',
      kind: 'user-credentials',
      platform: 'influxdb',
      connection: { url: 'https://influx.example', username: 'reader', password: 'p4ss' },
      options: { database: 'plant' },
      schedule: { every, start: '2026-11-01T00:00:00Z' },
    });
    await post('/sources/apply', anna, source('1m'));
    await post('/sources/apply', anna, source('2m'));
    await api.send('DELETE', '/api/v1/sources/default/old', { as: anna });
    const former = await get('/sources/default/old/former');
    expect(former.json).toMatchObject({
      items: [
        { ending: 'removed', endedBy: 'operator:anna', config: { schedule: { every: '2m' } } },
        { ending: 'changed', config: { connection: { password: '(secret)' } } },
      ],
    });
    expect(former.text).not.toContain('p4ss');
    const dry = await post('/sources/default/old/restore?dryRun=true', anna);
    expect(dry.json).toMatchObject({ action: 'created', ending: 'removed' });
    expect((await get('/sources/default/old')).status).toBe(404);
    expect((await post('/sources/default/old/restore', anna)).json).toEqual(dry.json);
    expect((await get('/sources/default/old')).json).toMatchObject({ every: '2m' });
    expect((await get('/sources/default/old/former', south)).status).toBe(404);
    expect((await post('/sources/default/old/restore', south)).status).toBe(404);
  });
});

describe('a source', () => {
  it('is exported as the command does, without its secrets, as a file that can be applied', async () => {
    const [exported] = (await command('source', 'export', 'old')) as { yaml: string }[];
    const answer = await get('/sources/default/old/export');
    expect(answer.json).toEqual(exported);
    expect(answer.json).toMatchObject({ file: 'old.yaml', variables: ['OLD_PASSWORD'] });
    expect(answer.text).not.toContain('p4ss');
    const applied = await api.send('POST', '/api/v1/sources/apply?dryRun=true', {
      as: admin,
      body: exported?.yaml ?? '',
      headers: { 'content-type': 'application/yaml' },
    });
    expect(applied.json).toMatchObject({ action: 'changed', differences: [{ path: 'connection.password' }] });
  });

  it('is exported to be edited, so that its stored secrets stay', async () => {
    const hidden = await get('/sources/default/old/export?secrets=hidden');
    expect(hidden.json).toMatchObject({ yaml: expect.stringContaining('(secret)') as unknown, variables: [] });
    const { yaml } = hidden.json as { yaml: string };
    const applied = await api.send('POST', '/api/v1/sources/apply?dryRun=true', {
      as: admin,
      body: yaml.replace(/every: .*/, 'every: 7m'),
      headers: { 'content-type': 'application/yaml' },
    });
    expect(applied.json).toMatchObject({ action: 'changed', differences: [{ path: 'schedule.every', after: '7m' }] });
  });

  it('takes series over from the owner that is named', async () => {
    const series = (owner: string, ...sensors: readonly string[]) =>
      database.run(
        `insert into series (project_id, sensor_id, value_name, owner)
         select id, unnest($1::text[]), 'flow', $2 from ml_project where code = 'hall-9'`,
        [sensors, owner],
      );
    await series('gone', 'a', 'b');
    await series('', 'c');
    const take = (body: unknown) => post('/sources/default/old/take-over', anna, body);
    expect((await take({})).json).toMatchObject({ status: 400, errors: [{ pointer: '/from' }] });
    expect((await take({ from: 'gone', fromPushed: true })).status).toBe(400);
    expect((await take({ from: 'gone', sensors: ['c'] })).json).toMatchObject({
      status: 400,
      detail: 'source gone has no such series in the project of source old',
    });
    const taken = { source: 'old', organisation: 'default', from: 'gone', series: 1 };
    expect((await take({ from: 'gone', sensors: ['a'] })).json).toEqual(taken);
    expect(await command('source', 'take-over', 'old', '--from', 'gone')).toEqual(taken);
    expect((await take({ fromPushed: true })).json).toEqual({ ...taken, from: null });
    expect(((await get('/audit?limit=1')).json as Page).items).toMatchObject([
      { actor: 'operator:anna', action: 'source.take-over', subject: 'old', detail: { from: null, series: 1 } },
    ]);
    expect((await post('/sources/default/old/take-over', south, { fromPushed: true })).status).toBe(404);
  });
});
