import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOURCE_OPTIONS, simulatedHttpJson } from '../../adapters/platforms/http-json/simulator.ts';
import { createProject } from '../../src/access/projects.ts';
import type { Database } from '../../src/database/database.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { SimulatedClock } from '../../src/simulator/clock.ts';
import { serve } from '../../src/simulator/serve.ts';
import type { TruthSpec } from '../../src/simulator/truth.ts';
import { useDatabases } from '../kit/databases.ts';
import { LONGEST_MS, longestStretch } from '../kit/event-loop.ts';
import { startInflux } from '../kit/influx.ts';
import type { Influx } from '../kit/influx.ts';
import { eventually } from './daemon-rig.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorAnswer, OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

// Checks, previews and searches for sensors ask a platform and save nothing.

const databases = useDatabases();
let api: OperatorApiUnderTest;
let database: Database;
let anna: SignedIn;
let influx: Influx;

const post = (path: string, body?: unknown): Promise<OperatorAnswer> =>
  api.send('POST', `/api/v1/sources${path}`, { as: anna, body });

const documentFor = (url: string, password: string) => ({
  name: 'tried',
  project: 'hall-9',
  kind: 'user-credentials',
  platform: 'influxdb',
  connection: { url, username: influx.reader.username, password },
  options: { database: 'plant' },
  schedule: { every: '1s', settle: '0s', start: '1h' },
});
/** A plant behind an API that options declare. */
async function servedHttpJson() {
  const firstMs = Date.now() - 60_000;
  const devices: TruthSpec['devices'] = [
    { id: 'press', name: 'press', keys: [{ name: 't', kind: 'number', everyMs: 1000 }] },
  ];
  const accounts = [{ username: 'u', password: 'pw' }];
  const clock = new SimulatedClock();
  const truth = { seed: 7, firstMs, liveFromMs: firstMs, devices };
  return await serve(simulatedHttpJson.open({ accounts, truth }, clock), clock);
}
const documentOfHttpJson = (url: string, options: unknown) => ({
  name: 'plant-api',
  project: 'hall-9',
  kind: 'custom',
  platform: 'http-json',
  connection: { url, key: 'pw' },
  schedule: { every: '1m', start: '1h', settle: '2s', overlap: '0s' },
  pace: { requestsPerSecond: 100, burst: 100, concurrency: 2 },
  options,
});
const linesOf = ({ text }: OperatorAnswer) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, Record<string, unknown>>);

beforeAll(async () => {
  [database, influx] = await Promise.all([databases.create(), startInflux()]);
  api = await startOperatorApi(database);
  anna = await api.operator('anna', 'operator');
  await createProject(database, { organisation: 'default', code: 'hall-9' }, 'test');
  const now = Date.now() * 1000;
  await influx.write(
    Array.from({ length: 5 }, (_, index) => `pump flow=${index}.5 ${now - (index + 1) * 1_000_000}`),
    'plant',
    'u',
  );
  await partitionsOf(database).ensure('window_log', now, now);
});

afterAll(async () => {
  await api?.close();
  await influx.stop();
});

describe('a check', () => {
  it('tells each step, then the result, of a source that is sent and of a registered one', async () => {
    const source = documentFor(influx.url, influx.reader.password);
    const sent = linesOf(await post('/check', source));
    expect(sent.slice(0, -1).map(({ step }) => step?.['step'])).toEqual([
      'schema',
      'secrets',
      'address',
      'platform',
      'clock',
      'sensors',
      'window',
    ]);
    const result = sent.at(-1)?.['result'];
    expect(result).toMatchObject({ ok: true, source: 'tried', sharesPace: false, why: 'the source is not registered' });
    expect(result?.['steps']).toEqual(sent.slice(0, -1).map(({ step }) => step));
    expect((await post('/apply', source)).status).toBe(200);
    expect(linesOf(await post('/default/tried/check')).at(-1)).toMatchObject({
      result: { ok: true, sharesPace: true, why: null },
    });
    expect((await post('/default/tried/preview?from=soon')).status).toBe(400);
    const preview = linesOf(await post('/default/tried/preview?from=10m'));
    expect(preview).toMatchObject([{ result: { readings: 5, sharesPace: true } }]);
    expect(await database.rows('select from worker where not polls')).toEqual([]);
  });

  it('says what is wrong', async () => {
    const wrong = linesOf(await post('/check', documentFor(influx.url, 'wr0ng')));
    expect(wrong.at(-1)).toMatchObject({ result: { ok: false } });
    expect(JSON.stringify(wrong)).not.toContain('wr0ng');
    for (const path of ['/preview?from=10m', '/sensors']) {
      const answer = await post(path, documentFor(influx.url, 'wr0ng'));
      expect(linesOf(answer)).toMatchObject([{ error: { code: 'credentials-rejected' } }]);
    }
  });
});

