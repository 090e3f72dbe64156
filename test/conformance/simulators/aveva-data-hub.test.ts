import { expect, test } from 'vitest';
import { simulatedAvevaDataHub } from '../../../adapters/platforms/aveva-data-hub/simulator.ts';
import { isoOf } from '../../../src/simulator/instants.ts';
import { truth, type TruthPoint, type TruthSpec } from '../../../src/simulator/truth.ts';
import { refusesTokens, withProduct, type ProductUnderTest } from './guarded-product.ts';

const startMs = Date.UTC(2026, 0, 1);
const endMs = startMs + 86_400_000;
const axis = (name: string) => ({ name, kind: 'number' as const, everyMs: 20_000, edges: true });
const qualities = ['good', 'good', 'uncertain', 'bad', 'substituted'] as const;
const spec: TruthSpec = {
  seed: 1,
  firstMs: startMs - 3_600_000,
  endMs: endMs + 3_600_000,
  devices: [
    { id: 'press', name: 'press', keys: [axis('X'), axis('Y')] },
    {
      id: 'pump',
      name: 'P-1',
      keys: [
        { name: 'FLOW', kind: 'number', everyMs: 30_000 },
        { name: 'LEVEL', kind: 'number', everyMs: 60_000, qualities },
        { name: 'MODE', kind: 'text', everyMs: 600_000, states: ['Off', 'Run'] },
        { name: 'FINE', kind: 'number', everyMs: 1_000, listed: [{ ts: startMs + 0.001, finer: 3, value: 0 }] },
      ],
    },
  ],
};

type Event = Readonly<Record<string, unknown>>;

const namespace = '/api/v1/Tenants/11111111-1111-4111-8111-111111111111/Namespaces/plant';
const verbose = { 'accept-verbosity': 'verbose' };
const withHub = (options: object, use: (under: ProductUnderTest) => Promise<void>) =>
  withProduct(simulatedAvevaDataHub, (authUrl) => ({ authUrl, truth: spec, ...options }), use);
const iso = (ms: number) => new Date(ms).toISOString();
const day = { startIndex: iso(startMs), endIndex: iso(endMs), boundaryType: '0' };
const pathOf = (stream: string, query: Record<string, string>) =>
  `${namespace}/Streams/${encodeURIComponent(stream)}/Data?${new URLSearchParams(query)}`;

/** All pages of a window. */
async function read(
  under: ProductUnderTest,
  stream: string,
  query: Record<string, string> = {},
  headers: Record<string, string> = verbose,
): Promise<Event[]> {
  const events: Event[] = [];
  for (let token: string | null = ''; token !== null;) {
    const { status, body } = await under.ask(
      pathOf(stream, { ...day, count: '700', ...query, continuationToken: token }),
      { headers },
    );
    expect(status).toBe(200);
    const page = body as { Results: Event[]; ContinuationToken: string | null };
    events.push(...page.Results);
    token = page.ContinuationToken;
  }
  return events;
}

/** `Exact` includes both ends. */
const trueOf = (id: string, key: string): TruthPoint[] => truth(spec, id, key, startMs, endMs + 1);
const instants = (events: readonly Event[], key: string) => events.map((event) => Date.parse(String(event[key])));

test('a day of each stream is the truth, in pages whose first token is empty', async () => {
  await withHub({}, async (under) => {
    const axes = await read(under, 'press');
    for (const key of ['X', 'Y']) {
      expect(axes.map((event) => event[key])).toEqual(trueOf('press', key).map(({ value }) => value));
      expect(instants(axes, 'Time')).toEqual(trueOf('press', key).map(({ ts }) => ts));
    }
    const flow = await read(under, 'PI_PISRV01_P-1 FLOW');
    expect(flow.map(({ Value }) => Value)).toEqual(trueOf('pump', 'FLOW').map(({ value }) => value));
    expect(instants(flow, 'Timestamp')).toEqual(trueOf('pump', 'FLOW').map(({ ts }) => ts));
    const bare = await under.ask(pathOf('PI_PISRV01_P-1 FLOW', day), { headers: verbose });
    expect(bare.body).toEqual(flow);
  });
});

