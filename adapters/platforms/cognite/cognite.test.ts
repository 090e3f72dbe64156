import { describe, expect, it } from 'vitest';
import { state } from '../../../src/core/samples.ts';
import type { Credentials, FailedSensor, Http, Samples, Sensor } from '../../../src/platform/contract.ts';
import { cognite } from './index.ts';

const options = (given: object = {}): unknown => cognite.options.parse({ project: 'plant', ...given });

interface Question {
  readonly limit: number;
  readonly items: readonly { externalId?: string; id?: number; cursor?: string }[];
}

/** A platform that gives these answers in turn, and the questions that it got. */
function platformOf(...answers: readonly { status?: number; data: unknown }[]) {
  const asked: Question[] = [];
  const http = {
    post: async (_path: string, question: Question) => {
      asked.push(question);
      return { status: 200, ...answers[asked.length - 1] };
    },
  } as unknown as Http;
  return { http, asked };
}

async function read(http: Http, sensors: readonly string[], given: object = {}): Promise<(Samples | FailedSensor)[]> {
  const found: (Samples | FailedSensor)[] = [];
  const selection = { group: undefined, sensors, variables: undefined };
  for await (const one of cognite.read(http, options(given), selection, { from: 0, to: 1_000_000 })) found.push(one);
  return found;
}

const point = (timestamp: number, more: object = {}) => ({ timestamp, value: timestamp, ...more });
const page = (externalId: string, datapoints: readonly object[], more: object = {}) => ({
  id: 1,
  externalId,
  datapoints,
  ...more,
});

describe('pages', () => {
  it('keep the limit of a series, because its cursor belongs to that question', async () => {
    const { http, asked } = platformOf(
      { data: { items: [page('a', [point(1)], { nextCursor: 'a2' }), { ...page('b', [point(1)]), id: 2 }] } },
      { data: { items: [page('a', [point(2)], { nextCursor: 'a3' })] } },
      { data: { items: [page('a', [point(3)])] } },
    );
    const found = (await read(http, ['a', 'b'], { pointsPerRequest: 5 })) as Samples[];
    expect(found.map(({ sensor, at }) => [sensor, ...at])).toEqual([
      ['a', 1000],
      ['b', 1000],
      ['a', 2000],
      ['a', 3000],
    ]);
    expect(asked.map(({ limit }) => limit)).toEqual([2, 2, 2]);
    expect(asked.map(({ items }) => items)).toEqual([
      [{ externalId: 'a' }, { externalId: 'b' }],
      [{ externalId: 'a', cursor: 'a2' }],
      [{ externalId: 'a', cursor: 'a3' }],
    ]);
  });

  it.each([
    ['a series left out', [page('a', [])], /left the time series b out/],
    ['a cursor that is null', [page('a', [], { nextCursor: null }), page('b', [])], /nextCursor/],
    ['a cursor that is empty', [page('a', [], { nextCursor: '' }), page('b', [])], /nextCursor/],
    ['a point without an instant', [page('a', [{ value: 1 }]), page('b', [])], /timestamp/],
    ['a status without a code', [page('a', [point(1, { status: { symbol: 'Bad' } })]), page('b', [])], /not a point/],
  ])('%s is contract-broken', async (_what, items, message) => {
    const reading = read(platformOf({ data: { items } }).http, ['a', 'b']);
    await expect(reading).rejects.toMatchObject({ code: 'contract-broken', message: expect.stringMatching(message) });
  });
});

describe('a series that is gone', () => {
  const refusal = (...missing: readonly object[]) => ({
    status: 400,
    data: { error: { code: 400, message: 'not found', missing } },
  });

  it('between two pages fails alone, and the others go on', async () => {
    const { http, asked } = platformOf(
      {
        data: {
          items: [page('a', [point(1)], { nextCursor: 'a2' }), { ...page('b', [point(1)]), id: 2, nextCursor: 'b2' }],
        },
      },
      refusal({ externalId: 'a' }),
      { data: { items: [{ ...page('b', [point(2)]), id: 2 }] } },
    );
    const found = await read(http, ['a', 'b']);
    expect(found.map((one) => ('failed' in one ? [one.sensor, one.failed.code] : [one.sensor, ...one.at]))).toEqual([
      ['a', 1000],
      ['b', 1000],
      ['a', 'contract-broken'],
      ['b', 2000],
    ]);
    expect(asked.at(-1)?.items).toEqual([{ externalId: 'b', cursor: 'b2' }]);
  });

  it('is known by its number, too', async () => {
    const { http } = platformOf(refusal({ id: 7 }));
    expect(await read(http, ['id:7'])).toMatchObject([{ sensor: 'id:7', failed: { code: 'contract-broken' } }]);
  });

  it('is not what another refusal says', async () => {
    for (const other of [refusal(), refusal({ externalId: 'c' })]) {
      await expect(read(platformOf(other).http, ['a', 'b'])).rejects.toMatchObject({ code: 'contract-broken' });
    }
  });
});

