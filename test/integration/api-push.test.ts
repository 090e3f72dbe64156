import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { parseInstant } from '../../src/core/instant.ts';
import { messageOf } from '../../src/core/refusal-remedies.ts';
import { useDatabases } from '../kit/databases.ts';
import { readingsIn } from '../kit/stored-source.ts';
import { startApi } from './api-rig.ts';
import { eventually } from './daemon-rig.ts';
import type { ApiUnderTest } from './api-rig.ts';

const databases = useDatabases();
let api: ApiUnderTest;

beforeAll(async () => {
  api = await startApi(databases, { DATABRIDGE_API_READINGS: '2000' });
});

afterAll(async () => {
  await api.close();
});

beforeEach(async () => {
  await api.database.run('truncate reading');
});

const stored = (): Promise<string[]> => readingsIn(api.database);
const DATE = '2026-11-20T08:15:30Z';
const AT = parseInstant(DATE) ?? NaN;
const good = { sensorId: 'pump-7', date: DATE, value: 4.25 };

it('refuses readings from before those that the project keeps', async () => {
  await api.database.run(`update ml_project set kept_from = '2026-11-20T00:00:00Z'`);
  const old = { ...good, date: '2026-11-19T23:59:59.999999Z' };
  // It is looked at once a second; a reading that is stored until then is one that nobody sees.
  await eventually('the bound is seen', async () => (await api.push([old])).status === 422);
  await api.database.run('truncate reading');
  expect((await api.push([good, old])).json).toMatchObject({
    accepted: 1,
    refused: [{ index: 1, pointer: '/1/date', reason: 'not-kept', message: messageOf('not-kept', 'pusher') }],
  });
  expect(await stored()).toEqual([`pump-7 ${AT} 4.25 -`]);
  await api.database.run('update ml_project set kept_from = null');
  await eventually('all are kept again', async () => (await api.push([old])).status === 200);
});

