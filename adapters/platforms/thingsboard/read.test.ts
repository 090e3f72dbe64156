import { describe, expect, test } from 'vitest';
import { all, canned, no, ok } from '../../../test/kit/canned-thingsboard.ts';
import type { Answer, Asked } from '../../../test/kit/canned-thingsboard.ts';
import { thingsboardOptions } from './options.ts';
import { keyPortions, read } from './read.ts';

const T = 1_767_225_600_000;
const DEVICE = '784f394c-42b6-435a-983c-b7beff2784f9';
const OLD = `GET /api/plugins/telemetry/DEVICE/${DEVICE}/values/timeseries`;
const HISTORY = `${OLD}/history`;
const CONFIRM = 'GET /api/devices';
const device = { group: DEVICE, sensors: [DEVICE], variables: undefined };
const window = { from: T * 1000, to: (T + 1000) * 1000 };
const point = (ts: number, value: unknown = 1): object => ({ ts, value });

/** Reads one key from the given pages, in turn; returns the requests and the points. */
async function conversation(
  answers: readonly (Answer | object)[],
  given: object = {},
  selection: object = device,
  known = true,
) {
  let turn = 0;
  const { http, asked } = canned((question) => {
    if (question.call === CONFIRM) return ok(known ? [{ id: { id: DEVICE }, name: 'pump' }] : []);
    const answer = answers[turn] ?? no(500, 2);
    turn += 1;
    return 'status' in answer ? (answer as Answer) : ok(answer);
  });
  const chosen = thingsboardOptions.parse({ keys: ['t'], pageLimit: 3, ...given });
  const result = await all(read(http, chosen, selection as typeof device, window)).catch((error: unknown) => error);
  const isConfirmation = ({ call }: Asked): boolean => call === CONFIRM;
  return {
    asked: asked.filter((one) => !isConfirmation(one)),
    confirmations: asked.filter(isConfirmation).length,
    result,
  };
}
const query = (asked: Asked | undefined): string => decodeURIComponent(asked?.query.toString() ?? '');

describe('a request', () => {
  test('sends every parameter with a dangerous default', async () => {
    const { asked } = await conversation([{}], { keys: ['t', 'u'] });
    expect(asked.map(({ call }) => call)).toEqual([HISTORY]);
    expect(query(asked[0])).toBe(
      `keys=t,u&startTs=${T}&endTs=${T + 1000}&limit=3&agg=NONE&orderBy=ASC&useStrictDataTypes=true`,
    );
  });

  test('lists the keys only where neither selection nor options name them', async () => {
    const listed = await conversation([ok(['b']), {}], { keys: undefined });
    expect(listed.asked.map(({ call }) => call)).toEqual([expect.stringMatching(/keys\/timeseries$/), HISTORY]);
    expect(query(listed.asked[1])).toMatch(/^keys=b&/);
    const named = await conversation([{}], { keys: undefined }, { ...device, variables: ['v'] });
    expect(query(named.asked[0])).toMatch(/^keys=v&/);
    const none = await conversation([ok([])], { keys: undefined });
    expect(none).toMatchObject({ asked: { length: 1 }, confirmations: 1, result: [] });
  });

  test('is one of several where a device has many keys', () => {
    const keys = Array.from({ length: 120 }, (_, n) => `key${n}`);
    expect(keyPortions(keys).map(({ length }) => length)).toEqual([50, 50, 20]);
    expect(keyPortions(['a,b', ...keys.slice(0, 2)])).toEqual([['key0', 'key1'], ['a,b']]);
    const long = ['ü'.repeat(300), 'ü'.repeat(300)];
    expect(keyPortions(long)).toEqual([[long[0]], [long[1]]]);
    expect(keyPortions([])).toEqual([]);
  });
});

test('values come unchanged', async () => {
  const values = [0, -1.5, true, 'RUN', '21.4', { a: 1 }, null];
  const { result } = await conversation([{ t: values.map((value, n) => point(T + n, value)) }], { pageLimit: 100 });
  expect(result).toEqual([{ sensor: DEVICE, variable: 't', at: values.map((_, n) => (T + n) * 1000), values }]);
});

