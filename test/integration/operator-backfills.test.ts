import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProject } from '../../src/access/projects.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';
import type { Ran } from './command-line.ts';
import { eventually } from './daemon-rig.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorAnswer, OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

// Backfills over the API, and by commands here and with --url. No process polls, so nothing changes by itself.

const databases = useDatabases();
let api: OperatorApiUnderTest;
let database: Database;
let place: TempDirectory;
let anna: SignedIn;
let viewer: SignedIn;
let north: SignedIn;

const get = (path: string, as: SignedIn = viewer): Promise<OperatorAnswer> => api.send('GET', `/api/v1${path}`, { as });
const post = (path: string, as: SignedIn = anna, body?: unknown) => api.send('POST', `/api/v1${path}`, { as, body });

const there = (...args: readonly string[]): Promise<Ran> =>
  databridgeHere(['--url', api.url, ...args], { env: { XDG_CONFIG_HOME: place.path, DATABRIDGE_HOME: '/nowhere' } });

const here = (...args: readonly string[]): Promise<Ran> =>
  databridgeHere(args, {
    env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' },
  });

const command = async (...args: readonly string[]): Promise<unknown> =>
  JSON.parse((await here(...args, '--json')).stdout) as unknown;

const sourceNamed = (name: string) => ({
  name,
  project: 'pump-hall',
  kind: 'user-credentials',
  platform: 'influxdb',
  connection: { url: 'https://influx.example:8086', username: 'reader', password: 'p4ss-of-the-plant' },
  options: { database: 'plant' },
  schedule: { every: '1m', start: '2026-11-01T00:00:00Z' },
});

const audited = async (): Promise<readonly string[]> =>
  (
    await database.rows<{ line: string }>(
      `select concat_ws(' ', actor, action, subject) as line from audit where action like 'backfill.%' order by id`,
    )
  ).map(({ line }) => line);

beforeAll(async () => {
  [database, place] = await Promise.all([databases.create(), makeTempDirectory('backfills')]);
  api = await startOperatorApi(database);
  anna = await api.operator('anna', 'operator');
  viewer = await api.operator('vera', 'viewer');
  north = await api.operator('nora', 'admin', ['north']);
  await createProject(database, { organisation: 'default', code: 'pump-hall' }, 'test');
  for (const name of ['hall-1', 'hall-2']) {
    const applied = await api.send('POST', '/api/v1/sources/apply', { as: anna, body: sourceNamed(name) });
    expect(applied.status).toBe(200);
  }
  const kept = join(place.path, 'databridge', 'logins.json');
  await mkdir(join(place.path, 'databridge'), { mode: 0o700 });
  await writeFile(kept, JSON.stringify({ logins: { [api.url]: { token: anna.token } } }));
  await chmod(kept, 0o600);
});

afterAll(async () => {
  await api?.close();
  await place?.remove();
});

describe('backfills', () => {
  it('are started, listed, shown and cancelled', async () => {
    const started = await post('/sources/default/hall-2/backfills', anna, { from: '7d' });
    expect(started.status).toBe(201);
    const { id } = started.json as { id: number };
    expect(started.headers.get('location')).toBe(`/api/v1/backfills/${id}`);
    const again = await post('/sources/default/hall-2/backfills', anna, { from: '2026-11-02T00:00:00Z', what: 'all' });
    const { json } = await get('/backfills');
    expect(json).toEqual({ items: await command('backfill', 'list'), next: null });
    expect((await get(`/backfills/${id}`)).json).toEqual(await command('backfill', 'show', String(id)));
    const first = (await get('/backfills?limit=1')).json as { items: { id: number }[]; next: string };
    expect(first.items).toEqual([again.json]);
    expect((await get(`/backfills?limit=1&cursor=${first.next}`)).json).toMatchObject({ items: [{ id }] });
    expect((await post(`/backfills/${id}/cancel`)).json).toMatchObject({ id, state: 'cancelled' });
    expect((await post(`/backfills/${id}/cancel`)).json).toMatchObject({ id, state: 'cancelled' });
    expect((await get('/backfills?state=cancelled')).json).toMatchObject({ items: [{ id, state: 'cancelled' }] });
    expect((await get(`/backfills/${id}`, north)).status).toBe(404);
    expect((await post(`/backfills/${id}/cancel`, north)).status).toBe(404);
    expect((await get('/backfills', north)).json).toEqual({ items: [], next: null });
    expect(await audited()).toEqual([
      'operator:anna backfill.started hall-2',
      'operator:anna backfill.started hall-2',
      'operator:anna backfill.cancelled hall-2',
    ]);
  });

  it('are refused with a reason', async () => {
    const start = (body: unknown) => post('/sources/default/hall-2/backfills', anna, body);
    expect((await start({ from: 'yesterday' })).json).toMatchObject({ errors: [{ pointer: '/from' }] });
    expect((await start({ from: '2026-11-02T00:00:00Z', to: '2026-11-01T00:00:00Z' })).status).toBe(400);
    expect((await start({ from: '7d', until: 'x' })).status).toBe(400);
    expect((await start({})).json).toMatchObject({ errors: [{ pointer: '/from' }] });
    expect((await start({ what: 'refused' })).json).toMatchObject({
      errors: [{ detail: 'nothing of hall-2 is refused' }],
    });
    expect((await get('/backfills/0')).status).toBe(400);
    expect((await get('/backfills/999999999')).status).toBe(404);
  });
});

