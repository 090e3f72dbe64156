import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY } from '../../src/core/instant.ts';
import { makePartitions } from '../../src/database/partitions.ts';
import { operatorProblemOf } from '../../src/operator/problem.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource } from '../kit/stored-source.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

// However much there is, an answer stays below a megabyte, and pages show each thing once.

const STREAMS = 1_000;
const MEGABYTE = 1_000_000;

const databases = useDatabases();
let api: OperatorApiUnderTest;
let anna: SignedIn;

beforeAll(async () => {
  const database = await databases.create();
  const { sourceId } = await storeSource(database);
  const fault = JSON.stringify({
    code: 'unavailable',
    message: 'm'.repeat(500),
    at: '2026-11-01T00:00:00Z',
    page: 'p'.repeat(4_000),
  });
  await database.run(
    `insert into stream (source_id, key, selection, sensors, covered, last_fault)
     select $1, 'p-' || lpad(n::text, 4, '0'), '{}'::jsonb, '[]'::jsonb,
       (select range_agg(tstzrange(day, day + interval '1 day')) from generate_series(timestamptz '2025-01-01Z', '2025-12-31Z', interval '2 days') as day), $3::jsonb
     from generate_series(1, $2) as n`,
    [sourceId, STREAMS, fault],
  );
  await database.run(
    `insert into unreadable (stream_id, from_at, to_at, retry_at, tries, fault)
     select id, day, day + interval '1 hour', now() + interval '1 day', 1, $2::jsonb
     from stream, generate_series(timestamptz '2025-01-01Z', '2025-01-10Z', interval '1 day') as day where source_id = $1`,
    [sourceId, fault],
  );
  const now = Date.now() * 1_000;
  await database.transaction((client) => makePartitions(client, 'window_log', now - DAY, now + 1));
  await database.run(
    `insert into window_log (stream_id, source_id, lane, from_at, to_at, asked_at, requests, bytes, readings, duplicates, revised, refused, late, waited_ms, http_ms, normalise_ms, store_ms)
     select stream.id, $1, 'live', now() - interval '1 hour', now(), date_trunc('minute', now()) - n * interval '1 second', 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1
     from stream, generate_series(1, 3) as n where source_id = $1 and key < 'p-0101'`,
    [sourceId],
  );
  await database.run(
    `insert into source (organisation_id, project_id, name, kind, platform, config, start_at, every_us, phase_us, settle_us, state)
     select organisation_id, project_id, 'many-' || n, kind, platform, config || jsonb_build_object('connection', jsonb_build_object('url', 'https://plant-' || n % 500 || '.example')),
       start_at, every_us, phase_us, settle_us, 'paused' from source, generate_series(1, 5000) as n where id = $1`,
    [sourceId],
  );
  await database.run(
    `update source set config = config || jsonb_build_object('sensors', (select jsonb_agg(jsonb_build_object('id', 'sensor-' || n, 'as', 'as-' || n)) from generate_series(1, 20000) as n))
     where name = 'many-1'`,
  );
  await database.run(
    `insert into audit (actor, action, subject, detail)
     select 'test', 'source.changed', 'many-1', jsonb_build_object('differences', repeat('d', 100000)) from generate_series(1, 50)`,
  );
  api = await startOperatorApi(database, {}, (app) => {
    app.get('/test/secret', { config: { access: 'public', secret: true } }, () => ({ secret: 's'.repeat(5_000) }));
  });
  anna = await api.operator('anna', 'viewer');
});

afterAll(async () => {
  await api?.close();
});

interface Page {
  readonly items: readonly unknown[];
  readonly next: string | null;
}

const get = async (path: string) => {
  const answer = await api.send('GET', `/api/v1${path}`, { as: anna });
  expect(answer.status).toBe(200);
  expect(answer.text.length).toBeLessThan(MEGABYTE);
  return answer;
};