test('zero, false and null are left out unless the client asks for everything', async () => {
  const zeros = trueOf('press', 'X').filter(({ value }) => value === 0).length;
  const count = (events: readonly Event[], key: string) => events.filter((event) => !(key in event)).length;
  await withHub({}, async (under) => {
    expect(zeros).toBeGreaterThan(100);
    expect(count(await read(under, 'press', {}, {}), 'X')).toBe(zeros);
    expect(count(await read(under, 'press'), 'X')).toBe(0);
    const flow = await read(under, 'PI_PISRV01_P-1 FLOW', {}, {});
    expect(count(flow, 'Value')).toBe(trueOf('pump', 'FLOW').filter(({ value }) => value === 0).length);
    expect(count(flow, 'IsQuestionable')).toBe(flow.length);
  });
  await withHub({ nullableZero: 'kept' }, async (under) => {
    expect(count(await read(under, 'PI_PISRV01_P-1 FLOW', {}, {}), 'Value')).toBe(0);
  });
});

test('qualities are flags, bad and system states have no value, digital states have names', async () => {
  const level = trueOf('pump', 'LEVEL');
  await withHub({}, async (under) => {
    const events = await read(under, 'PI_PISRV01_P-1 LEVEL');
    expect(events.map(({ Value, SystemStateCode }) => [Value, SystemStateCode])).toEqual(
      level.map(({ value, quality }) => (quality === 'bad' ? [null, 246] : [value, null])),
    );
    expect(events.map(({ IsQuestionable, IsSubstituted }) => [IsQuestionable, IsSubstituted])).toEqual(
      level.map(({ quality }) => [quality === 'uncertain' || quality === 'bad', quality === 'substituted']),
    );
    const modes = await read(under, 'PI_PISRV01_P-1 MODE');
    expect(modes.map(({ Value, DigitalStateName }) => ({ state: DigitalStateName, code: Value }))).toEqual(
      trueOf('pump', 'MODE').map(({ value }) => value),
    );
  });
  await withHub({ badAs: 'number' }, async (under) => {
    expect((await read(under, 'PI_PISRV01_P-1 LEVEL')).map(({ Value }) => Value)).toEqual(
      level.map(({ value }) => value),
    );
  });
});

test('boundaries, 100 ns, offsets and the token behind a full last page', async () => {
  const times = (events: readonly Event[]) => events.map(({ Time }) => Time);
  const [first, next] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:20Z'];
  const range = { startIndex: first, endIndex: next };
  await withHub({ tokenAfterLast: true }, async (under) => {
    const ask = async (query: Record<string, string>) =>
      times((await under.ask(pathOf('press', { ...range, ...query }))).body as Event[]);
    const inside = '2026-01-01T00:00:19.999Z';
    expect(await ask({ boundaryType: '0' })).toEqual([first, inside, next]);
    expect(await ask({ boundaryType: 'Inside' })).toEqual([inside]);
    expect(await ask({})).toEqual([inside]);
    expect(await ask({ startBoundaryType: '0', endBoundaryType: '1' })).toEqual([first, inside]);
    expect(
      await ask({ startIndex: '2026-01-01T00:00:01Z', endIndex: '2026-01-01T00:00:02Z', boundaryType: '2' }),
    ).toEqual([first, inside]);
    const page = await under.ask(pathOf('press', { ...range, boundaryType: '0', count: '3', continuationToken: '' }));
    expect(page.body).toMatchObject({ ContinuationToken: '2026-01-01T00:00:20.0000000Z' });
    const last = await under.ask(pathOf('press', { ...range, boundaryType: '0', count: '3', continuationToken: next }));
    expect(last.body).toEqual({ Results: [], ContinuationToken: null });
    const [fine] = await read(under, 'PI_PISRV01_P-1 FINE');
    expect(fine?.['Timestamp']).toBe(isoOf({ ts: startMs + 0.001, finer: 3 }, 7));
  });
  await withHub({ keyType: 'DateTimeOffset', defaultBoundary: 'Exact' }, async (under) => {
    const { body } = await under.ask(pathOf('press', range));
    expect(times(body as Event[])[0]).toBe('2026-01-01T02:00:00+02:00');
  });
});

