import { beforeAll, describe, expect, it } from 'vitest';
import { allPlatforms } from '../../adapters/index.ts';
import { kinds } from '../../adapters/kinds.ts';
import { SOURCE_OPTIONS } from '../../adapters/platforms/http-json/simulator.ts';
import { formatProblem } from '../../src/core/source/problems.ts';
import { parseSource } from '../../src/core/source/source.ts';
import { applySource } from '../../src/source/registration.ts';
import type { Applied } from '../../src/source/registration.ts';
import { useDatabases } from '../kit/databases.ts';
import { makeGround, NOW } from './registration-ground.ts';
import type { Ground } from './registration-ground.ts';

// The data of an http-json source is where its requests lead, and those are options.

const databases = useDatabases();
const platforms = await allPlatforms();
const { readings, sensors, authorisation, paging, answer, exactness } = SOURCE_OPTIONS;
const LOGIN = { by: 'login', path: '/login', body: { user: '{user}', tenant: 'north' }, answer: 'jwt' };
let ground: Ground;

interface Change {
  readonly options?: object;
  readonly connection?: object;
}

const apply = async ({ options, connection }: Change, given: { sameData?: boolean; dryRun?: boolean } = {}) => {
  const written = {
    name: 'plant-api',
    project: 'presses',
    kind: 'custom',
    platform: 'http-json',
    connection: { url: 'https://api.example', key: 's3cret', ...connection },
    schedule: { every: '1m' },
    options: { ...SOURCE_OPTIONS, ...options },
  };
  const parsed = parseSource(written, platforms, { kinds });
  if (!parsed.ok) expect.fail(parsed.problems.map(formatProblem).join('\n'));
  const { database, sealing } = ground;
  return await applySource({ database, sealing, registry: { platforms, kinds } }, parsed.source, {
    now: NOW,
    actor: 'tester',
    dryRun: given.dryRun ?? false,
    sameData: given.sameData ?? false,
    rename: false,
  });
};

/** The effect of a change of the source on the coverage of its one stream. */
async function moveOf(before: Change, after: Change, given: { sameData?: boolean } = {}): Promise<Applied['move']> {
  await ground.database.run('truncate source cascade');
  await apply(before);
  await ground.database.run(
    `insert into stream (source_id, key, selection, sensors, covered)
     select id, 'pump', '{"sensors": ["pump"]}', '[{"id": "pump"}]', '{[2026-01-01,2026-02-01)}' from source`,
  );
  const dry = await apply(after, { ...given, dryRun: true });
  const { move } = await apply(after, given);
  expect(dry.move).toEqual(move);
  const left = await ground.database.rows('select from stream where retired_at is null');
  expect(left).toHaveLength(move.coverage === 'kept' ? 1 : 0);
  return move;
}

const asked = (change: object): Change => ({ options: { readings: { ...readings, ...change } } });
const listed = (change: object): Change => ({
  options: { sensors: { ...sensors, request: { ...sensors.request, ...change } } },
});
const signed = (change: object): Change => ({ options: { authorisation: { ...LOGIN, ...change } } });
const atSite = (site: string) => ({ query: { ...readings.query, site } });

beforeAll(async () => {
  ground = await makeGround(databases);
});

describe('the place of an http-json source', () => {
  it.each<[string, Change, Change]>([
    ['options.readings', asked({ path: '/north' }), asked({ path: '/south' })],
    ['options.readings', asked(atSite('north')), asked(atSite('south'))],
    ['options.readings', asked({}), asked(atSite('south'))],
    [
      'options.readings',
      asked({ method: 'POST', body: { scope: { site: ['north'] } } }),
      asked({ method: 'POST', body: { scope: { site: ['south'] } } }),
    ],
    ['options.sensors.request', listed({ query: { site: 'north' } }), listed({ query: { site: 'south' } })],
    ['options.sensors.request', listed({}), listed({ path: '/south/sensors' })],
    ['options.authorisation.body', signed({}), signed({ body: { user: '{user}', tenant: 'south' } })],
    ['options.authorisation.path', signed({}), signed({ path: '/south/login' })],
    ...(['endpoint', 'scope', 'audience'] as const).map((field): [string, Change, Change] => {
      const by = (site: string): Change => ({
        options: { authorisation: { by: 'oauth2', client: 'post', [field]: `https://${site}.example` } },
      });
      return [`options.authorisation.${field}`, by('north'), by('south')];
    }),
    ['options.times', {}, { options: { times: { write: 's', read: 'iso' } } }],
    ['options.answer.empty', {}, { options: { answer: { ...answer, empty: '$count(rows) = 0' } } }],
    ['options.answer.emptyStatuses', {}, { options: { answer: { ...answer, emptyStatuses: [404] } } }],
    ['options.exactness.bounds', {}, { options: { exactness: { ...exactness, bounds: '(]' } } }],
    ['options.exactness.cap', {}, { options: { exactness: { ...exactness, cap: 500 } } }],
    // An expression that changes may mean other sensors and variables.
    ['options.answer.points', {}, { options: { answer: { ...answer, points: `${answer.points}[variable="flow"]` } } }],
  ])('is another one where %s changes', async (field, before, after) => {
    expect(await moveOf(before, after)).toMatchObject({ coverage: 'begins-anew', fields: [field] });
  });

  it('is the same one where the operator says so', async () => {
    expect(await moveOf(asked(atSite('north')), asked(atSite('N')), { sameData: true })).toMatchObject({
      coverage: 'kept',
      fields: ['options.readings'],
    });
  });

  it.each<[string, Change]>([
    ['pages are smaller', { options: { paging: { ...paging, size: 100 } } }],
    ['windows are shorter', { options: { exactness: { ...exactness, longestWindow: '1d' } } }],
    ['fewer sensors are asked for at once', { options: { sensors: { ...sensors, perRequest: 5 } } }],
    ['the key is another one', { connection: { key: 's3cret-2' } }],
    ['a prefix is written before the key', { options: { authorisation: { ...authorisation, prefix: 'Key ' } } }],
  ])('is the same one where %s', async (_, after) => {
    expect(await moveOf({}, after)).toMatchObject({ coverage: 'kept', fields: [] });
  });
});
