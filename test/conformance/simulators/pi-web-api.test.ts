import { expect, test } from 'vitest';
import { simulatedPiWebApi } from '../../../adapters/platforms/pi-web-api/simulator.ts';
import { isoOf } from '../../../src/simulator/instants.ts';
import { truth, type TruthPoint, type TruthSpec } from '../../../src/simulator/truth.ts';
import { refusesTokens, withProduct, type ProductUnderTest } from './guarded-product.ts';

const startMs = Date.UTC(2026, 0, 1);
const endMs = startMs + 86_400_000;
const qualities = ['good', 'good', 'uncertain', 'bad', 'substituted'] as const;
const listed: TruthPoint[] = [
  { ts: startMs, value: 0 },
  { ts: startMs + 0.001, finer: 3, value: 1.5 },
  { ts: startMs + 60_000, value: { state: 'Shutdown', code: 254 } },
  { ts: startMs + 120_000, value: -2 },
];
const spec: TruthSpec = {
  seed: 1,
  firstMs: startMs - 3_600_000,
  endMs: endMs + 3_600_000,
  devices: [
    {
      id: 'a',
      name: 'PUMP-1',
      keys: [
        { name: 'FLOW', kind: 'number', everyMs: 10_000, edges: true },
        { name: 'LEVEL', kind: 'number', everyMs: 60_000, qualities },
        { name: 'BURST', kind: 'number', everyMs: 60_000, together: { everyNth: 2, count: 3 } },
        { name: 'MODE', kind: 'text', everyMs: 600_000, states: ['Off', 'Run', 'Fault'] },
        { name: 'ON', kind: 'boolean', everyMs: 600_000 },
        { name: 'FINE', kind: 'number', everyMs: 1_000, listed },
      ],
    },
    { id: 'b', name: 'VALVE-2', keys: [{ name: 'FLOW', kind: 'number', everyMs: 30_000 }] },
  ],
};

interface PiValue {
  readonly Timestamp: string;
  readonly Value: unknown;
  readonly Good: boolean;
  readonly Questionable: boolean;
  readonly Substituted: boolean;
  readonly Errors?: unknown;
}

interface Named {
  readonly WebId: string;
  readonly Name: string;
  readonly PointType: string;
}

const withPi = (options: object, use: (under: ProductUnderTest) => Promise<void>) =>
  withProduct(simulatedPiWebApi, (authUrl) => ({ authUrl, truth: spec, ...options }), use);
const search = (query: Record<string, string | number>) =>
  new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]));
const itemsOf = <Item>(body: unknown) => (body as { Items: Item[] }).Items;
const iso = (ms: number) => isoOf({ ts: ms }, 7);

async function webIdOf({ ask }: ProductUnderTest, name: string): Promise<string> {
  const { status, body } = await ask(`/piwebapi/points?${search({ path: `\\\\PISRV01\\${name}` })}`);
  expect(status).toBe(200);
  return (body as Named).WebId;
}

/** All values in `[fromMs, toMs]`: a full page is asked again from its last instant, and the values there are dropped. */
async function read(
  under: ProductUnderTest,
  name: string,
  [fromMs, toMs]: [number, number],
  maxCount = 1000,
): Promise<PiValue[]> {
  const path = `/piwebapi/streams/${await webIdOf(under, name)}/recorded`;
  const values: PiValue[] = [];
  for (let from = iso(fromMs); ;) {
    const { status, body } = await under.ask(`${path}?${search({ startTime: from, endTime: iso(toMs), maxCount })}`);
    expect(status).toBe(200);
    const page = itemsOf<PiValue>(body);
    const kept = values.filter(({ Timestamp }) => Timestamp !== page[0]?.Timestamp);
    values.splice(0, values.length, ...kept, ...page);
    if (page.length < maxCount) return values;
    from = page.at(-1)?.Timestamp ?? '';
  }
}

const trueOf = (id: string, key: string, toMs = endMs) => truth(spec, id, key, startMs, toMs);
const written = ({ ts, finer = 0 }: TruthPoint) => isoOf({ ts, finer }, 7).replace(/\.?0*Z$/, 'Z');

test('a day of each point is the truth, several events on one timestamp included', async () => {
  await withPi({}, async (under) => {
    for (const [id, key, name] of [
      ['a', 'FLOW', 'PUMP-1.FLOW'],
      ['b', 'FLOW', 'VALVE-2.FLOW'],
      ['a', 'BURST', 'PUMP-1.BURST'],
    ] as const) {
      const values = await read(under, name, [startMs, endMs - 1]);
      expect(values.map(({ Timestamp, Value }) => [Timestamp, Value])).toEqual(
        trueOf(id, key).map((point) => [written(point), point.value]),
      );
    }
    // A page that ends in the middle of a timestamp, and one that a timestamp fills.
    const small = await read(under, 'PUMP-1.BURST', [startMs, startMs + 600_000], 4);
    expect(small).toHaveLength(trueOf('a', 'BURST', startMs + 600_001).length);
    const path = `/piwebapi/streams/${await webIdOf(under, 'PUMP-1.BURST')}/recorded`;
    const full = itemsOf<PiValue>(
      (await under.ask(`${path}?${search({ startTime: iso(startMs), endTime: iso(endMs), maxCount: 3 })}`)).body,
    );
    expect(new Set(full.map(({ Timestamp }) => Timestamp)).size).toBe(1);
  });
});

