import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { cursorOf } from '../../src/operator/route-shapes.ts';
import { useDatabases } from '../kit/databases.ts';
import { LONG, fillWithLongNames } from './listing-ground.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorAnswer, OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

const databases = useDatabases();
let api: OperatorApiUnderTest;
let database: Database;
let anna: SignedIn;

const SOURCE = `/sources/${LONG.organisation}/${LONG.source}`;

const get = (path: string): Promise<OperatorAnswer> => api.send('GET', `/api/v1${path}`, { as: anna });

beforeAll(async () => {
  database = await databases.create();
  await fillWithLongNames(database, 2);
  api = await startOperatorApi(database);
  anna = await api.operator('anna', 'operator');
});

afterAll(async () => {
  await api?.close();
});

it.each([`${SOURCE}/refusals`, `/applications/${LONG.application}/refusals`])(
  'the refusals of %s come in pages, those with most points first',
  async (list) => {
    await database.run(
      `insert into refused_hour (stream_id, hour, sensor, variable, reason, points, examples)
       select (select min(stream.id) from stream join source on source.id = source_id where name = $1), '2026-11-01T03:00:00Z', 'paged', n::text,
         'not-a-number', array_fill(1, array[n / 3 + 1]), '[]' from generate_series(1, 20) as n on conflict do nothing`,
      [LONG.source],
    );
    await database.run(
      `insert into refusal (project_id, application_id, reason, sensor, variable, at, raw, noted_at)
       select ml_project.id, application.id, 'not-a-number', 'paged', (n / 2)::text, at_instant(n), '', now()
       from ml_project, application, generate_series(1, 40) as n where code = $1 and application.id = $2 on conflict do nothing`,
      [LONG.project, LONG.application],
    );
    interface Variables {
      readonly series: readonly Readonly<Record<'sensor' | 'variable' | 'reason' | 'refused', unknown>>[];
      readonly next: string | null;
    }
    const whole = (await get(`${list}?limit=1000`)).json as Variables;
    const seen: unknown[] = [];
    let page: Variables | undefined;
    do {
      page = (await get(`${list}?limit=7${page === undefined ? '' : `&cursor=${page.next}`}`)).json as Variables;
      expect(page.series.length).toBeLessThanOrEqual(7);
      seen.push(...page.series);
    } while (page.next !== null);
    expect(seen).toEqual(whole.series);
    expect(seen.length).toBeGreaterThan(20);
    const wrong = cursorOf([0, '["x","b","c","d","e"]']);
    expect((await get(`${list}?cursor=${wrong}`)).status).toBe(400);
  },
);
