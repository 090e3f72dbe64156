import { expect, test } from 'vitest';
import { simulatedInsightsHub } from '../../../adapters/platforms/insights-hub/simulator.ts';
import { deviceId } from '../../../src/simulator/plant.ts';
import { truth, type TruthSpec } from '../../../src/simulator/truth.ts';
import { refusesTokens, withProduct, type ProductUnderTest } from './guarded-product.ts';

const startMs = Date.UTC(2026, 0, 1);
const endMs = startMs + 86_400_000;
const axis = (name: string) => ({
  name: `acceleration.${name}`,
  kind: 'number' as const,
  everyMs: 20_000,
  edges: true,
});
const qualities = ['good', 'good', 'uncertain', 'bad', 'substituted'] as const;
const spec: TruthSpec = {
  seed: 1,
  firstMs: startMs - 3_600_000,
  endMs: endMs + 3_600_000,
  devices: [
    {
      id: deviceId(10),
      name: 'press',
      keys: [
        axis('x'),
        axis('y'),
        { name: 'speed', kind: 'number', everyMs: 30_000, qualities },
        { name: 'on', kind: 'boolean', everyMs: 70_000 },
        { name: 'mode', kind: 'text', everyMs: 600_000, states: ['Off', 'Run'] },
        { name: 'settings', kind: 'json', everyMs: 3_600_000 },
      ],
    },
    { id: deviceId(11), name: 'pump', keys: [] },
  ],
};
const press = spec.devices[0] ?? { id: '', keys: [] };
const asset = press.id.replaceAll('-', '');

type Rows = Record<string, unknown>[];

const withHub = (options: object, use: (under: ProductUnderTest) => Promise<void>) =>
  withProduct(simulatedInsightsHub, (authUrl) => ({ authUrl, truth: spec, ...options }), use);
const iso = (ms: number) => new Date(ms).toISOString();
const pathOf = (aspect: string, query: Record<string, string>) =>
  `/api/iottimeseries/v3/timeseries/${asset}/${aspect}?${new URLSearchParams(query)}`;
/** The range `(from, to]` that holds exactly `[startMs, endMs)`. */
const day = { from: iso(startMs - 1), to: iso(endMs - 1) };

/** All pages of an aspect. */
async function read(under: ProductUnderTest, aspect: string, query: Record<string, string>): Promise<Rows> {
  const rows: Rows = [];
  for (let next: string | undefined = pathOf(aspect, query); next !== undefined;) {
    const { status, body, headers } = await under.ask(next);
    expect(status).toBe(200);
    rows.push(...(body as Rows));
    next = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
  }
  return rows;
}

/** `[ms, value]` of a variable, where it has one. */
const columnOf = (rows: Rows, name: string) =>
  rows.flatMap((row) =>
    row[name] === undefined || row[name] === null ? [] : [[Date.parse(String(row['_time'])), row[name]]],
  );
const trueOf = (key: string) => truth(spec, press.id, key, startMs, endMs).map(({ ts, value }) => [ts, value]);

test('a day of each aspect is the truth, in pages and in both orders', async () => {
  await withHub({}, async (under) => {
    const axes = await read(under, 'acceleration', { ...day, sort: 'asc', limit: '999' });
    expect(columnOf(axes, 'x')).toEqual(trueOf('acceleration.x'));
    expect(columnOf(axes, 'y')).toEqual(trueOf('acceleration.y'));
    const newestFirst = await read(under, 'acceleration', { ...day, sort: 'desc' });
    expect(newestFirst).toEqual(axes.toReversed());
    const data = await read(under, 'data', { ...day, sort: 'asc', limit: '700' });
    expect(columnOf(data, 'speed')).toEqual(trueOf('speed'));
    expect(columnOf(data, 'on')).toEqual(trueOf('on'));
    expect(columnOf(data, 'mode')).toEqual(
      trueOf('mode').map(([ts, value]) => [ts, (value as { state: string }).state]),
    );
    expect(columnOf(data, 'settings').map(([, value]) => JSON.parse(value as string) as unknown)).toEqual(
      trueOf('settings').map(([, value]) => value),
    );
    const gaps = data.map((row) => ('settings' in row ? row['settings'] : 'absent'));
    expect(gaps).toContain(null);
    expect(gaps).toContain('absent');
  });
});

test('from is exclusive, to inclusive, and without them the latest record comes', async () => {
  await withHub({}, async (under) => {
    const times = async (from: number, to: number) =>
      (await read(under, 'acceleration', { from: iso(from), to: iso(to), sort: 'asc' })).map((row) => row['_time']);
    expect(await times(startMs, startMs + 20_000)).toEqual([iso(startMs + 19_999), iso(startMs + 20_000)]);
    expect(await times(startMs - 1, startMs + 19_998)).toEqual([iso(startMs)]);
    const latest = (await under.ask(pathOf('acceleration', {}))).body as Rows;
    expect(latest.map((row) => row['_time'])).toEqual([iso((spec.endMs ?? 0) - 1)]);
  });
});