test('both ends belong to the range, to 100 ns, and an earlier end turns it round', async () => {
  await withPi({}, async (under) => {
    const path = `/piwebapi/streams/${await webIdOf(under, 'PUMP-1.FINE')}/recorded`;
    const ask = async (startTime: string, endTime: string) =>
      itemsOf<PiValue>((await under.ask(`${path}?${search({ startTime, endTime })}`)).body).map(
        ({ Timestamp, Value }) => [Timestamp.slice(17), Value],
      );
    expect(await ask('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.0000013Z')).toEqual([
      ['00Z', 0],
      ['00.0000013Z', 1.5],
    ]);
    expect(await ask('2026-01-01T00:00:00.0000001Z', '2026-01-01T00:00:00.0000012Z')).toEqual([]);
    expect(await ask('2026-01-01T00:02:00Z', '2026-01-01T00:00:00.0000013Z')).toEqual([
      ['00Z', -2],
      ['00Z', { Name: 'Shutdown', Value: 254, IsSystem: true }],
      ['00.0000013Z', 1.5],
    ]);
  });
});

test('qualities are flags, bad is a system state, digital states are objects', async () => {
  const told = (values: PiValue[]) =>
    values.map(({ Good, Questionable, Substituted }) => [Good, Questionable, Substituted]);
  const flags = {
    good: [true, false, false],
    uncertain: [true, true, false],
    substituted: [true, false, true],
    bad: [false, false, false],
    unknown: [],
  };
  const level = trueOf('a', 'LEVEL');
  await withPi({}, async (under) => {
    const values = await read(under, 'PUMP-1.LEVEL', [startMs, endMs - 1], 10_000);
    expect(told(values)).toEqual(level.map(({ quality = 'good' }) => flags[quality]));
    expect(values.map(({ Value }) => Value)).toEqual(
      level.map(({ value, quality }) =>
        quality === 'bad' ? { Name: 'I/O Timeout', Value: 246, IsSystem: true } : value,
      ),
    );
    expect((await read(under, 'PUMP-1.MODE', [startMs, endMs - 1])).map(({ Value }) => Value)).toEqual(
      trueOf('a', 'MODE').map(({ value }) => {
        const { state, code } = value as { state: string; code: number };
        return { Name: state, Value: code, IsSystem: false };
      }),
    );
  });
  await withPi({ badAs: 'number' }, async (under) => {
    const values = await read(under, 'PUMP-1.LEVEL', [startMs, endMs - 1], 10_000);
    expect([values.map(({ Value }) => Value), told(values)]).toEqual([
      level.map(({ value }) => value),
      level.map(({ quality = 'good' }) => flags[quality]),
    ]);
  });
});

test('points are found by name in pages, by path and by WebID', async () => {
  await withPi({}, async (under) => {
    const [server] = itemsOf<Named>((await under.ask('/piwebapi/dataservers')).body);
    const points = async (query: Record<string, string | number>) =>
      itemsOf<Named>((await under.ask(`/piwebapi/dataservers/${server?.WebId}/points?${search(query)}`)).body);
    expect((await points({ nameFilter: '*.flow' })).map(({ Name }) => Name)).toEqual(['PUMP-1.FLOW', 'VALVE-2.FLOW']);
    expect(await points({ startIndex: 6, maxCount: 5, selectedFields: 'Items.Name;Items.PointType' })).toEqual([
      { Name: 'VALVE-2.FLOW', PointType: 'Float64' },
    ]);
    expect(await points({ startIndex: 7 })).toEqual([]);
    const webId = await webIdOf(under, 'PUMP-1.MODE');
    expect((await under.ask(`/piwebapi/points/${webId}`)).body).toMatchObject({
      Name: 'PUMP-1.MODE',
      PointType: 'Digital',
    });
    const discovery = await under.ask('/piwebapi/.well-known/openid-configuration', { headers: { authorization: '' } });
    expect(discovery.body).toMatchObject({ issuer: under.authorisation.issuer });
  });
});

