import { describe, expect, it } from 'vitest';
import type { Credentials, Http, Samples, Sensor } from '../../../src/platform/contract.ts';
import { insightsHub } from './index.ts';
import { recordSamples } from './records.ts';

const options = (given: object = {}): unknown => insightsHub.options.parse(given);
const PUMP = '0123456789abcdef0123456789abcdef';
const at = (ms: number): string => new Date(ms).toISOString();

interface Given {
  readonly status?: number;
  readonly data: unknown;
  readonly link?: string;
}

/** A platform that gives an answer for each address, and the addresses that were asked for. */
function platformOf(answerTo: (address: string) => Given) {
  const asked: string[] = [];
  const http = {
    defaults: { baseURL: 'https://gateway.example/hub' },
    get: async (path: string, { params = {} }: { params?: Record<string, string> } = {}) => {
      const query = new URLSearchParams(params).toString();
      asked.push(query === '' ? path : `${path}?${query}`);
      const { link, ...rest } = answerTo(path);
      return { status: 200, headers: { ...(link !== undefined && { link }) }, ...rest };
    },
  } as unknown as Http;
  return { http, asked };
}

async function read(http: Http, sensor: string): Promise<Samples[]> {
  const found: Samples[] = [];
  const selection = { group: undefined, sensors: [sensor], variables: undefined };
  for await (const one of insightsHub.read(http, options(), selection, { from: -1000, to: 60_000_000 }))
    found.push(one as Samples);
  return found;
}

describe('the link to the next page', () => {
  const second = `/api/iottimeseries/v3/timeseries/${PUMP}/flow?from=${at(1)}&to=${at(9)}`;

  it.each([
    ['a whole address', `<https://gateway.example/hub${second}>; rel="next"`],
    ['a path', `<${second}>; rel=next`],
    ['one of several', `<https://other.example/x>; rel="first", <${second}>; title="a, b"; rel="last next"`],
    ['in capitals', `<${second}>; REL="NEXT"`],
  ])('is followed: %s', async (_what, link) => {
    const { http, asked } = platformOf((address) =>
      address.includes(encodeURIComponent(':'))
        ? { data: [{ _time: at(1), x: 1 }], link }
        : { data: [{ _time: at(2), x: 2 }] },
    );
    expect((await read(http, `${PUMP}/flow`)).flatMap(({ values }) => values)).toEqual([1, 2]);
    expect(asked[1]).toBe(`https://gateway.example/hub${second}`);
  });

  it.each([
    ['no link', undefined],
    ['only others', '<https://other.example/x>; rel="prev"'],
  ])('is not there at the end: %s', async (_what, link) => {
    const { http, asked } = platformOf(() => ({ data: [], ...(link !== undefined && { link }) }));
    expect(await read(http, `${PUMP}/flow`)).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['another server', '<https://other.example/x>; rel="next"', /leads to https:\/\/other\.example/],
    ['nothing that is a link', 'next', /holds no link/],
  ])('is at fault: %s', async (_what, link, message) => {
    const { http } = platformOf(() => ({ data: [], link }));
    await expect(read(http, `${PUMP}/flow`)).rejects.toMatchObject({
      code: 'contract-broken',
      message: expect.stringMatching(message) as string,
    });
  });
});

describe('a question', () => {
  it('names both ends as they are given, the order and the length of a page', async () => {
    const { http, asked } = platformOf(() => ({ data: [] }));
    await read(http, `${PUMP}/a b/c`);
    const { pathname, searchParams } = new URL(asked[0] ?? '');
    expect(pathname).toBe(`/hub/api/iottimeseries/v3/timeseries/${PUMP}/a%20b%2Fc`);
    expect(Object.fromEntries(searchParams)).toEqual({
      from: '1969-12-31T23:59:59.999Z',
      to: '1970-01-01T00:01:00Z',
      limit: '2000',
      sort: 'asc',
    });
  });

  it('for a sensor that is none, or is gone, is never an empty window', async () => {
    const { http } = platformOf(() => ({ status: 404, data: { id: 'x', message: 'gone' } }));
    for (const sensor of [`${PUMP}/flow`, PUMP, 'pump/flow'])
      await expect(read(http, sensor)).rejects.toMatchObject({ code: 'contract-broken' });
  });
});

describe('records', () => {
  it('are columns; null is no value, and codes go with their values', () => {
    const records = [
      { _time: at(1), x: 1, x_qc: 0, y: null, y_qc: 0, text: 'RUN' },
      { _time: at(2), x: 2, x_qc: null, y: 0 },
      { _time: at(3), x: 3, x_qc: '1083310080', z_qc: 0 },
    ];
    expect(recordSamples('a', records, {})).toEqual([
      { sensor: 'a', variable: 'x', at: [1000, 3000], values: [1, 3], quality: ['good', 'uncertain'] },
      { sensor: 'a', variable: 'text', at: [1000], values: ['RUN'] },
      { sensor: 'a', variable: 'x', at: [2000], values: [2] },
      { sensor: 'a', variable: 'y', at: [2000], values: [0] },
    ]);
  });

  it.each([
    [0x002f0000, 'good'],
    [0x40920000, 'uncertain'],
    [0x80000000, 'bad'],
    ['2147483648', 'bad'],
    [0xc0000000, '3221225472'],
    [2 ** 32, '4294967296'],
    [-1, '-1'],
    [0.5, '0.5'],
    ['', ''],
    ['GOOD', 'GOOD'],
    [true, 'true'],
    ['OK', 'good'],
    [192, 'uncertain'],
  ])('a quality code %j is %s', (code, quality) => {
    const [samples] = recordSamples('a', [{ _time: at(1), x: 1, x_qc: code }], { OK: 'good', 192: 'uncertain' });
    expect(samples?.quality).toEqual([quality]);
  });

  it.each([[{}], ['text'], [[1]], [[null]], [[{ x: 1 }]], [[{ _time: 5, x: 1 }]], [[{ _time: '2026-13-01', x: 1 }]]])(
    '%j are none',
    (records) => {
      expect(() => recordSamples('a', records, {})).toThrow(expect.objectContaining({ code: 'contract-broken' }));
    },
  );
});

