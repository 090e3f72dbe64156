import { expect, test } from 'vitest';
import { simulatedCognite } from '../../../adapters/platforms/cognite/simulator.ts';
import { truth, type TruthPoint, type TruthSpec } from '../../../src/simulator/truth.ts';
import { refusesTokens, withProduct, type Asked, type ProductUnderTest } from './guarded-product.ts';

const startMs = Date.UTC(2026, 0, 1);
const endMs = startMs + 86_400_000;
const qualities = ['good', 'good', 'uncertain', 'bad', 'substituted'] as const;
const spec: TruthSpec = {
  seed: 1,
  firstMs: startMs - 3_600_000,
  endMs: endMs + 3_600_000,
  devices: [
    {
      id: 'pump',
      name: 'Pump 1',
      keys: [
        { name: 'flow', kind: 'number', everyMs: 10_000, edges: true },
        { name: 'level', kind: 'number', everyMs: 60_000, qualities },
        { name: 'mode', kind: 'text', everyMs: 600_000, states: ['Off', 'Run', 'Fault'] },
        { name: 'note', kind: 'text', everyMs: 600_000 },
        { name: 'on', kind: 'boolean', everyMs: 600_000 },
        { name: 'settings', kind: 'json', everyMs: 3_600_000 },
      ],
    },
    { id: 'valve', name: 'Valve 2', keys: [{ name: 'flow', kind: 'number', everyMs: 5_000 }] },
  ],
};

interface Item {
  readonly externalId: string;
  readonly datapoints: readonly { timestamp: number; value?: unknown; status?: { code: number } }[];
  readonly nextCursor?: string;
}

const project = '/api/v1/projects/plant';
const withCognite = (options: object, use: (under: ProductUnderTest) => Promise<void>) =>
  withProduct(simulatedCognite, (authUrl) => ({ authUrl, truth: spec, ...options }), use);
const post = ({ ask }: ProductUnderTest, path: string, body: unknown, more: Asked = {}) =>
  ask(`${project}/timeseries/${path}`, { method: 'POST', body, ...more });

/** All pages of one series. */
async function read(under: ProductUnderTest, externalId: string, more: object = {}): Promise<Item['datapoints']> {
  const points = [];
  let cursor: string | undefined;
  do {
    const item = { externalId, ...(cursor !== undefined && { cursor }) };
    const { body } = await post(under, 'data/list', {
      items: [item],
      start: startMs,
      end: endMs,
      limit: 1000,
      ...more,
    });
    const [page] = (body as { items: Item[] }).items;
    points.push(...(page?.datapoints ?? []));
    cursor = page?.nextCursor;
  } while (cursor !== undefined);
  return points;
}

const trueOf = (id: string, key: string): TruthPoint[] => truth(spec, id, key, startMs, endMs);
const all = { includeStatus: true, ignoreBadDataPoints: false, treatUncertainAsBad: false };

test('a day of each series is the truth, both ends as documented', async () => {
  await withCognite({}, async (under) => {
    for (const [id, key] of [
      ['pump', 'flow'],
      ['valve', 'flow'],
      ['pump', 'note'],
    ] as const) {
      const points = await read(under, `${id}/${key}`);
      expect(points).toEqual(trueOf(id, key).map(({ ts, value }) => ({ timestamp: ts, value })));
    }
    const states = trueOf('pump', 'mode').map(({ ts, value }) => [ts, value]);
    const told = (await read(under, 'pump/mode')) as unknown as {
      timestamp: number;
      numericValue: number;
      stringValue: string;
    }[];
    expect(told.map((one) => [one.timestamp, { state: one.stringValue, code: one.numericValue }])).toEqual(states);
    expect((await read(under, 'pump/settings')).map(({ value }) => JSON.parse(String(value)) as unknown)).toEqual(
      trueOf('pump', 'settings').map(({ value }) => value),
    );
  });
});

test('a point that is not good is left out unless asked for, and tells its status', async () => {
  await withCognite({ badValueAs: 'number' }, async (under) => {
    const level = trueOf('pump', 'level');
    const good = level.filter(({ quality }) => quality === 'good');
    expect((await read(under, 'pump/level')).map(({ timestamp }) => timestamp)).toEqual(good.map(({ ts }) => ts));
    const category = { good: 0, uncertain: 1, substituted: 1, bad: 2, unknown: 3 };
    expect((await read(under, 'pump/level', all)).map((one) => [one.value, (one.status?.code ?? 0) >>> 30])).toEqual(
      level.map(({ value, quality = 'good' }) => [value, category[quality]]),
    );
    expect((await read(under, 'pump/level', { ...all, includeStatus: false })).some(({ status }) => status)).toBe(
      false,
    );
  });
  await withCognite({}, async (under) => {
    const bad = (await read(under, 'pump/level', all)).filter(({ status }) => (status?.code ?? 0) >= 0x80000000);
    expect(new Set(bad.map(({ value }) => typeof value))).toEqual(new Set(['number', 'undefined', 'string']));
  });
});