describe('a bridge elsewhere', () => {
  it('starts, shows, lists and cancels backfills', async () => {
    const started = await there('backfill', 'start', 'hall-2', '--from', '7d', '--detach', '--json');
    const { id } = JSON.parse(started.stdout) as { id: number };
    const show = ['backfill', 'show', String(id), '--json'];
    expect(JSON.parse((await there(...show)).stdout)).toEqual(JSON.parse((await here(...show)).stdout));
    expect((await there('backfill', 'list')).stdout).toContain('running');
    expect((await there('backfill', 'cancel', String(id))).stdout).toBe(`backfill ${id} is cancelled\n`);
    const again = await there('backfill', 'start', 'hall-2', '--from', '2026-11-05T00:00:00Z', '--to', '1999-01-01');
    expect(again).toMatchObject({ code: 2 });
    const actors = await database.rows<{ actor: string }>(
      `select distinct actor from audit where action like 'backfill.%' or action = 'source.poll' order by 1`,
    );
    expect(actors.map(({ actor }) => actor)).toContain('operator:anna');
  });

  it('starts backfills of all sources, however many, and says where none could be started', async () => {
    const more = 'organisation_id, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us';
    await database.run(
      `insert into source (name, ${more}) select 'x-' || lpad(n::text, 3, '0'), ${more}
       from source cross join generate_series(1, 205) as n where name = 'hall-1'`,
    );
    await database.run(`update source set settle_us = 30 * 86400 * 1e6 where name = 'x-203'`);
    const start = ['backfill', 'start', '--all', '--from', '7d'];
    const [remote, local] = [await there(...start), await here(...start)];
    const withoutNumbers = ({ code, stdout }: Ran): unknown => ({ code, stdout: stdout.replaceAll(/ +\d+$/gm, ' n') });
    expect(withoutNumbers(remote)).toEqual(withoutNumbers(local));
    expect(remote.code).toBe(1);
    expect(remote.stdout).toContain('206 backfills started');
    expect(remote.stdout).toMatch(/x-203 +--from is not before --to/);
    const sources = await database.rows('select from backfill group by source_id having count(*) = 2');
    expect(sources).toHaveLength(205);
    expect(await database.rows('select from backfill where quoted is null')).toEqual([]);

    // A start goes on where its client has left, and its answer waits for the one who asks again with the key.
    const other = await api.operator('lea', 'operator');
    const count = async (): Promise<number> => (await database.rows('select from backfill')).length;
    const before = await count();
    const leaving = new AbortController();
    const body = JSON.stringify({ from: '6d' });
    const headers = { 'idempotency-key': 'left', 'content-type': 'application/json' };
    const asked = fetch(`${api.url}/api/v1/backfills`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${other.token}` },
      body,
      signal: leaving.signal,
    });
    await eventually('the first one is started', async () => (await count()) > before);
    leaving.abort();
    await expect(asked).rejects.toThrow('aborted');
    const answer = await eventually('the answer is there', async () => {
      const again = await api.send('POST', '/api/v1/backfills', { as: other, body, headers });
      return again.status !== 409 && again;
    });
    expect(answer.headers.get('idempotency-replayed')).toBe('true');
    const { items, next } = answer.json as { items: readonly { backfill: number }[]; next: string };
    expect([items.length, typeof next, await count()]).toEqual([50, 'string', before + 50]);
    await database.run(`delete from source where name like 'x-%'`);
  });

  it('repairs refusals', async () => {
    const replay = ['refusals', 'replay', 'hall-1', '--detach', '--json'];
    expect(await there(...replay)).toMatchObject({ code: 0, stdout: 'null\n' });
    await database.run(
      `insert into stream (source_id, key, selection, sensors) select id, 's', '{}', '[]' from source where name = 'hall-1'`,
    );
    await database.run(
      `insert into refused_hour (stream_id, hour, sensor, variable, reason, points, examples)
       select id, '2026-11-01T03:00:00Z', 's', 'v', 'not-a-number', '{1}', '[]' from stream where key = 's'`,
    );
    const { stdout } = await there(...replay);
    expect(JSON.parse(stdout)).toMatchObject({ what: 'refused', from: '2026-11-01T03:00:00Z', streams: 1 });
  });
});
