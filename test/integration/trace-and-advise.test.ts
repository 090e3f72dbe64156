import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProject } from '../../src/access/projects.ts';
import { registry } from '../../src/context-registry.ts';
import type { Database } from '../../src/database/database.ts';
import { adviseSource, applyAdvice } from '../../src/source/advise.ts';
import { findSource } from '../../src/source/find-source.ts';
import { openSealing } from '../kit/sealing.ts';
import { useDatabases } from '../kit/databases.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

// A source with a day of history is told about, by the API and by the commands alike. No process polls.

const databases = useDatabases();
let api: OperatorApiUnderTest;
let database: Database;
let anna: SignedIn;

beforeAll(async () => {
  database = await databases.create();
  api = await startOperatorApi(database);
  anna = await api.operator('anna', 'operator');
  await createProject(database, { organisation: 'default', code: 'hall' }, 'test');
  const source = {
    name: 'hall-3',
    project: 'hall',
    kind: 'user-credentials',
    platform: 'influxdb',
    connection: { url: 'https://influx.example:8086', username: 'reader', password: 'p4ss-of-the-plant' },
    options: { database: 'plant' },
    schedule: { every: '1m', start: '2026-11-01T00:00:00Z', settle: '10s', overlap: '1m' },
    sensors: [{ id: 'pump', as: 'pump-7' }],
  };
  expect((await api.send('POST', '/api/v1/sources/apply', { as: anna, body: source })).status).toBe(200);
  await database.run(`update source set discovered_at = now(), awaits_look = false, start_at = '2026-11-01Z'`);
  const stream = await database.row<{ id: number }>(
    `insert into stream (source_id, key, selection, sensors, covered, source_revision)
     select id, 'pumps', '{}', '[{"id": "pump"}]', '{[2026-11-01Z,2026-11-01 12:00Z),[2026-11-01 13:00Z,2026-11-02Z)}', revision from source returning id`,
  );
  await database.run(
    `insert into series (project_id, sensor_id, value_name, owner) select id, 'pump-7', 'flow', 'hall-3' from ml_project where code = 'hall'`,
  );
  await database.run(
    `insert into series_name (source_id, sensor_id, value_name, holder) select id, 'pump-7', 'flow', '["pump","flow"]' from source`,
  );
  const { partitionsOf } = await import('../../src/database/partitions.ts');
  const at = Date.UTC(2026, 10, 1, 6) * 1_000;
  await partitionsOf(database).ensure('reading', at, at + 1);
  const now = Date.now() * 1_000;
  await partitionsOf(database).ensure('window_log', now - 3_600_000_000, now);
  await database.run(`insert into reading (series, at, value) select id, at_instant($1), 1.5 from series`, [at]);
  await database.run(
    `insert into refused_hour (stream_id, hour, sensor, variable, reason, points, examples)
     values ($1, '2026-11-01 07:00Z', 'pump', 'flow', 'text-number', '{-1800000000}', '[[-1800000000, "\\"n/a\\""]]')`,
    [stream?.id],
  );
  await database.run(
    `insert into unreadable (stream_id, from_at, to_at, tries, retry_at, fault)
     values ($1, '2026-11-01 12:00Z', '2026-11-01 12:10Z', 3, now() + interval '1 hour', '{"message": "half a page"}')`,
    [stream?.id],
  );
  await database.run(
    `insert into window_log (stream_id, source_id, lane, from_at, to_at, asked_at, requests, bytes, readings, duplicates, revised, refused, late,
       waited_ms, http_ms, normalise_ms, store_ms)
     select $1, id, 'history', now() - interval '20 minutes' - interval '30 minutes', now() - interval '40 minutes', now() - interval '30 minutes', 1, 1, 50, 0, 0, 0, 40, 0, 1, 1, 1 from source`,
    [stream?.id],
  );
  await database.run(
    `insert into window_sum select id, date_trunc('hour', now(), 'UTC'), 'live', 10, 0, 10, 1, 100000, 0, 0, 0, 0, 0, 0 from source`,
  );
});