describe('a source whose series belong to another one', () => {
  it('fails its check, is refused in its preview and is failing in the list', async () => {
    const source = { ...documentFor(influx.url, influx.reader.password), name: 'second' };
    expect((await post('/apply', source)).status).toBe(200);
    await database.run(
      `insert into series (project_id, sensor_id, value_name, owner) select id, 'pump', 'flow', 'first' from ml_project where code = 'hall-9'`,
    );
    const remedy = 'other names, or databridge source take-over second --from first';
    for (const [path, body] of [['', source] as const, ['/default/second', undefined] as const]) {
      expect(linesOf(await post(`${path}/check`, body)).slice(-2)).toMatchObject([
        { step: { step: 'window', ok: false, fault: { remedy } } },
        { result: { ok: false } },
      ]);
      expect(linesOf(await post(`${path}/preview?from=10m`, body))).toMatchObject([
        {
          result: {
            readings: 0,
            refused: { 'series-of-another': 5 },
            seriesOfOthers: [{ owner: 'first', series: 1 }],
          },
        },
      ]);
    }
    await database.run(
      `insert into stream (source_id, key, selection, sensors, covered)
       select id, 'pump', '{}', '[]', tstzmultirange(tstzrange(start_at, now())) from source where name = 'second'`,
    );
    await database.run(
      `insert into work (kind, id, source_id, due_at, well_at) select 'poll', id, id, now(), now() from source where name = 'second'
       on conflict (kind, id) do update set well_at = now()`,
    );
    await database.run(
      `insert into window_sum (source_id, hour, lane, windows, failures, requests, bytes, readings, duplicates, revised, refused, late)
       select id, date_trunc('hour', now()), 'live', 1, 0, 1, 1, 0, 0, 0, 5, 0 from source where name = 'second'`,
    );
    await database.run(
      `insert into refused_hour (stream_id, hour, sensor, variable, reason, points)
       select id, date_trunc('hour', now()), 'pump', 'flow', 'series-of-another', '{1,2}' from stream`,
    );
    const list = await api.send('GET', '/api/v1/sources?state=failing', { as: anna });
    expect(list.json).toMatchObject({
      items: [{ name: 'second', condition: 'failing', allRefused: { reason: 'series-of-another' } }],
    });
    await database.run(`delete from source where name = 'second'`);
    await database.run('delete from series');
  });
});

describe('a source of a project that takes no new series', () => {
  it.each([
    [
      'series_quota = 0',
      'too-many-series',
      '1 name would be refused, because the quota',
      { locked: false, beyondQuota: 1 },
    ],
    [
      'locked = true',
      'name-held-back',
      '1 name would be held back, because the project',
      { locked: true, beyondQuota: 0 },
    ],
  ] as const)('is warned by its check and refused in its preview, with %s', async (state, reason, words, newNames) => {
    const source = documentFor(influx.url, influx.reader.password);
    await database.run(`update ml_project set ${state} where code = 'hall-9'`);
    const check = linesOf(await post('/check', source)) as { readonly step?: { readonly detail: string } }[];
    expect(check.slice(-2)).toMatchObject([
      { step: { step: 'window', ok: true, warning: true } },
      { result: { ok: true } },
    ]);
    expect(check.at(-2)?.step?.detail).toMatch(/^0 readings of 0 series .*; 5 refused /);
    expect(check.at(-2)?.step?.detail).toContain(`5 refused (${reason} 5)`);
    expect(check.at(-2)?.step?.detail).toContain(words);
    expect(linesOf(await post('/preview?from=10m', source))).toMatchObject([
      { result: { readings: 0, refused: { [reason]: 5 }, newNames: { names: 1, ...newNames } } },
    ]);
    await database.run('update ml_project set locked = false, series_quota = 100000');
    expect(linesOf(await post('/preview?from=10m', source))).toMatchObject([{ result: { readings: 5, refused: {} } }]);
    expect(await database.rows('select from series')).toEqual([]);
  });

  it('has the declaration of its platform tested all the same', async () => {
    const plant = await servedHttpJson();
    await database.run('update ml_project set locked = true');
    const check = await post('/check', documentOfHttpJson(plant.url, SOURCE_OPTIONS));
    expect(linesOf(check).slice(-3)).toMatchObject([
      {
        step: { step: 'window', ok: true, warning: true, detail: expect.stringContaining('name-held-back') as string },
      },
      { step: { step: 'declaration', ok: true, detail: expect.stringContaining('all agree') as string } },
      { result: { ok: true } },
    ]);
    await database.run('update ml_project set locked = false');
    await plant.close();
  });
});