test('series are listed in pages, some of them short, and found by both names', async () => {
  await withCognite({}, async (under) => {
    const names: string[] = [];
    let cursor: string | undefined;
    const sizes = [];
    do {
      const { body } = await post(under, 'list', { limit: 4, ...(cursor !== undefined && { cursor }) });
      const page = body as { items: { externalId: string }[]; nextCursor?: string };
      names.push(...page.items.map(({ externalId }) => externalId));
      sizes.push(page.items.length);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(names).toEqual(spec.devices.flatMap(({ id, keys }) => keys.map(({ name }) => `${id}/${name}`)));
    expect(sizes).toEqual([2, 4, 1]);
    const { body } = await post(under, 'byids', { items: [{ externalId: 'valve/flow' }] });
    const [found] = (body as { items: { id: number }[] }).items;
    expect(found?.id).toBeGreaterThan(2 ** 32);
    expect((await post(under, 'byids', { items: [{ id: found?.id }] })).body).toEqual(body);
    expect((await under.ask('/api/v1/token/inspect')).body).toMatchObject({ projects: [{ projectUrlName: 'plant' }] });
  });
});

test('unknown series are named, or ignored where the client asks for it', async () => {
  await withCognite({}, async (under) => {
    const items = [{ externalId: 'pump/flow' }, { externalId: 'gone' }, { id: 7 }];
    const question = { items, start: startMs, end: endMs };
    const { status, body } = await post(under, 'data/list', question);
    expect([status, body]).toEqual([
      400,
      { error: { code: 400, message: 'Time series not found', missing: items.slice(1) } },
    ]);
    const ignored = await post(under, 'data/list', { ...question, ignoreUnknownIds: true });
    expect((ignored.body as { items: Item[] }).items.map(({ externalId }) => externalId)).toEqual(['pump/flow']);
  });
});

test('caps hold, and limits above the cap are refused or shared', async () => {
  const items = [{ externalId: 'pump/flow' }, { externalId: 'valve/flow' }];
  const question = { items, start: startMs, end: endMs, limit: 600 };
  await withCognite({ mostPoints: 1000, mostItems: 2 }, async (under) => {
    expect((await post(under, 'data/list', question)).status).toBe(400);
    expect((await post(under, 'data/list', { ...question, limit: 500 })).status).toBe(200);
    expect((await post(under, 'data/list', { ...question, limit: 1, items: [...items, items[0]] })).status).toBe(400);
    expect((await post(under, 'list', { limit: 1001 })).status).toBe(400);
  });
  await withCognite({ mostPoints: 1000, limitsAbove: 'shared' }, async (under) => {
    const { body } = await post(under, 'data/list', question);
    const pages = (body as { items: Item[] }).items;
    expect(pages.map(({ datapoints, nextCursor }) => [datapoints.length, typeof nextCursor])).toEqual([
      [600, 'string'],
      [400, 'string'],
    ]);
  });
  await withCognite({}, async (under) => {
    expect((await post(under, 'data/list', { ...question, limit: 100_001, items: items.slice(0, 1) })).status).toBe(
      400,
    );
  });
});

test('whatever is not simulated is refused in the form of the product', async () => {
  await withCognite({}, async (under) => {
    const question = { items: [{ externalId: 'pump/flow' }], start: startMs, end: endMs };
    const first = (await post(under, 'data/list', question)).body as { items: Item[] };
    const item = { externalId: 'pump/flow', cursor: first.items[0]?.nextCursor };
    expect((await post(under, 'data/list', { ...question, items: [item] })).status).toBe(200);
    const strange: readonly object[] = [
      { ...question, aggregates: ['average'], granularity: '1h' },
      { ...question, start: '2d-ago' },
      { ...question, end: startMs },
      { ...question, limit: 0 },
      { ...question, items: [{ externalId: 'pump/flow', id: 7 }] },
      { ...question, items: [] },
      { ...question, items: [item], end: endMs + 1 },
      { ...question, items: [{ ...item, externalId: 'valve/flow' }] },
    ];
    for (const body of strange) {
      expect(await post(under, 'data/list', body)).toMatchObject({ status: 400, body: { error: { code: 400 } } });
    }
    expect((await under.ask('/api/v1/projects/other/timeseries/list', { method: 'POST', body: {} })).status).toBe(403);
    expect((await under.ask(`${project}/timeseries`)).status).toBe(404);
    expect((await under.ask(`${project}/timeseries/list`)).status).toBe(405);
    const own = (body: unknown) => (body as { error: { code: number } }).error.code === 401;
    expect(await refusesTokens(under, '/api/v1/token/inspect', own)).toEqual([]);
    under.product.platform.invalidateTokens('all');
    expect((await under.ask('/api/v1/token/inspect')).status).toBe(401);
  });
});

test('one bad series ends the question, and the order of a page is an option', async () => {
  await withCognite({ order: 'descending', mayInspect: false }, async (under) => {
    const points = await read(under, 'pump/level', { ...all, limit: 100_000 });
    expect(points.map(({ timestamp }) => timestamp)).toEqual(
      trueOf('pump', 'level')
        .map(({ ts }) => ts)
        .toReversed(),
    );
    expect((await under.ask('/api/v1/token/inspect')).status).toBe(403);
    const question = { items: [{ externalId: 'pump/flow' }, { externalId: 'valve/flow' }], start: startMs, end: endMs };
    for (const [as, status] of [
      ['missing', 400],
      ['forbidden', 403],
      ['broken', 500],
    ] as const) {
      under.product.faults.switchOff();
      under.product.faults.switchOn({ kind: 'bad-sensor', device: 'valve', as });
      expect((await post(under, 'data/list', question)).status).toBe(status);
      expect((await post(under, 'list', {})).status).toBe(200);
    }
  });
});

test('a client of the authorisation server needs an account of the product', async () => {
  await withCognite({ accounts: [{ username: 'other', password: '' }] }, async ({ ask }) => {
    expect((await ask('/api/v1/token/inspect')).status).toBe(403);
  });
});