describe('a push', () => {
  it('stores readings; sent again they are duplicates, and with other content revised', async () => {
    const second = {
      ...good,
      valueName: 'axis_x',
      date: '2026-11-20T08:15:30.000001Z',
      precision: 99,
      labels: ['b', 'a'],
    };
    const first = await api.push([good, second]);
    expect(first.headers['content-type']).toMatch(/^application\/json/);
    expect(first).toMatchObject({ status: 200 });
    expect(first.json).toEqual({
      accepted: 2,
      duplicates: 0,
      revised: 0,
      refused: [],
      refusedCount: 0,
      unknownFields: 0,
      unknownFieldNames: [],
    });
    expect(await stored()).toEqual([`pump-7 ${AT} 4.25 -`, `pump-7 ${AT + 1} 4.25 99 {a,b}`]);
    expect((await api.push([good, { ...second, labels: ['a', 'b', 'a'] }])).json).toMatchObject({
      duplicates: 2,
      accepted: 0,
    });
    expect((await api.push([{ ...good, value: 5 }, second])).json).toMatchObject({
      duplicates: 1,
      revised: 1,
      accepted: 0,
    });
    expect(await stored()).toEqual([`pump-7 ${AT} 5 -`, `pump-7 ${AT + 1} 4.25 99 {a,b}`]);
  });

  it('stores the last of several readings at one instant; equal ones are duplicates, other ones refused', async () => {
    const answer = await api.push([{ ...good, value: 6 }, good, good, { ...good, value: 6 }]);
    expect(answer).toMatchObject({ status: 200, json: { accepted: 1, duplicates: 1, revised: 0, refusedCount: 2 } });
    const message = messageOf('same-instant', 'pusher');
    expect((answer.json as { refused: unknown }).refused).toEqual([
      { index: 1, pointer: '/1', reason: 'same-instant', message },
      { index: 2, pointer: '/2', reason: 'same-instant', message },
    ]);
    expect(await stored()).toEqual([`pump-7 ${AT} 6 -`]);
  });

  it('loses no value of two axes whose valueName is misspelt: both are refused with the field', async () => {
    const axes = ['axis_x', 'axis_y'].map((valuename, value) => ({ ...good, valuename, value }));
    const answer = await api.push(axes);
    expect(answer).toMatchObject({ status: 422, json: { accepted: 0, duplicates: 0, refusedCount: 2 } });
    expect((answer.json as { refused: unknown }).refused).toMatchObject([
      { pointer: '/0/valuename', reason: 'misspelt-field' },
      { pointer: '/1/valuename', reason: 'misspelt-field' },
    ]);
    expect(await stored()).toEqual([]);
  });

  it('of no readings is answered with zero counts', async () => {
    expect(await api.push([])).toMatchObject({ status: 200, json: { accepted: 0, refusedCount: 0 } });
  });

  it('refuses invalid readings, each with its reason, and stores the others', async () => {
    const answer = await api.push([{ ...good, value: '1' }, good, 7]);
    expect(answer).toMatchObject({ status: 200, json: { accepted: 1, refusedCount: 2 } });
    expect((answer.json as { refused: unknown }).refused).toEqual([
      { index: 0, pointer: '/0/value', reason: 'text-number', message: messageOf('text-number', 'pusher') },
      { index: 2, pointer: '/2', reason: 'not-an-object', message: messageOf('not-an-object', 'pusher') },
    ]);
    expect(await stored()).toHaveLength(1);
  });

  it('is 422 where every reading is refused, and lists the first 1,000 of them', async () => {
    const answer = await api.push(Array(1_500).fill({ ...good, value: null }));
    expect(answer).toMatchObject({ status: 422, json: { accepted: 0, refusedCount: 1_500 } });
    expect((answer.json as { refused: unknown[] }).refused).toHaveLength(1_000);
    expect(await stored()).toEqual([]);
  });

  it('ignores unknown fields, counts them and names them', async () => {
    const answer = await api.push([{ ...good, unit: 'mm', __proto: 1 }]);
    expect(answer.json).toMatchObject({ accepted: 1, unknownFields: 2, unknownFieldNames: ['unit', '__proto'] });
  });

  it('may be packed with gzip, also in several members', async () => {
    const [head, tail] = [JSON.stringify([good]).slice(0, 9), JSON.stringify([good]).slice(9)];
    for (const encoding of ['gzip', 'x-gzip', 'GZIP']) {
      const body = Buffer.concat([gzipSync(head), gzipSync(tail)]);
      expect(await api.push(body, '-H', `Content-Encoding: ${encoding}`)).toMatchObject({ status: 200 });
    }
    expect(await stored()).toHaveLength(1);
  });

  it('may hold as many readings as allowed, over several months', async () => {
    const body = Array.from({ length: 2_000 }, (_, index) => ({
      sensorId: `s${index % 7}`,
      date: new Date(Date.UTC(2026, index % 9, 1, 0, 0, index)).toISOString(),
      value: index,
    }));
    expect((await api.push(body)).json).toMatchObject({ accepted: 2_000 });
    expect((await api.push(body.toReversed())).json).toMatchObject({ duplicates: 2_000 });
    expect((await api.push(body.map((one, index) => ({ ...one, value: index % 2 })))).json).toMatchObject({
      duplicates: 2,
      revised: 1_998,
    });
  });
});

describe('a date', () => {
  const cases: [string, number | string][] = [
    [DATE, AT],
    ['2026-11-20T08:15:30', AT],
    ['2026-11-20T08:15:30+00:00', AT],
    ['2026-11-20T10:15:30+02:00', AT],
    ['2026-11-20T08:15:30.123456789Z', AT + 123_456],
    ['2008-01-01T00:00:00Z', parseInstant('2008-01-01T00:00:00Z') ?? NaN],
    ['1969-12-31T23:59:59.999999Z', 'too-old'],
    ['2026-11-20', 'date-without-time'],
    ['2026-02-30T00:00:00Z', 'bad-instant'],
    ['20.11.2026 08:15', 'bad-instant'],
    ['', 'bad-instant'],
  ];
  test.each(cases)('%s is %s', async (date, expected) => {
    const answer = await api.push([{ ...good, date }]);
    if (typeof expected === 'number') expect(await stored()).toEqual([`pump-7 ${expected} 4.25 -`]);
    else expect(answer).toMatchObject({ status: 422, json: { refused: [{ pointer: '/0/date', reason: expected }] } });
  });

  it('may be at most 24 hours ahead', async () => {
    const ahead = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
    expect(await api.push([{ ...good, date: ahead(23.9) }])).toMatchObject({ status: 200 });
    expect((await api.push([{ ...good, date: ahead(24.1) }])).json).toMatchObject({
      refused: [{ reason: 'in-the-future' }],
    });
  });
});