it('an expression without an end fails its check and preview, which keep no other request waiting', async () => {
  const plant = await servedHttpJson();
  const points = '($f := function($n) { $f($n + 1) }; $f(0))';
  const source = documentOfHttpJson(plant.url, { ...SOURCE_OPTIONS, answer: { ...SOURCE_OPTIONS.answer, points } });
  let answers: readonly OperatorAnswer[] = [];
  // Processor time only ever comes out too long, by cold caches and what is compiled at first: the least of three counts.
  let least = Infinity;
  for (let measured = 0; measured < 3 && least >= LONGEST_MS; measured += 1) {
    const longest = await longestStretch(async () => {
      answers = await Promise.all(['/check', '/preview?from=10m'].map((path) => post(path, source)));
    });
    least = Math.min(least, longest);
  }
  for (const { text } of answers) {
    expect(text).toContain('"code":"too-costly"');
    expect(text).toContain('options.answer.points: took more than 1 s of computing on an answer of ');
  }
  expect(least).toBeLessThan(LONGEST_MS);
  await plant.close();
});

describe('a search for sensors', () => {
  it('shows those that match, of a source that is sent and of a registered one', async () => {
    const source = documentFor(influx.url, influx.reader.password);
    const pump = { id: 'pump', name: null, group: 'pump', variables: ['flow'] };
    expect(linesOf(await post('/sensors?search=PUM', source))).toMatchObject([
      { result: { source: 'tried', organisation: 'default', complete: true, sensors: [pump] } },
    ]);
    expect(linesOf(await post('/default/tried/sensors'))).toMatchObject([{ result: { sensors: [pump] } }]);
    expect(linesOf(await post('/default/tried/sensors?search=none'))).toMatchObject([{ result: { sensors: [] } }]);
    expect((await post('/default/tried/sensors?limit=0')).status).toBe(400);
  });
});

describe('a check whose client leaves', () => {
  const asked: ServerResponse[] = [];
  let platform: Server;
  beforeAll(async () => {
    // The first request waits for its answer, further ones are answered at once.
    platform = createServer((_request, response) => {
      if (asked.push(response) > 1) response.writeHead(401).end();
    });
    await new Promise<void>((resolve) => void platform.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    platform.closeAllConnections();
    await new Promise((resolve) => platform.close(resolve));
  });

  it('asks the platform nothing more, and is present no more', async () => {
    const { port } = platform.address() as AddressInfo;
    const leaving = new AbortController();
    const answer = await fetch(`${api.url}/api/v1/sources/check`, {
      method: 'POST',
      headers: { authorization: `Bearer ${anna.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(documentFor(`http://127.0.0.1:${port}`, 'any')),
      signal: leaving.signal,
    });
    expect(answer.status).toBe(200);
    await eventually('the platform is asked', () => asked.length > 0);
    leaving.abort();
    await answer.text().catch(() => undefined);
    await api.left();
    // A check that goes on asks again after this answer.
    asked[0]?.writeHead(204, { 'x-influxdb-version': '1.6.7' }).end();
    await eventually(
      'the check is present no more',
      async () => (await database.rows('select from worker where not polls')).length === 0,
    );
    expect(asked).toHaveLength(1);
  });
});