afterAll(async () => {
  await api?.close();
});

const get = async (path: string): Promise<unknown> =>
  (await api.send('GET', `/api/v1/sources/default/hall-3${path}`, { as: anna })).json;

const command = async (
  ...args: readonly string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> => {
  const env = { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' };
  return await databridgeHere(args, { env });
};

describe('source trace', () => {
  it.each([
    ['2026-11-01T06:00:00Z', 'stored', 'it is stored', 0],
    ['2026-11-01T07:00:00Z', 'refused', 'it was refused: text-number, the platform sent "n/a"', 1],
    ['2026-11-01T08:00:00Z', 'nothing', 'the platform was asked for its time, and gave no point of that instant', 1],
    ['2026-11-01T12:05:00Z', 'unreadable', 'its time cannot be read: half a page; it is tried again at ', 1],
    ['2026-11-01T12:30:00Z', 'missing', 'its time is not covered yet: ', 1],
    ['2026-10-31T00:00:00Z', 'before-start', 'it lies before the start of the source, 2026-11-01T00:00:00Z', 1],
    ['2126-10-31T00:00:00Z', 'future', 'its time has not come', 1],
  ])('says that the point of %s is %s', async (at, fate, message, code) => {
    const told = await get(`/trace?sensor=pump-7&at=${at}`);
    expect(told).toMatchObject({ fate, message: expect.stringContaining(message) as string, streams: ['pumps'] });
    const answer = await command('source', 'trace', 'hall-3', '--sensor', 'pump', '--at', at, '--json');
    expect(answer.code).toBe(code);
    expect(JSON.parse(answer.stdout)).toMatchObject({ fate, sensor: 'pump' });
  });

  it('names the readings, and the nearest ones', async () => {
    expect(await get('/trace?sensor=pump-7&at=2026-11-01T06:00:00Z')).toMatchObject({
      readings: [{ sensorId: 'pump-7', valueName: 'flow', value: 1.5 }],
    });
    expect(await get('/trace?sensor=pump-7&at=2026-11-01T08:00:00Z')).toMatchObject({
      before: '2026-11-01T06:00:00Z',
      after: null,
    });
    expect((await api.send('GET', '/api/v1/sources/default/hall-3/trace?sensor=none&at=1d', { as: anna })).status).toBe(
      400,
    );
  });
});

describe('source advise', () => {
  it('proposes what the late points of the log need, and applies it', async () => {
    const advised = await get('/advice');
    expect(advised).toMatchObject({
      present: { settle: '10s', overlap: '1m' },
      advice: { points: 100_000, late: 40, reaches: true, settle: '10s' },
    });
    const { stdout, stderr } = await command('source', 'advise', 'hall-3', '--apply', '--json');
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ applied: { action: 'changed' } });
    expect(await get('/advice')).toMatchObject({ present: { settle: '10s', overlap: '20m' } });
    const again = await command('source', 'advise', 'hall-3', '--apply');
    expect(again.stdout).toMatch(/that is what 99.99 % needs\n(?:.*\n)*source hall-3 unchanged\n/);
  });

  it('applies nothing to a source that another operator changed since', async () => {
    const source = await findSource(database, { name: 'hall-3' });
    const advised = await adviseSource(database, registry, source, 0.9999);
    const place = { database, sealing: await openSealing('', SEALING_KEY), registry };
    const apply = () => applyAdvice(place, advised, { now: Date.now() * 1000, actor: 'test', dryRun: false });
    expect(await apply()).toMatchObject({ action: 'unchanged' });
    await database.run('update source set revision = revision + 1 where id = $1', [source.id]);
    await expect(apply()).rejects.toThrow(/source hall-3 was changed since revision/);
  });

  it('proposes nothing where too few points came', async () => {
    await database.run('update window_sum set readings = 10');
    expect(await get('/advice')).toMatchObject({ advice: null });
    expect((await command('source', 'advise', 'hall-3')).stdout).toContain('fewer than 1000 points');
    expect((await command('source', 'advise', 'hall-3', '--apply')).code).toBe(2);
  });
});
