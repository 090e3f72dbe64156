import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { createProject } from '../../src/access/projects.ts';
import { useDatabases } from '../kit/databases.ts';
import { PATH, bearer, curl, expectProblem, pushAs, startApi } from './api-rig.ts';
import type { Answered, ApiUnderTest } from './api-rig.ts';

const databases = useDatabases();
let api: ApiUnderTest;

const FIRST = Date.parse('2026-10-20T00:00:00Z');
const MINUTE = 60_000;
const at = (minutes: number): string => new Date(FIRST + minutes * MINUTE).toISOString().replace('.000Z', 'Z');

beforeAll(async () => {
  api = await startApi(databases);
  // A reading a minute over twenty days, so that its time has two months and its end.
  const body = Array.from({ length: 20 * 24 * 60 }, (_, minutes) => ({
    sensorId: 'dense',
    date: at(minutes),
    value: 1,
  }));
  expect(await api.push(body)).toMatchObject({ json: { accepted: body.length } });
  await api.push([
    { sensorId: 'Upper', date: at(0), value: 1 },
    { sensorId: 'old', date: '2019-01-01T00:00:00.000001Z', value: 1 },
    ...['x', 'y'].map((valueName) => ({ sensorId: 'pump', valueName, date: at(5), value: 1 })),
    { sensorId: 'p_mp', date: at(5), value: 1 },
  ]);
  await api.database.run(`with pulled as (
      insert into series (project_id, sensor_id, value_name, owner) select id, 'pulled', 'none', 'plant' from ml_project
      where code = 'hall' returning id)
    insert into reading (series, at, value) select id, '2026-10-20', 1 from pulled`);
});

afterAll(async () => {
  await api.close();
});

const get = (query: string, token = api.client.token, path = PATH): Promise<Answered> =>
  curl(...bearer(token), `${api.url}${path}/sensors?${query}`);

interface Page {
  readonly sensors: { sensorId: string; valueName: string; newest: string | null; count: number }[];
  readonly next: string | null;
}

describe('the sensors of a project', () => {
  it('come with the newest reading of all time and the exact count of the range', async () => {
    const { json } = await get(`from=${at(10)}&to=${at(20 * 24 * 60 - 3)}`);
    expect(json).toEqual({
      from: at(10),
      to: at(20 * 24 * 60 - 3),
      sensors: [
        { sensorId: 'Upper', valueName: 'none', newest: at(0), count: 0 },
        { sensorId: 'dense', valueName: 'none', newest: at(20 * 24 * 60 - 1), count: 20 * 24 * 60 - 13 },
        { sensorId: 'old', valueName: 'none', newest: '2019-01-01T00:00:00.000001Z', count: 0 },
        { sensorId: 'p_mp', valueName: 'none', newest: at(5), count: 0 },
        { sensorId: 'pump', valueName: 'x', newest: at(5), count: 0 },
        { sensorId: 'pump', valueName: 'y', newest: at(5), count: 0 },
      ],
      next: null,
    });
    const half = await get(`from=${at(5)}&to=${at(6)}&sensor=pump`);
    expect(half.json).toMatchObject({
      sensors: [
        { valueName: 'x', count: 1 },
        { valueName: 'y', count: 1 },
      ],
    });
    expect((await get(`from=${at(4)}&to=${at(5)}&sensor=pump`)).json).toMatchObject({
      sensors: [{ count: 0 }, { count: 0 }],
    });
  });

  it('come page by page, each once', async () => {
    const names: string[] = [];
    const sizes: number[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page = (await get(`limit=2${after === '' ? '' : `&after=${after}`}`)).json as Page;
      names.push(...page.sensors.map(({ sensorId, valueName }) => `${sensorId}/${valueName}`));
      sizes.push(page.sensors.length);
      after = page.next;
    }
    expect(names).toEqual(['Upper/none', 'dense/none', 'old/none', 'p_mp/none', 'pump/x', 'pump/y']);
    expect(sizes).toEqual([2, 2, 2]);
  });

  it('are chosen by a pattern, in which _ is a letter', async () => {
    const ids = async (sensor: string): Promise<string[]> =>
      ((await get(`sensor=${encodeURIComponent(sensor)}`)).json as Page).sensors.map(({ sensorId }) => sensorId);
    expect(await ids('p_mp')).toEqual(['p_mp']);
    expect(await ids('p?mp')).toEqual(['p_mp', 'pump', 'pump']);
    expect(await ids('*n*')).toEqual(['dense']);
    expect(await ids('none')).toEqual([]);
  });

  it('are those of the last day without from and to', async () => {
    const page = (await get('')).json as Page & { from: string; to: string };
    expect(Date.parse(page.to) - Date.parse(page.from)).toBe(24 * 60 * MINUTE);
    expect(Math.abs(Date.parse(page.to) - Date.now())).toBeLessThan(10 * MINUTE);
  });
});

