import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { parseInstant } from '../../src/core/instant.ts';
import { useDatabases } from '../kit/databases.ts';
import { readingsIn } from '../kit/stored-source.ts';
import { PATH, bearer, curlWith, expectProblem, pushAs, startApi, stdinTo } from './api-rig.ts';
import type { Answered, ApiUnderTest } from './api-rig.ts';

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
const MIB = 1_048_576;

describe('a body', () => {
  test.each([
    ['', 'not-json'],
    ['{', 'not-json'],
    ['[{"sensorId": "a",}]', 'not-json'],
    ['[NaN]', 'not-json'],
    [`[{"sensorId":"a","date":"${DATE}","value":NaN}]`, 'not-json'],
    ["[{'sensorId':'a'}]", 'not-json'],
    ['[1] [2]', 'not-json'],
    [Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), 'not-json'],
    [Buffer.from('["a"]', 'utf16le'), 'not-json'],
    ['{}', 'not-an-array'],
    ['null', 'not-an-array'],
    ['"text"', 'not-an-array'],
    [JSON.stringify(good), 'not-an-array'],
  ])('%j is 400', async (body, name) => {
    expectProblem(await api.push(body), 400, name);
  });

  it('may begin with a byte order mark; of a repeated key the last value counts', async () => {
    const answer = await api.push(`\ufeff[{"sensorId":"a","value":1,"date":"${DATE}","value":2,"sensorId":"b"}]`);
    expect(answer.json).toMatchObject({ accepted: 1, unknownFields: 0 });
    expect(await stored()).toEqual([`b ${AT} 2 -`]);
  });

  it('cannot change a prototype', async () => {
    const body = `[{"__proto__":{"value":1,"sensorId":"p"},"constructor":{"prototype":{"value":1}},"date":"${DATE}"}]`;
    expect(await api.push(body)).toMatchObject({ status: 422, json: { unknownFields: 2, refusedCount: 1 } });
    expect(({} as { value?: unknown }).value).toBeUndefined();
    expect((await api.push([good])).json).toMatchObject({ accepted: 1, unknownFields: 0 });
  });

  it('may be nested at most 32 levels deep, also in an unknown field: 400', async () => {
    const nested = (levels: number, [opening, closing]: readonly [string, string]): string =>
      `[{"sensorId":"[[{{\\"[","date":"${DATE}","value":1,"more":${opening.repeat(levels - 2)}1${closing.repeat(levels - 2)}}]`;
    for (const brackets of [['[', ']'] as const, ['{"a":', '}'] as const]) {
      expect(await api.push(nested(32, brackets))).toMatchObject({ status: 200, json: { unknownFields: 1 } });
      await api.database.run('truncate reading');
      expectProblem(await api.push(nested(33, brackets)), 400, 'too-deep');
      expect(await stored()).toEqual([]);
    }
    // These are not JSON either, but parsing them would take a second.
    expectProblem(await api.push('['.repeat(10 * MIB)), 400, 'too-deep');
    expectProblem(await api.push(gzipSync('{"a":'.repeat(2 * MIB)), '-H', 'Content-Encoding: gzip'), 400, 'too-deep');
  });

  it('is 413 where it is too large, with Content-Length or without', async () => {
    const large = Buffer.alloc(100 * MIB, ' ');
    expectProblem(await api.push(large), 413, 'body-too-large');
    expectProblem(await api.push(large, '-H', 'Transfer-Encoding: chunked'), 413, 'body-too-large');
    expectProblem(await api.push(large, '-H', 'Expect:'), 413, 'body-too-large');
    expectProblem(await api.push(Array(2_001).fill(good)), 413, 'too-many-readings');
    expectProblem(
      await api.push(
        Array(5 * MIB - 1)
          .fill(1)
          .join(',')
          .replace(/^/, '[')
          .concat(']'),
      ),
      413,
      'too-many-readings',
    );
  });

  describe('that is small when packed and holds very much', () => {
    const many = (count: number, one: (index: number) => string): string =>
      Array.from({ length: count }, (_, index) => one(index)).join(',');

    test.each([
      ['objects', `[${many(3 * MIB, () => '{}')}]`, 'too-many-readings'],
      ['objects in one element', `[[${many(3 * MIB, () => '{}')}]]`, 'too-many-values'],
      ['numbers in one field', `[{"labels":[${many(5 * MIB, () => '1')}]}]`, 'too-many-values'],
      ['names of fields', `[{${many(500_000, (index) => `"${index}":1`)}}]`, 'too-many-values'],
    ])('is refused and not parsed: %s', async (_, body, name) => {
      const parse = vi.spyOn(JSON, 'parse');
      try {
        expectProblem(await api.push(gzipSync(body), '-H', 'Content-Encoding: gzip'), 413, name);
        expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(MIB);
      } finally {
        parse.mockRestore();
      }
      expect(await stored()).toEqual([]);
    });
  });

  it('is refused where it is a gzip bomb, broken or not gzip at all', async () => {
    const gzip = ['-H', 'Content-Encoding: gzip'];
    const bomb = gzipSync(Buffer.alloc(200 * MIB));
    expect(bomb.length).toBeLessThan(MIB);
    expectProblem(await api.push(bomb, ...gzip), 413, 'body-too-large');
    const packed = gzipSync(JSON.stringify([good]));
    expectProblem(await api.push(packed.subarray(0, packed.length - 9), ...gzip), 400, 'bad-request');
    expectProblem(await api.push(JSON.stringify([good]), ...gzip), 400, 'bad-request');
    expectProblem(await api.push('', ...gzip), 400, 'bad-request');
    const brotli = await api.push('x', '-H', 'Content-Encoding: br');
    expectProblem(brotli, 415, 'unsupported-encoding');
    expect(brotli.headers['accept-encoding']).toBe('gzip');
  });

  /** curl sends no Content-Type where the given one is empty. */
  const postAs = (type: string): Promise<Answered> =>
    curlWith(
      JSON.stringify([good]),
      ...bearer(api.client.token, `Content-Type:${type && ` ${type}`}`),
      ...stdinTo(api.url + PATH),
    );

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=iso-8859-1', ''])(
    'of type %j is 415',
    async (type) => {
      const answer = await postAs(type);
      expectProblem(answer, 415, 'unsupported-media-type');
    },
  );

  test.each(['application/json;charset=UTF-8', 'APPLICATION/JSON', 'application/json; charset="utf-8"'])(
    'of type %j is accepted',
    async (type) => {
      expect(await postAs(type)).toMatchObject({ status: 200 });
    },
  );

  it('may hold SQL in every string, which is only text to the database', async () => {
    const sql = `'; drop table reading; --`;
    const body = [{ sensorId: sql, valueName: sql, date: sql, value: sql, labels: [sql], [sql]: sql }];
    expect(await api.push(body)).toMatchObject({ status: 422 });
    expect(await api.push([{ ...good, sensorId: sql, labels: [sql, '{"}', '\\', '$1'] }])).toMatchObject({
      status: 200,
    });
    expect(await stored()).toEqual([expect.stringContaining(sql)]);
    const path = `/v0/organisations/${encodeURIComponent(sql)}/data/${encodeURIComponent(sql)}`;
    expectProblem(await pushAs(api.client, api.url + path, [good]), 404, 'unknown-project');
  });
});