test('quality codes come in the chosen words, and only the selected variables', async () => {
  await withHub({ codes: { good: '0', uncertain: 'U', substituted: 'S', bad: 'B', unknown: 'X' } }, async (under) => {
    const rows = await read(under, 'data', { ...day, sort: 'asc', select: 'speed' });
    const codes = { good: '0', uncertain: 'U', substituted: 'S', bad: 'B', unknown: 'X' };
    expect(rows.map((row) => row['speed_qc'])).toEqual(
      truth(spec, press.id, 'speed', startMs, endMs).map(({ quality = 'good' }) => codes[quality]),
    );
    expect(new Set(rows.flatMap((row) => Object.keys(row)))).toEqual(new Set(['_time', 'speed', 'speed_qc']));
  });
});

test('assets and aspects are listed in pages', async () => {
  await withHub({}, async ({ ask }) => {
    const { body } = await ask('/api/assetmanagement/v3/assets?size=1&page=1');
    expect(body).toMatchObject({
      _embedded: { assets: [{ name: 'pump' }] },
      page: { totalElements: 2, totalPages: 2, number: 1 },
    });
    const aspects = (await ask(`/api/assetmanagement/v3/assets/${asset}/aspects`)).body;
    expect(aspects).toMatchObject({
      _embedded: {
        aspects: [
          { name: 'acceleration', variables: [{ name: 'x', dataType: 'DOUBLE' }, { name: 'y' }] },
          { name: 'data', variables: [{ name: 'speed', qualityCode: true }, {}, {}, { dataType: 'BIG_STRING' }] },
        ],
      },
    });
  });
});

test('the link, its form and the largest page are options', async () => {
  await withHub({ link: 'relative', linkAfterLast: true, limitAbove: 'lowered', defaultSort: 'asc' }, async (under) => {
    const rows = await read(under, 'acceleration', { ...day, limit: '9000' });
    expect(columnOf(rows, 'x')).toEqual(trueOf('acceleration.x'));
    const full = await under.ask(pathOf('data', { from: iso(startMs - 1), to: iso(startMs), limit: '1' }));
    expect(full.headers.get('link')).toMatch(/^<\/api\//);
  });
  await withHub({}, async ({ ask }) => {
    const full = await ask(pathOf('data', { from: iso(startMs - 1), to: iso(startMs), limit: '1' }));
    expect([(full.body as Rows).length, full.headers.get('link')]).toEqual([1, null]);
    const first = ((await ask(pathOf('acceleration', day))).body as Rows)[0];
    expect(first?.['_time']).toBe(iso(endMs - 1));
  });
});

test('whatever is not simulated is refused in the form of the product', async () => {
  await withHub({ scope: 'iot.tim.r' }, async ({ ask }) => {
    expect(await ask(pathOf('data', day))).toMatchObject({ status: 403, body: { id: 'mdsp.core.generic.forbidden' } });
  });
  await withHub({}, async (under) => {
    const { ask, product } = under;
    const refused = [
      pathOf('data', { ...day, limit: '2001' }),
      pathOf('data', { ...day, limit: '0' }),
      pathOf('data', { from: day.from }),
      pathOf('data', { from: day.to, to: day.from }),
      pathOf('data', { ...day, from: '2026-01-01' }),
      pathOf('data', { ...day, sort: 'ASC' }),
      pathOf('data', { ...day, select: 'speed,speed_qc' }),
      pathOf('data', { ...day, aggregate: 'mean' }),
      '/api/assetmanagement/v3/assets?size=201',
      '/api/assetmanagement/v3/assets?filter=x',
    ];
    for (const path of refused) {
      expect(await ask(path), path).toMatchObject({ status: 400, body: { id: 'mdsp.core.generic.badRequest' } });
    }
    for (const path of [
      pathOf('other', day),
      '/api/iottimeseries/v4/timeseries',
      `${pathOf('data', day)}`.replace(asset, 'f'.repeat(32)),
    ]) {
      expect(await ask(path), path).toMatchObject({ status: 404, body: { id: 'mdsp.core.generic.notFound' } });
    }
    expect((await ask(pathOf('data', day), { method: 'PUT', body: [] })).status).toBe(405);
    for (const [as, status] of [
      ['missing', 404],
      ['forbidden', 403],
      ['broken', 500],
    ] as const) {
      product.faults.switchOff();
      product.faults.switchOn({ kind: 'bad-sensor', device: press.id, as });
      expect((await ask(pathOf('data', day))).status).toBe(status);
    }
    product.faults.switchOff();
    const own = (body: unknown) => (body as { id: string }).id === 'mdsp.core.generic.unauthorized';
    expect(await refusesTokens(under, '/api/assetmanagement/v3/assets', own)).toEqual([]);
  });
});