describe('a read-back', () => {
  test.each([
    'from=2026-10-20',
    'from=yesterday',
    `from=${at(5)}&to=${at(5)}`,
    `from=${at(6)}&to=${at(5)}`,
    `from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:00.000001Z`,
    'limit=0',
    'limit=1001',
    'limit=x',
    'limit=1.5',
    'after=x',
    `after=${Buffer.from('["a","b\\u0000"]').toString('base64url')}`,
    `after=${Buffer.from('[1,2]').toString('base64url')}`,
    'sensor=',
    'sensor=%00',
    'sensor=a&sensor=b',
    'form=2026-10-20T00:00:00Z',
  ])('with a wrong query is 400: %s', async (query) => {
    expectProblem(await get(query), 400, 'bad-query');
  });

  it('takes 31 days', async () => {
    expect(await get('from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:00Z')).toMatchObject({ status: 200 });
  });

  it('is for the projects of its token only', async () => {
    await createProject(api.database, { organisation: 'default', code: 'press' }, 'test');
    const press = '/v0/organisations/default/data/press';
    const limited = await api.application('limited', { projects: ['hall'] });
    const other = await api.application('other', { organisation: 'north' });
    expectProblem(await get('', 'nonsense'), 401, 'invalid-token');
    expectProblem(await get('', other.token), 403, 'forbidden');
    expectProblem(await get('', limited.token, press), 403, 'forbidden');
    expectProblem(await get('', limited.token, '/v0/organisations/default/data/nothing'), 403, 'forbidden');
    expectProblem(await get('', api.client.token, '/v0/organisations/default/data/nothing'), 404, 'unknown-project');
    expect(await get('', limited.token)).toMatchObject({ status: 200 });
    expect((await get('', api.client.token, press)).json).toMatchObject({ sensors: [] });
  });

  it('is GET', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const answer = await curl('-X', method, ...bearer(api.client.token), `${api.url}${PATH}/sensors`);
      expectProblem(answer, 405, 'method-not-allowed');
      expect(answer.headers['allow']).toBe('GET, HEAD');
    }
  });

  it('is limited to 60 a minute for each application, and says how many are left', async () => {
    const eager = await api.application('eager');
    const url = `${PATH}/sensors?limit=0`;
    const headers = { authorization: `Bearer ${eager.token}` };
    // Wrong queries count, too, and need no database: all come long before one more is allowed.
    const answers = await Promise.all(Array.from({ length: 200 }, () => api.server.inject({ url, headers })));
    const taken = answers.filter(({ statusCode }) => statusCode === 400);
    expect(taken.length).toBeGreaterThanOrEqual(60);
    // The order of the answers is not that in which the requests were counted.
    const first = taken.find(({ headers }) => String(headers['ratelimit']).includes('r=59;'));
    expect(first?.headers).toMatchObject({
      'ratelimit-policy': '"read-back";q=60;w=60',
      ratelimit: '"read-back";r=59;t=1',
    });
    const refused = answers.find(({ statusCode }) => statusCode === 429);
    expect(refused?.json()).toMatchObject({ type: expect.stringMatching(/too-many-requests$/) as string });
    expect(refused?.headers).toMatchObject({ ratelimit: '"read-back";r=0;t=60', 'retry-after': '1' });
    expect(await get('limit=1')).toMatchObject({ status: 200 });
    expect(await pushAs(eager, api.url + PATH, [])).toMatchObject({ status: 200 });
  });
});