test('stream sets and batches hold the values of their streams', async () => {
  const range = { startTime: iso(startMs), endTime: iso(startMs + 60_000), maxCount: 8 };
  const setOf = async (under: ProductUnderTest) => {
    const webIds = [await webIdOf(under, 'PUMP-1.FLOW'), await webIdOf(under, 'VALVE-2.FLOW')];
    const query = `${webIds.map((id) => `webId=${id}`).join('&')}&${search(range)}`;
    const streams = itemsOf<Named & { Items: unknown[] }>(
      (await under.ask(`/piwebapi/streamsets/recorded?${query}`)).body,
    );
    return streams.map(({ Name, Items }) => [Name, Items.length]);
  };
  await withPi({}, async (under) => {
    expect(await setOf(under)).toEqual([
      ['PUMP-1.FLOW', 8],
      ['VALVE-2.FLOW', 3],
    ]);
    const resource = `${under.product.url}/piwebapi/streams/${await webIdOf(under, 'VALVE-2.FLOW')}/recorded?${search(range)}`;
    const body = {
      good: { Method: 'GET', Resource: resource },
      bad: { Method: 'GET', Resource: `${under.product.url}/piwebapi/points/none` },
    };
    const headers = { 'x-requested-with': 'test' };
    const answer = await under.ask('/piwebapi/batch', { method: 'POST', body, headers });
    expect(answer).toMatchObject({
      status: 207,
      body: { good: { Status: 200 }, bad: { Status: 404, Content: { Errors: [expect.any(String)] } } },
    });
    expect((await under.ask('/piwebapi/batch', { method: 'POST', body })).status).toBe(403);
  });
  await withPi({ setCount: 'all' }, async (under) => {
    expect(await setOf(under)).toEqual([
      ['PUMP-1.FLOW', 8],
      ['VALVE-2.FLOW', 0],
    ]);
  });
});

test('errors inside 200 come where the options ask for them', async () => {
  await withPi({ errorEvery: 4, breaksAt: 2 }, async (under) => {
    const values = await read(under, 'VALVE-2.FLOW', [startMs, endMs - 1], 10_000);
    const faulty = values.filter(({ Errors }) => Errors !== undefined).length;
    expect(faulty).toBeGreaterThan(0);
    expect(faulty).toBeLessThan(values.length);
    const path = `/piwebapi/streams/${await webIdOf(under, 'VALVE-2.FLOW')}/recorded`;
    const { body } = await under.ask(
      `${path}?${search({ startTime: iso(startMs), endTime: iso(endMs - 1), maxCount: 10_000 })}`,
    );
    expect(body).toMatchObject({ WebException: { StatusCode: 500 } });
    expect(itemsOf(body)).toHaveLength(Math.ceil(values.length / 2));
  });
});

test('whatever is not simulated is refused in the form of the product', async () => {
  await withPi({ mostQueryLength: 300 }, async (under) => {
    const { ask, product } = under;
    const path = `/piwebapi/streams/${await webIdOf(under, 'PUMP-1.FLOW')}/recorded`;
    const day = { startTime: iso(startMs), endTime: iso(endMs) };
    const refused: Record<string, string | number>[] = [
      { startTime: day.startTime },
      { ...day, startTime: '*-1d' },
      { ...day, endTime: '2026-01-02T00:00:00' },
      { ...day, boundaryType: 'Interpolated' },
      { ...day, maxCount: 150_001 },
      { ...day, maxCount: 0 },
      { ...day, filterExpression: "'.' > 0" },
    ];
    for (const query of refused) {
      expect(await ask(`${path}?${search(query)}`), JSON.stringify(query)).toMatchObject({
        status: 400,
        body: { Errors: [expect.any(String)] },
      });
    }
    expect((await ask(`${path}?${search({ ...day, selectedFields: 'x'.repeat(300) })}`)).status).toBe(414);
    expect(
      (await ask('/piwebapi/streams/none/recorded?startTime=2026-01-01T00:00:00Z&endTime=2026-01-02T00:00:00Z')).status,
    ).toBe(404);
    expect((await ask('/piwebapi/elements')).status).toBe(404);
    expect((await ask('/piwebapi/dataservers', { method: 'POST', body: {} })).status).toBe(405);
    for (const [as, status] of [
      ['missing', 404],
      ['forbidden', 403],
      ['broken', 500],
    ] as const) {
      product.faults.switchOff();
      product.faults.switchOn({ kind: 'bad-sensor', device: 'a', as });
      expect((await ask(`${path}?${search(day)}`)).status).toBe(status);
    }
    product.faults.switchOff();
    expect(
      await refusesTokens(under, '/piwebapi/dataservers', (body) => Object.keys(body as object).join() === 'Message'),
    ).toEqual([]);
  });
});

test('HTTP Basic is there for those who have an account, domain names included', async () => {
  const accounts = [{ username: 'PLANT\\reader', password: 'p:w' }];
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
  await withPi({ authUrl: undefined, accounts, unauthorised: 'Errors' }, async ({ ask }) => {
    expect((await ask('/piwebapi/dataservers', { headers: basic('PLANT\\reader:p:w') })).status).toBe(200);
    const wrong = await ask('/piwebapi/dataservers', { headers: basic('reader:p:w') });
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, 'Basic']);
    expect(await ask('/piwebapi/dataservers')).toMatchObject({ status: 401, body: { Errors: [expect.any(String)] } });
    expect((await ask('/piwebapi/.well-known/openid-configuration')).status).toBe(404);
  });
});