describe('paging', () => {
  test('ends with the first array that is not full', async () => {
    const { asked, confirmations, result } = await conversation([{ t: [point(T), point(T + 1)] }]);
    expect(asked).toHaveLength(1);
    expect(result).toHaveLength(1);
    expect(confirmations).toBe(0);
  });

  test('goes on from the last point of each full key, in one request for keys that stopped together', async () => {
    const full = [point(T), point(T + 1), point(T + 2)];
    const later = [point(T + 3), point(T + 5), point(T + 7)];
    const { asked, result } = await conversation(
      [{ t: full, u: full, v: later, w: [point(T)] }, { t: [point(T + 2), point(T + 3)] }, {}],
      { keys: ['t', 'u', 'v', 'w'] },
    );
    expect(asked.map(query).map((text) => text.slice(0, 28))).toEqual([
      `keys=t,u,v,w&startTs=${T}`.slice(0, 28),
      `keys=t,u&startTs=${T + 2}&endTs`.slice(0, 28),
      `keys=v&startTs=${T + 7}&endTs`.slice(0, 28),
    ]);
    expect((result as { at: number[] }[]).flatMap(({ at }) => at)).toHaveLength(11);
    expect((result as object[]).at(-1)).toMatchObject({ variable: 't', at: [(T + 3) * 1000] });
  });

  test('stops at the end of the window without another request', async () => {
    const { asked } = await conversation([{ t: [point(T), point(T + 1), point(T + 999)] }]);
    expect(asked).toHaveLength(1);
  });

  test.each([
    ['descending', [point(T + 1), point(T)]],
    ['twice at one time', [point(T), point(T)]],
    ['before the range', [point(T - 1)]],
    ['after the range', [point(T + 1001)]],
    ['without value', [{ ts: T }]],
    ['without time', [{ value: 1 }]],
    ['time as text', [point(`${T}` as unknown as number)]],
    ['time with a fraction', [point(T + 0.5)]],
    ['a bare number', [1]],
    ['no array', { ts: T, value: 1 }],
  ])('does not go on from wrong points: %s', async (_, points) => {
    expect((await conversation([{ t: points }])).result).toMatchObject({ code: 'contract-broken' });
  });

  test.each([[ok('<html></html>')], [ok([])], [ok(null)], [{ other: [point(T)] }]])(
    'does not take another answer for an empty window: %j',
    async (answer) => {
      expect((await conversation([answer])).result).toMatchObject({ code: 'contract-broken' });
    },
  );
});