describe('a value', () => {
  const cases: [string, string][] = [
    ['"4.25"', 'text-number'],
    ['"x"', 'not-a-number'],
    ['true', 'boolean'],
    ['null', 'null'],
    ['1e999', 'not-finite'],
    ['-1e999', 'not-finite'],
    ['[1]', 'not-a-scalar'],
    ['{"v":1}', 'not-a-scalar'],
  ];
  test.each(cases)('%s is refused', async (value, reason) => {
    const answer = await api.push(`[{"sensorId":"a","date":"${DATE}","value":${value}}]`);
    expect(answer).toMatchObject({ status: 422, json: { refused: [{ pointer: '/0/value', reason }] } });
  });

  test.each(['-0', '5e-324', '1.7976931348623157e308', '0.1', '123456789012345678901234567890'])(
    '%s is stored as the double it is',
    async (value) => {
      expect(await api.push(`[{"sensorId":"a","date":"${DATE}","value":${value}}]`)).toMatchObject({ status: 200 });
      const row = await api.database.row<{ value: number }>('select value from reading');
      expect(row?.value).toBe(Number(value) + 0);
    },
  );
});

describe('the other fields', () => {
  const long = (length: number): string => 'x'.repeat(length);
  const cases: [string, unknown, string | undefined][] = [
    ['sensorId', long(256), undefined],
    ['sensorId', '温度 "quoted" \\ é 😀', undefined],
    ['sensorId', long(257), 'bad-sensor-id'],
    ['sensorId', '', 'bad-sensor-id'],
    ['sensorId', 'a\u0000b', 'bad-sensor-id'],
    ['sensorId', 'a\nb', 'bad-sensor-id'],
    ['sensorId', 7, 'bad-sensor-id'],
    ['valueName', long(128), undefined],
    ['valueName', 'AXIS_x9', undefined],
    ['valueName', long(129), 'bad-value-name'],
    ['valueName', 'a-b', 'bad-value-name'],
    ['valueName', '', 'bad-value-name'],
    ['valueName', null, undefined],
    ['precision', 0, undefined],
    ['precision', 100, undefined],
    ['precision', 99.5, 'bad-precision'],
    ['precision', 101, 'bad-precision'],
    ['precision', -1, 'bad-precision'],
    ['precision', '50', 'bad-precision'],
    ['labels', [], undefined],
    ['labels', [long(128), 'a', 'a'], undefined],
    ['labels', Array.from({ length: 32 }, (_, index) => `${index}`), undefined],
    ['labels', Array.from({ length: 33 }, (_, index) => `${index}`), 'too-many-labels'],
    ['labels', [long(129)], 'bad-label'],
    ['labels', [''], 'bad-label'],
    ['labels', [1], 'bad-label'],
    ['labels', 'a', 'bad-label'],
  ];
  test.each(cases)('%s %j: %s', async (field, value, reason) => {
    const answer = await api.push([{ ...good, [field]: value }]);
    if (reason === undefined) expect(answer).toMatchObject({ status: 200, json: { accepted: 1 } });
    else expect(answer).toMatchObject({ status: 422, json: { refused: [{ pointer: `/0/${field}`, reason }] } });
  });

  it('a missing valueName is "none"', async () => {
    await api.push([good]);
    expect(await api.database.rows('select value_name from reading join series on series.id = series')).toEqual([
      { value_name: 'none' },
    ]);
  });
});
