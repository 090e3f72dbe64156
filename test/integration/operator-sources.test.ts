import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProject } from '../../src/access/projects.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorAnswer, OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

// Operators look at sources and change them. No process polls, so nothing changes by itself, and a command has the same answer.

const databases = useDatabases();
let api: OperatorApiUnderTest;
let database: Database;
let admin: SignedIn;
let anna: SignedIn;
let viewer: SignedIn;
let north: SignedIn;

const PASSWORD = 'p4ss-of-the-plant';

const sourceNamed = (name: string, more: Readonly<Record<string, unknown>> = {}) => ({
  name,
  project: 'pump-hall',
  kind: 'user-credentials',
  platform: 'influxdb',
  connection: { url: 'https://influx.example:8086', username: 'reader', password: PASSWORD },
  options: { database: 'plant' },
  schedule: { every: '1m', start: '2026-11-01T00:00:00Z' },
  ...more,
});

const apply = (body: unknown, as: SignedIn = anna, query = '', headers: Record<string, string> = {}) =>
  api.send('POST', `/api/v1/sources/apply${query}`, { as, body, headers });
const get = (path: string, as: SignedIn = viewer): Promise<OperatorAnswer> => api.send('GET', `/api/v1${path}`, { as });
const post = (path: string, as: SignedIn = anna, body?: unknown) => api.send('POST', `/api/v1${path}`, { as, body });

const command = async (...args: readonly string[]): Promise<unknown> => {
  const env = { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' };
  return JSON.parse((await databridgeHere([...args, '--json'], { env })).stdout) as unknown;
};

const audited = async (): Promise<readonly string[]> =>
  (
    await database.rows<{ line: string }>(
      `select concat_ws(' ', actor, action, subject) as line from audit where actor like 'operator:%' order by id`,
    )
  ).map(({ line }) => line);

beforeAll(async () => {
  database = await databases.create();
  api = await startOperatorApi(database);
  admin = await api.operator('root', 'admin');
  anna = await api.operator('anna', 'operator');
  viewer = await api.operator('vera', 'viewer');
  north = await api.operator('nora', 'admin', ['north']);
  await createProject(database, { organisation: 'default', code: 'pump-hall' }, 'test');
  await createProject(database, { organisation: 'north', code: 'pump-hall' }, 'test');
  for (const name of ['hall-1', 'hall-2', 'press-3']) expect((await apply(sourceNamed(name))).status).toBe(200);
  expect((await apply(sourceNamed('hall-1', { organisation: 'north' }), north)).status).toBe(200);
});

afterAll(async () => {
  await api?.close();
});

interface Listed {
  readonly items: readonly { readonly name: string; readonly organisation: string }[];
  readonly next: string | null;
}

const listed = async (query: string, as?: SignedIn): Promise<readonly string[]> =>
  ((await get(`/sources${query}`, as)).json as Listed).items.map((one) => `${one.organisation}/${one.name}`);

describe('sources', () => {
  it('are listed as the command lists them', async () => {
    const { status, json } = await get('/sources');
    expect(status).toBe(200);
    const items = await command('source', 'list');
    expect(json).toEqual({ items, next: null, matching: 4, conditions: { starting: 4 } });
  });

  it('are filtered', async () => {
    expect(await listed('?text=HALL')).toEqual(['default/hall-1', 'default/hall-2', 'north/hall-1']);
    expect(await listed('?organisation=north')).toEqual(['north/hall-1']);
    expect(await listed('?state=starting&platform=influxdb&project=pump-hall&sort=requests')).toHaveLength(4);
    expect(await listed('?state=stopped')).toEqual([]);
    expect((await get('/sources?state=broken')).status).toBe(400);
    expect((await get('/sources?limit=201')).status).toBe(400);
    expect((await get('/sources?cursor=nonsense')).status).toBe(400);
  });

  it('come in pages that neither skip nor repeat one', async () => {
    const seen: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const cursor: string = next === '' ? '' : `&cursor=${next}`;
      const page = (await get(`/sources?limit=1${cursor}`)).json as Listed;
      seen.push(...page.items.map((one) => `${one.organisation}/${one.name}`));
      next = page.next;
    }
    expect(seen).toEqual(['default/hall-1', 'default/hall-2', 'default/press-3', 'north/hall-1']);
  });

  it('of other organisations are as if they did not exist', async () => {
    expect(await listed('', north)).toEqual(['north/hall-1']);
    expect(await listed('?organisation=default', north)).toEqual([]);
    const [hidden, unknown] = [
      await get('/sources/default/hall-2', north),
      await get('/sources/default/hall-9', north),
    ];
    expect([hidden.status, unknown.status]).toEqual([404, 404]);
    expect((hidden.json as { detail: string }).detail.replace('hall-2', 'hall-9')).toBe(
      (unknown.json as { detail: string }).detail,
    );
    expect((await apply(sourceNamed('hall-5'), north)).status).toBe(404);
    expect((await post('/sources/default/hall-2/pause', north)).status).toBe(404);
  });

  it('are shown as the command shows them, with their revision and without secrets', async () => {
    const shown = await get('/sources/default/hall-1');
    const whole = (await command('source', 'show', 'hall-1', '--organisation', 'default')) as object;
    expect(shown.json).toEqual({ ...whole, nextStreams: null, nextWindows: null, configLeftOut: false });
    expect(shown.headers.get('etag')).toBe(`"${(shown.json as { revisionTag: string }).revisionTag}"`);
    expect(shown.json).toMatchObject({ revision: 1, config: { connection: { password: '(secret)' } } });
    expect(shown.text).not.toContain(PASSWORD);
  });
});