/** The texts of the items of all pages. */
async function allOf(path: string, cursor: string | null = null): Promise<readonly string[]> {
  const items: string[] = [];
  let next: string | null = cursor;
  do {
    const page = (await get(`${path}${next === null ? '' : `${path.includes('?') ? '&' : '?'}cursor=${next}`}`))
      .json as Page;
    items.push(...page.items.map((item) => JSON.stringify(item)));
    ({ next } = page);
  } while (next !== null);
  return items;
}

describe('an answer stays below a megabyte', () => {
  it('of a source with a thousand streams in trouble, whose streams and windows come in pages', async () => {
    const source = (await get('/sources/default/source')).json as Record<string, unknown>;
    expect(source).toMatchObject({ configLeftOut: false, nextStreams: expect.any(String) as unknown });
    const shown = (source['streams'] as unknown[]).map((stream) => JSON.stringify(stream));
    const rest = await allOf('/sources/default/source/streams?limit=100', source['nextStreams'] as string);
    const streams = await allOf('/sources/default/source/streams?limit=100');
    expect([...shown, ...rest]).toEqual(streams);
    expect(new Set(streams.map((text) => (JSON.parse(text) as { key: string }).key)).size).toBe(streams.length);
    expect(streams.length).toBeGreaterThanOrEqual(STREAMS);
    expect(streams.join('')).not.toContain('pppp');
    const first = (source['windows'] as unknown[]).map((window) => JSON.stringify(window));
    const windows = [...first, ...(await allOf('/sources/default/source/windows', source['nextWindows'] as string))];
    expect(windows).toHaveLength(300);
    expect(windows).toEqual(await allOf('/sources/default/source/windows?limit=17'));
    expect(
      new Set(windows.map((text) => JSON.stringify(Object.values(JSON.parse(text) as object).slice(0, 5)))).size,
    ).toBe(300);
  });

  it('of a source with a large table, whose configuration is left out as a whole', async () => {
    expect((await get('/sources/default/many-1')).json).toMatchObject({ config: null, configLeftOut: true });
  });

  it('of the requests of thousands of sources', async () => {
    const hosts = await allOf('/requests');
    expect(new Set(hosts.map((text) => (JSON.parse(text) as { host: string }).host)).size).toBe(hosts.length);
    expect(hosts.length).toBeGreaterThanOrEqual(500);
  });

  it('of an audit with long entries', async () => {
    expect(await allOf('/audit?source=many-1&limit=200')).toHaveLength(50);
  });
});

describe('compression', () => {
  const ask = (path: string, coding: string) =>
    fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${anna.token}`, 'accept-encoding': coding } });

  it('is by brotli or gzip where the client takes it', async () => {
    const plain = await ask('/api/v1/sources?limit=200', 'identity');
    expect(plain.headers.get('content-encoding')).toBeNull();
    const text = await plain.text();
    for (const [coding, most] of [
      ['br', 0.2],
      ['gzip', 0.2],
    ] as const) {
      const answer = await ask('/api/v1/sources?limit=200', coding);
      expect(answer.headers.get('content-encoding')).toBe(coding);
      expect(answer.headers.get('vary')).toContain('accept-encoding');
      expect(Number(answer.headers.get('content-length'))).toBeLessThan(text.length * most);
      expect((await answer.text()).length).toBeGreaterThan(text.length * 0.99);
    }
  });

  it('spares answers that hold a secret', async () => {
    expect((await ask('/test/secret', 'br, gzip')).headers.get('content-encoding')).toBeNull();
  });
});

it('a change that takes the database too long is not told to ask for a shorter range', () => {
  const ended = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  const log = pino({ level: 'silent' });
  expect(operatorProblemOf(ended, { id: 'x', method: 'GET' }, log).remedy).toContain('shorter range');
  expect(operatorProblemOf(ended, { id: 'x', method: 'POST' }, log).remedy).toMatch(
    /^What it was about to change is as before/,
  );
});