test('streams are listed in pages, found by a query, and tell their type', async () => {
  await withHub({}, async ({ ask }) => {
    const ids = async (query: Record<string, string>) => {
      const { body, headers } = await ask(`${namespace}/Streams?${new URLSearchParams(query)}`);
      return [(body as { Id: string }[]).map(({ Id }) => Id), headers.get('total-count')];
    };
    expect(await ids({ query: 'ID:PI_PISRV01_* AND Name:P-1.FLOW' })).toEqual([['PI_PISRV01_P-1 FLOW'], '1']);
    expect(await ids({ query: 'ID:PI_* AND TypeId:PI-Digital' })).toEqual([['PI_PISRV01_P-1 MODE'], '1']);
    expect(await ids({ skip: '4', count: '2' })).toEqual([['PI_PISRV01_P-1 FINE'], '5']);
    const properties = async (stream: string) => {
      const { body } = await ask(`${namespace}/Streams/${encodeURIComponent(stream)}/Type`);
      return (
        body as { Properties: { Id: string; IsKey: boolean; SdsType: { SdsTypeCode: number } }[] }
      ).Properties.map(({ Id, IsKey, SdsType }) => [Id, IsKey, SdsType.SdsTypeCode]);
    };
    expect(await properties('press')).toEqual([
      ['Time', true, 16],
      ['X', false, 14],
      ['Y', false, 14],
    ]);
    expect((await properties('PI_PISRV01_P-1 FLOW')).slice(0, 2)).toEqual([
      ['Timestamp', true, 16],
      ['Value', false, 114],
    ]);
    expect((await ask(`${namespace}/Streams/press/Resolved`)).body).toMatchObject({
      Id: 'press',
      Type: { Properties: [{}, {}, {}] },
    });
  });
});

test('whatever is not simulated is refused in the form of the product', async () => {
  await withHub({ mostEvents: 100 }, async (under) => {
    const { ask, product, authorisation } = under;
    const own = (body: unknown) =>
      Object.keys(body as object).join() === 'OperationId,Error,Reason,Resolution,Parameters';
    const refused: Record<string, string>[] = [
      day,
      { ...day, count: '10' },
      { ...day, continuationToken: '' },
      { ...day, count: '101', continuationToken: '' },
      { ...day, count: '10', continuationToken: 'x' },
      { ...day, boundaryType: '3' },
      { ...day, startBoundaryType: '0' },
      { startIndex: day.startIndex, count: '10' },
      { ...day, startIndex: '2026-01-01T00:00:00' },
      { ...day, startIndex: iso(endMs + 1) },
      { ...day, filter: 'X gt 1' },
    ];
    for (const query of refused) {
      const { status, body } = await ask(pathOf('press', query));
      expect([status, own(body)], JSON.stringify(query)).toEqual([400, true]);
    }
    expect(
      (
        await ask(pathOf('press', { ...day, count: '9', continuationToken: '' }), {
          headers: { 'accept-verbosity': 'all' },
        })
      ).status,
    ).toBe(400);
    expect((await ask(`${namespace}/Streams?count=1001`)).status).toBe(400);
    expect((await ask(pathOf('none', day))).status).toBe(404);
    expect((await ask(`${namespace.replace('plant', 'other')}/Streams`)).status).toBe(404);
    expect((await ask(`${namespace.replace('1111', '2222')}/Streams`)).status).toBe(403);
    expect((await ask(`${namespace}/Streams`, { method: 'POST', body: {} })).status).toBe(405);
    for (const [as, status] of [
      ['missing', 404],
      ['forbidden', 403],
      ['broken', 500],
    ] as const) {
      product.faults.switchOff();
      product.faults.switchOn({ kind: 'bad-sensor', device: 'press', as });
      expect((await ask(pathOf('press', { ...day, count: '9', continuationToken: '' }))).status).toBe(status);
    }
    product.faults.switchOff();
    const discovery = await ask('/identity/.well-known/openid-configuration', { headers: { authorization: '' } });
    expect(discovery.body).toMatchObject({ token_endpoint: `${authorisation.issuer}/token` });
    expect(await refusesTokens(under, `${namespace}/Streams`, own)).toEqual([]);
  });
});