describe('a change', () => {
  it('pauses, resumes and polls', async () => {
    const before = (await audited()).length;
    expect((await post('/sources/default/press-3/pause')).json).toEqual({
      source: 'press-3',
      organisation: 'default',
      action: 'pause',
    });
    const refused = await post('/sources/default/press-3/poll');
    expect([refused.status, refused.json]).toEqual([
      409,
      expect.objectContaining({
        detail: 'source press-3 is paused',
        remedy: 'databridge source resume press-3',
      }) as unknown,
    ]);
    expect((await post('/sources/default/press-3/resume')).status).toBe(200);
    expect((await post('/sources/default/press-3/poll')).json).toMatchObject({ action: 'poll', outboxFull: false });
    expect((await audited()).slice(before)).toEqual(
      ['pause', 'resume', 'poll'].map((change) => `operator:anna source.${change} press-3`),
    );
    expect((await post('/sources/default/press-3/pause', viewer)).status).toBe(403);
  });

  it('removes the source only in the state that was read', async () => {
    await apply(sourceNamed('old-1'));
    const { etag = '' } = Object.fromEntries((await get('/sources/default/old-1')).headers);
    const remove = (tag: string) =>
      api.send('DELETE', '/api/v1/sources/default/old-1', { as: anna, headers: { 'if-match': tag } });
    expect((await api.send('DELETE', '/api/v1/sources/default/old-1', { as: anna })).status).toBe(200);
    // Registered again it has the same number of a revision, and is another source.
    await apply(sourceNamed('old-1'));
    expect((await remove(etag)).status).toBe(412);
    const { etag: now = '' } = Object.fromEntries((await get('/sources/default/old-1')).headers);
    expect((await remove(now)).json).toMatchObject({ action: 'remove' });
    expect((await remove(now)).status).toBe(404);
  });
});

