import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

// A source of 1,000 streams whose coverage has as many changes as buckets, so no answer about it can be longer.

const databases = useDatabases();
const STREAMS = 1_000;
const RANGE = 'from=2025-01-01T00:00:00Z&to=2025-12-27T00:00:00Z';
let database: Database;
let api: OperatorApiUnderTest;
let anna: SignedIn;
let sue: SignedIn;

interface Answer {
  readonly streams: readonly { readonly key: string; readonly states: string }[];
  readonly edges: readonly string[];
  readonly next: string | null;
}

beforeAll(async () => {
  database = await databases.create();
  await database.run(`insert into ml_project (organisation_id, code, name) values ('default', 'hall', '')`);
  await database.run(
    `insert into source (name, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us)
     select one, id, 'user-credentials', 'influxdb', '{}', '2025-01-01Z', 60000000, 0, 0 from ml_project, unnest(array['large', 'small', 'none']) as one`,
  );
  await database.run(
    `insert into stream (source_id, key, selection, sensors, covered)
     select id, 's-' || lpad(n::text, 4, '0'), '{}'::jsonb, '[]'::jsonb,
       (select range_agg(tstzrange(day, day + interval '1 day')) from generate_series(timestamptz '2025-01-01Z', '2025-12-31Z', interval '2 days') as day)
     from source, generate_series(1, $1) as n where name = 'large'
     union all select id, 's', '{}', '[]', '{[2025-01-01Z, 2025-12-31Z)}'::tstzmultirange from source where name = 'small'`,
    [STREAMS],
  );
  api = await startOperatorApi(database);
  anna = await api.operator('anna', 'viewer');
  sue = await api.operator('sue', 'viewer', ['south']);
});

afterAll(async () => {
  await api?.close();
});

const get = (path: string, as = anna) => api.send('GET', `/api/v1${path}`, { as });

describe('coverage', () => {
  it('of a large source comes in pages of less than a megabyte, each stream once', async () => {
    const keys: string[] = [];
    let cursor = '';
    do {
      const answer = await get(`/sources/default/large/coverage?${RANGE}&buckets=360&limit=1000${cursor}`);
      expect(answer.text.length).toBeLessThan(1_000_000);
      const { streams, edges, next } = answer.json as Answer;
      expect(edges).toHaveLength(361);
      expect(new Set(streams.map(({ states }) => states))).toEqual(new Set(['em'.repeat(180)]));
      keys.push(...streams.map(({ key }) => key));
      cursor = next === null ? 'none' : `&cursor=${next}`;
    } while (cursor !== 'none');
    expect(keys).toHaveLength(STREAMS);
    expect(new Set(keys).size).toBe(STREAMS);
  });

  it('passes over no stream that is filled between two pages', async () => {
    const path = `/sources/default/large/coverage?${RANGE}&buckets=2&limit=100`;
    const first = (await get(path)).json as Answer;
    const fill = `update stream set covered = '{[2024-12-31Z, 2026-01-01Z)}' where key = any($1)`;
    const unseen = Array.from({ length: 150 }, (_, index) => `s-${String(index + 101).padStart(4, '0')}`);
    await api.database.run(fill, [[...first.streams.slice(40).map(({ key }) => key), ...unseen.slice(50)]]);
    const seen = new Set(first.streams.map(({ key }) => key));
    for (let next = first.next; next !== null;) {
      const page = (await get(`${path}&cursor=${next}`)).json as Answer;
      for (const { key } of page.streams) seen.add(key);
      next = page.next;
    }
    expect(seen.size).toBe(STREAMS);
  });

  it('has days of a zone, and refuses both kinds of buckets at once', async () => {
    const { json } = await get(
      '/sources/default/small/coverage?from=2025-03-29T00:00:00Z&to=2025-03-31T00:00:00Z&zone=Europe/Berlin',
    );
    expect(json).toMatchObject({
      zone: 'Europe/Berlin',
      bucketSeconds: null,
      edges: ['2025-03-28T23:00:00Z', '2025-03-29T23:00:00Z', '2025-03-30T22:00:00Z', '2025-03-31T22:00:00Z'],
      streams: [{ states: 'e3', coveredSeconds: 71 * 3600 }],
    });
    for (const query of ['zone=Europe/Berlin&buckets=3', 'zone=Mars/Base', 'from=20000d&zone=UTC', 'cursor=x'])
      expect((await get(`/sources/default/small/coverage?${query}`)).status).toBe(400);
  });

  it('of several sources is a strip each, of all their streams together', async () => {
    const { json } = await get(
      `/coverage?sources=default/small,default/none,default/large&from=2025-01-01T00:00:00Z&to=2025-01-05T00:00:00Z&buckets=4`,
    );
    expect(json).toMatchObject({
      buckets: 4,
      sources: [
        { name: 'small', strip: { states: 'e4', missingSeconds: 0 } },
        { name: 'none', strip: null },
        { name: 'large', strip: { states: 'emem', missingSeconds: 2 * 86_400 } },
      ],
    });
    const many = Array.from({ length: 201 }, (_, at) => `default/s-${at}`).join();
    expect((await get(`/coverage?sources=${many}`)).status).toBe(400);
    expect((await get('/coverage?sources=default/small', sue)).status).toBe(404);
    expect((await get('/coverage?sources=small')).status).toBe(404);
  });
});