describe('discovery', () => {
  const variables = [{ name: 'x' }];
  const aspects = [
    { name: 'flow', category: 'dynamic', variables },
    { name: 'plate', category: 'STATIC', variables },
    { name: 'noise', variables },
  ];
  const answerTo = (address: string): Given => {
    if (address.endsWith('/aspects'))
      return { data: { _embedded: { aspects }, page: { totalElements: aspects.length } } };
    if (address.endsWith(PUMP)) return { data: { assetId: PUMP, name: 'Pump' } };
    if (address.endsWith('/assets'))
      return { data: { _embedded: { assets: [{ assetId: PUMP, name: 'Pump' }] }, page: { totalElements: 1 } } };
    return { status: 404, data: {} };
  };

  async function all(found: AsyncIterable<Sensor> | undefined): Promise<Sensor[]> {
    const sensors: Sensor[] = [];
    for await (const sensor of found ?? []) sensors.push(sensor);
    return sensors;
  }

  it('leaves out static aspects and those that are not chosen', async () => {
    const { http } = platformOf(answerTo);
    const flow = { id: `${PUMP}/flow`, name: 'Pump flow', variables: ['x'] };
    const noise = { id: `${PUMP}/noise`, name: 'Pump noise', variables: ['x'] };
    expect(await all(insightsHub.sensors(http, options()))).toEqual([flow, noise]);
    expect(await all(insightsHub.sensors(http, options({ aspects: ['flow'] })))).toEqual([flow]);
  });

  it('of a few ids asks for their assets alone', async () => {
    const { http, asked } = platformOf(answerTo);
    const other = PUMP.replaceAll('0', 'f');
    const ids = [`${PUMP}/noise`, `${PUMP}/plate`, `${PUMP}/gone`, `${other}/flow`, 'odd'];
    expect((await all(insightsHub.find?.(http, options(), ids))).map(({ id }) => id)).toEqual([`${PUMP}/noise`]);
    expect(asked.map((address) => address.replace(/.*assets\//, '').replace(/\?.*/, ''))).toEqual([
      PUMP,
      `${PUMP}/aspects`,
      other,
    ]);
  });

  it('leaves out an asset whose aspects are refused, and tells of it; where all are refused, the look fails', async () => {
    const secret = PUMP.replaceAll('0', 'e');
    const looked = (refused: readonly string[]) =>
      platformOf((address) => {
        const of = /assets\/(\w+)/.exec(address)?.[1];
        if (of !== undefined && refused.includes(of)) return { status: 403, data: {} };
        if (of === undefined) {
          const assets = [secret, PUMP].map((assetId) => ({ assetId, name: `asset ${assetId[0]}` }));
          return { data: { _embedded: { assets }, page: { totalElements: 2 } } };
        }
        if (!address.includes('/aspects')) return { data: { assetId: of, name: 'Pump' } };
        const aspects = [{ name: 'flow', variables: [{ name: 'x' }] }];
        return { data: { _embedded: { aspects }, page: { totalElements: 1 } } };
      }).http;
    const told = {
      id: secret,
      refused: { code: 'credentials-rejected', message: expect.stringContaining(secret) as string },
    };
    expect(await all(insightsHub.sensors(looked([secret]), options()))).toMatchObject([{ id: `${PUMP}/flow` }, told]);
    const ids = [`${secret}/flow`, `${PUMP}/flow`];
    const found = await all(insightsHub.find?.(looked([secret]), options(), ids));
    expect(found).toMatchObject([{ id: `${PUMP}/flow` }, told]);
    await expect(all(insightsHub.sensors(looked([secret, PUMP]), options()))).rejects.toMatchObject(told.refused);
  });

  it('takes a page without `_embedded` for an empty one only where nothing is missing', async () => {
    const empty = (totalElements: number) => platformOf(() => ({ data: { page: { totalElements } } })).http;
    expect(await all(insightsHub.sensors(empty(0), options()))).toEqual([]);
    await expect(all(insightsHub.sensors(empty(1), options()))).rejects.toMatchObject({ code: 'contract-broken' });
  });
});

describe('the token', () => {
  it.each(['https://plant.piam.example', 'https://plant.piam.example/', 'https://plant.piam.example/oauth/token'])(
    'comes from the server of the tenant: %s',
    async (authUrl) => {
      const asked: unknown[] = [];
      const http = {
        post: async (url: string, form: URLSearchParams, { headers }: { headers: object }) => {
          asked.push([url, Object.fromEntries(form), headers]);
          return { data: { access_token: 't', token_type: 'bearer', expires_in: 60 } };
        },
      } as unknown as Http;
      const credentials: Credentials = {
        url: 'https://gateway.example',
        authUrl,
        clientId: 'bridge',
        clientSecret: 'hidden',
      };
      await insightsHub.kinds['separate-auth-server']?.obtain?.(http, credentials, {
        options: options(),
        kept: undefined,
      });
      const authorization = `Basic ${Buffer.from('bridge:hidden').toString('base64')}`;
      expect(asked).toEqual([
        ['https://plant.piam.example/oauth/token', { grant_type: 'client_credentials' }, { authorization }],
      ]);
    },
  );
});