describe('the path', () => {
  test('is the old one, or the new one after 400 or 404, which then stays', async () => {
    const page = { t: [point(T), point(T + 1), point(T + 2)] };
    const { asked, result } = await conversation([no(404, 0), page, {}]);
    expect(asked.map(({ call }) => call)).toEqual([HISTORY, OLD, OLD]);
    expect(result).toHaveLength(1);
  });

  test('that is old proves that it honours bounds, by two points or by a question of its own', async () => {
    const bare = await conversation([no(404, 0), { t: [point(T + 9)] }, {}]);
    expect(bare).toMatchObject({ asked: { length: 3 }, result: [{ at: [(T + 9) * 1000] }] });
    expect(query(bare.asked[2])).toMatch(/^keys=t&startTs=0&endTs=1&limit=1&/);
    const ancient = await conversation([{ t: [point(T + 9)] }, { t: [point(1)] }], { history: 'old' });
    expect(ancient).toMatchObject({ result: [{ at: [(T + 9) * 1000] }] });
    expect(await conversation([{ t: [point(T), point(T + 1)] }], { history: 'old' })).toMatchObject({
      asked: { length: 1 },
      result: { length: 1 },
    });
  });

  test.each([
    ['inside the window', T + 9],
    ['after it', T + 5000],
  ])('that is old and answers the latest value, %s, is unsupported', async (_, ts) => {
    for (const history of ['auto', 'old']) {
      const latest = [...(history === 'auto' ? [no(404, 0)] : []), { t: [point(ts)] }, { t: [point(ts)] }];
      expect((await conversation(latest, { history })).result).toMatchObject({
        code: 'unsupported',
        remedy: expect.stringMatching(/options.history/),
      });
    }
  });

  test('that is old and refuses the proof has proved nothing', async () => {
    const { result } = await conversation([{ t: [point(T)] }, no(400, 31)], { history: 'old' });
    expect(result).toMatchObject({ code: 'unsupported' });
  });

  test.each([
    ['old', OLD],
    ['history', HISTORY],
  ])('can be chosen: %s', async (history, call) => {
    const { asked, result } = await conversation([no(400, 31)], { history });
    expect(asked.map((request) => request.call)).toEqual([call]);
    expect(result).toMatchObject({ code: 'contract-broken', message: expect.stringMatching(/400\/31/) });
  });

  test('an unknown device is an error, never an empty window', async () => {
    const { result } = await conversation([no(404, 32), no(404, 32)]);
    expect(result).toMatchObject({ code: 'contract-broken', remedy: expect.stringMatching(/deleted/) });
    for (const keys of [['t'], undefined]) {
      const empty = await conversation([keys === undefined ? ok([]) : {}], { keys }, device, false);
      expect(empty).toMatchObject({ confirmations: 1, result: { remedy: expect.stringMatching(/deleted/) } });
    }
    const listing = await conversation([no(404, 32)], { keys: undefined });
    expect(listing.result).toMatchObject({ code: 'contract-broken', remedy: expect.stringMatching(/deleted/) });
  });

  test('a key with a comma goes to the new one, alone and whole', async () => {
    const { asked, result } = await conversation([{}, { 'a,b': [point(T)] }], { keys: ['a,b', 't'] });
    expect(asked.map(({ call }) => call)).toEqual([HISTORY, HISTORY]);
    expect(asked[1]?.query.getAll('key')).toEqual(['a,b']);
    expect(asked[1]?.query.has('keys')).toBe(false);
    expect(result).toMatchObject([{ variable: 'a,b' }]);
  });

  test('a key with a comma is unsupported where there is only the old one', async () => {
    expect((await conversation([no(404, 0)], { keys: ['a,b'] })).result).toMatchObject({ code: 'unsupported' });
    expect((await conversation([no(404, 32)], { keys: ['a,b'] })).result).toMatchObject({ code: 'unsupported' });
    const old = await conversation([], { keys: ['a,b'], history: 'old' });
    expect(old).toMatchObject({
      asked: [],
      result: { code: 'unsupported', remedy: expect.stringMatching(/options.keys/) },
    });
  });
});

test.each([{ status: 503, body: 'down' }, no(500, 2)])(
  'a $status is asked once; the poll path shortens the window',
  async (down) => {
    expect(await conversation([down])).toMatchObject({ asked: { length: 1 }, result: { code: 'unavailable' } });
  },
);

describe('a selection', () => {
  const user = ok({ authority: 'TENANT_ADMIN' });
  const list = ok({
    data: [
      { id: { id: 'd-1' }, name: 'fan' },
      { id: { id: DEVICE }, name: 'pump' },
    ],
    hasNext: false,
  });
  const found = [{ sensor: 'pump', variable: 't', at: [T * 1000], values: [1] }];
  const points = { t: [point(T)] };

  test('by name with its group needs no look-up', async () => {
    const { result } = await conversation([points], { sensorId: 'name' }, { group: DEVICE, sensors: ['pump'] });
    expect(result).toEqual(found);
  });

  test.each([[{ group: undefined, sensors: ['pump'] }], [{ group: DEVICE, sensors: undefined }]])(
    'that holds only a name or only a group is looked up: %j',
    async (selection) => {
      expect((await conversation([user, list, points], { sensorId: 'name' }, selection)).result).toEqual(found);
    },
  );

  test('of a device that does not exist is an error', async () => {
    const gone = { group: undefined, sensors: ['motor'] };
    const { result } = await conversation([user, list], { sensorId: 'name' }, gone);
    expect(result).toMatchObject({ code: 'contract-broken', message: expect.stringMatching(/motor/) });
  });
});