describe('a series that the client may not read', () => {
  it('is found by halves once, then asked for apart, and with the others as soon as it may be read', async () => {
    const given = options();
    const asked: string[] = [];
    let isRefused = true;
    const http = {
      post: async (path: string, { items = [] }: Partial<Question>) => {
        const names = items.map(({ externalId = '' }) => externalId).join('');
        asked.push(names);
        if (path.endsWith('/timeseries/list')) return { status: 200, data: { items: [] } };
        if (isRefused && names.includes('c')) return { status: 403, data: {} };
        return { status: 200, data: { items: Array.from(names, (name, id) => ({ ...page(name, [point(1)]), id })) } };
      },
    } as unknown as Http;
    const once = async (): Promise<readonly string[]> => {
      asked.length = 0;
      const selection = { group: undefined, sensors: ['a', 'b', 'c', 'd'], variables: undefined };
      const found: string[] = [];
      for await (const one of cognite.read(http, given, selection, { from: 0, to: 1_000_000 }))
        found.push('failed' in one ? `${one.sensor} failed` : one.sensor);
      expect(found.toSorted()).toEqual(['a', 'b', isRefused ? 'c failed' : 'c', 'd']);
      return [...asked];
    };
    // An empty name is the question whether the client may list any series.
    expect(await once()).toEqual(['abcd', '', 'ab', 'cd', '', 'c', '', 'd']);
    expect(await once()).toEqual(['abd', 'c', '']);
    isRefused = false;
    expect(await once()).toEqual(['abd', 'c']);
    expect(await once()).toEqual(['abcd']);
  });
});

describe('values', () => {
  const valuesOf = async (datapoints: readonly object[], more: object = {}) =>
    (await read(platformOf({ data: { items: [page('a', datapoints, more)] } }).http, ['a'])) as Samples[];

  it('have the two highest bits of their status as quality, and one quality where all are good', async () => {
    const codes = [0, 0x8000, 0x40000000, 0x40928000, 0x80000000, 0xc0000000];
    const all = [point(0), ...codes.map((code, index) => point(index + 1, { status: { code } }))];
    expect((await valuesOf(all))[0]?.quality).toEqual([0, 0, 0, 1, 1, 2, 3]);
    expect((await valuesOf(all.slice(0, 3)))[0]?.quality).toBe(0);
  });

  it('of a state series are states, in each form that the preview may have', async () => {
    const forms = [
      { timestamp: 1, numericValue: 2, stringValue: 'Run' },
      { timestamp: 2, stringValue: 'Run' },
      { timestamp: 3, numericValue: 2 },
      { timestamp: 4, value: 'Run' },
      { timestamp: 5, value: 2 },
      { timestamp: 6, status: { code: 0x80000000 } },
    ];
    const [samples] = await valuesOf(forms, { type: 'state' });
    expect(samples?.values).toEqual([
      state('Run', 2),
      state('Run'),
      state('2', 2),
      state('Run'),
      state('2', 2),
      undefined,
    ]);
  });
});

describe('names', () => {
  const rows = [
    { id: 1, externalId: 'pump', name: 'Pump', isString: false },
    { id: 2, isString: false },
    { id: 3, externalId: '', isString: false },
    { id: 4, externalId: 'id:1', isString: false },
    { id: 5, externalId: 'note', isString: true },
  ];

  async function all(sensors: AsyncIterable<Sensor> | undefined): Promise<string[]> {
    const ids: string[] = [];
    for await (const { id } of sensors ?? []) ids.push(id);
    return ids;
  }

  it('are external ids, and numbers where two series could be meant otherwise', async () => {
    const { http } = platformOf({ data: { items: rows } });
    expect(await all(cognite.sensors(http, options({ strings: true })))).toEqual([
      'pump',
      'id:2',
      'id:3',
      'id:4',
      'note',
    ]);
  });

  it('that are asked for give the listed series, and no other that the number leads to', async () => {
    const { http, asked } = platformOf({ data: { items: rows } });
    expect(await all(cognite.find?.(http, options(), ['pump', 'id:1', 'id:4', 'pump', 'note']))).toEqual([
      'pump',
      'id:4',
    ]);
    expect(asked[0]?.items).toEqual([{ externalId: 'pump' }, { id: 1 }, { id: 4 }, { externalId: 'note' }]);
  });
});

describe('the token', () => {
  const credentials: Credentials = {
    url: 'https://api.example/x',
    authUrl: 'https://login.example/token',
    clientId: 'bridge',
    clientSecret: 'hidden',
  };

  it.each([
    [{}, { scope: 'https://api.example/.default' }],
    [{ scope: 'read' }, { scope: 'read' }],
    [{ audience: 'them' }, { audience: 'them' }],
    [
      { resource: 'it', scope: 'read' },
      { resource: 'it', scope: 'read' },
    ],
  ])('is asked for with %j', async (given, expected) => {
    const forms: Record<string, string>[] = [];
    const http = {
      get: async () => ({ status: 404, data: '' }),
      post: async (_url: string, form: URLSearchParams) => {
        forms.push(Object.fromEntries(form));
        return { data: { access_token: 't', token_type: 'Bearer', expires_in: 60 } };
      },
    } as unknown as Http;
    await cognite.kinds['separate-auth-server']?.obtain?.(http, credentials, {
      options: options(given),
      kept: undefined,
    });
    expect(forms).toEqual([
      { grant_type: 'client_credentials', client_id: 'bridge', client_secret: 'hidden', ...expected },
    ]);
  });
});