describe('applying', () => {
  it('shows the difference in a dry run, changes, and says so', async () => {
    const changed = sourceNamed('hall-2', { schedule: { every: '5m', start: '2026-11-01T00:00:00Z' } });
    const dry = await apply(changed, anna, '?dryRun=true');
    expect(dry.json).toMatchObject({
      action: 'changed',
      differences: [{ path: 'schedule.every', before: '1m', after: '5m' }],
    });
    expect((await get('/sources/default/hall-2')).json).toMatchObject({ every: '1m', revision: 1 });
    expect((await apply(changed)).json).toEqual(dry.json);
    expect((await get('/sources/default/hall-2')).json).toMatchObject({ every: '5m', revision: 2 });
    expect((await apply(changed)).json).toMatchObject({ action: 'unchanged', differences: [] });
    expect((await audited()).at(-1)).toBe('operator:anna source.changed hall-2');
  });

  it('takes YAML, and tells the place of each problem', async () => {
    const yaml = (text: string) => apply(text, anna, '?dryRun=true', { 'content-type': 'application/yaml' });
    expect((await yaml(JSON.stringify(sourceNamed('hall-2')))).status).toBe(200);
    const { status, json } = await yaml('name: hall-2\nproject: pump-hall\nplatform: influxbd\n');
    expect(status).toBe(400);
    expect(json).toMatchObject({
      errors: expect.arrayContaining([
        expect.objectContaining({ pointer: '/platform', line: 3, column: 1 }) as unknown,
      ]) as unknown,
    });
    expect((await yaml('name: a\n---\nname: b')).json).toMatchObject({
      detail: 'The source is not valid:  holds several sources',
    });
    expect((await yaml('a: [')).status).toBe(400);
    expect((await apply('name: a', anna, '', { 'content-type': 'text/html' })).status).toBe(415);
    const latin = new Uint8Array([0x61, 0x3a, 0x20, 0xff]);
    const answer = await fetch(`${api.url}/api/v1/sources/apply`, {
      method: 'POST',
      headers: { authorization: `Bearer ${anna.token}`, 'content-type': 'application/yaml' },
      body: latin,
    });
    expect(answer.status).toBe(400);
  });

  it('lets one of two writers win that read the same revision', async () => {
    const { etag = '' } = Object.fromEntries((await get('/sources/default/hall-1')).headers);
    const wishes = ['2m', '3m'].map((every) =>
      apply(sourceNamed('hall-1', { schedule: { every, start: '2026-11-01T00:00:00Z' } }), anna, '', {
        'if-match': etag,
      }),
    );
    const answers = await Promise.all(wishes);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 412]));
    const { json } = await get('/sources/default/hall-1');
    expect(json).toMatchObject({ revision: 2, every: answers[0]?.status === 200 ? '2m' : '3m' });
  });

  it('lets one of two writers create a source that neither had seen', async () => {
    const wishes = ['2m', '3m'].map((every) =>
      apply(sourceNamed('new-1', { schedule: { every, start: '2026-11-01T00:00:00Z' } }), anna, '', {
        'if-none-match': '*',
      }),
    );
    const answers = await Promise.all(wishes);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 412]));
    const every = answers[0]?.status === 200 ? '2m' : '3m';
    expect((await get('/sources/default/new-1')).json).toMatchObject({ revision: 1, every });
  });

  it('keeps a secret that is sent as it was shown, and sends it to no other place', async () => {
    const { json } = await get('/sources/default/press-3');
    const { config } = json as { config: ReturnType<typeof sourceNamed> };
    const kept = await apply({ ...config, schedule: { ...config.schedule, every: '9m' } });
    expect(kept.json).toMatchObject({ action: 'changed', differences: [{ path: 'schedule.every' }] });
    const stolen = await apply({
      ...config,
      connection: { ...config.connection, url: 'https://elsewhere.example' },
    });
    expect([stolen.status, stolen.json]).toEqual([
      400,
      expect.objectContaining({
        errors: [expect.objectContaining({ pointer: '/connection/password' })],
      }) as unknown,
    ]);
  });

  it('takes references to secrets of the computer from an admin alone', async () => {
    const source = sourceNamed('hall-7', {
      connection: { url: 'https://influx.example', username: 'reader', password: '${file:/etc/secret}' },
    });
    expect((await apply(source)).json).toMatchObject({ errors: [{ pointer: '/connection/password' }] });
    expect((await apply(source, admin)).status).toBe(200);
    // The place is the same, so the reference leads where it led before.
    expect((await apply({ ...source, schedule: { every: '2m', start: '2026-11-01T00:00:00Z' } })).status).toBe(200);
    expect((await apply({ ...source, adapter: 'file:evil.js' })).status).toBe(400);
    expect((await apply({ ...source, sensors: { table: '/etc/passwd.csv' } })).json).toMatchObject({
      errors: [{ pointer: '/sensors/table' }],
    });
  });
});
