import { request } from 'node:http';
import { constants, createZstdCompress, gzipSync, zstdCompressSync } from 'node:zlib';
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
    expect(brotli.headers['accept-encoding']).toBe('gzip, zstd');
  });

  it('is refused where it is a zstd bomb, broken, no zstd, or more than one frame', async () => {
    const zstd = ['-H', 'Content-Encoding: zstd'];
    const bomb = zstdCompressSync(Buffer.alloc(200 * MIB));
    expect(bomb.length).toBeLessThan(MIB);
    expectProblem(await api.push(bomb, ...zstd), 413, 'body-too-large');
    expectProblem(await api.push(zstdCompressSync('{"a":'.repeat(2 * MIB)), ...zstd), 400, 'too-deep');
    expectProblem(await api.push(zstdCompressSync(`[${'{},'.repeat(3 * MIB)}{}]`), ...zstd), 413, 'too-many-readings');
    const packed = zstdCompressSync(JSON.stringify([good]));
    expectProblem(await api.push(packed.subarray(0, packed.length - 9), ...zstd), 400, 'bad-request');
    expectProblem(await api.push(JSON.stringify([good]), ...zstd), 400, 'bad-request');
    expectProblem(await api.push('', ...zstd), 400, 'bad-request');
    // The decoder would stop after the first frame, and the readings of the second would be lost in silence.
    const two = await api.push(Buffer.concat([packed, packed]), ...zstd);
    expectProblem(two, 400, 'bad-request');
    expect(two.body).toContain('one frame');
    expect(await stored()).toEqual([]);
    expect(await api.push(packed, ...zstd)).toMatchObject({ status: 200, json: { accepted: 1 } });
  });

  it('of zstd is looked at to its end, also where the decoder has ended before', async () => {
    const packed = zstdCompressSync(JSON.stringify([good]));
    const status = await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${api.client.token}`, 'content-type': 'application/json' };
      const sent = request(api.url + PATH, { method: 'POST', headers: { ...headers, 'content-encoding': 'zstd' } });
      sent.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
      sent.write(Buffer.concat([packed, zstdCompressSync('')]));
      setTimeout(() => sent.end(packed), 100);
    });
    expect(status).toBe(400);
    expect(await stored()).toEqual([]);
  });

  test.each([
    [23, 200],
    [24, 415],
    [27, 415],
  ])('of zstd with a window of 2^%d bytes is %d', async (log, status) => {
    const packer = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: log } });
    packer.write(JSON.stringify([good]));
    packer.end();
    const pieces: Buffer[] = [];
    for await (const piece of packer) pieces.push(piece as Buffer);
    const answer = await api.push(Buffer.concat(pieces), '-H', 'Content-Encoding: zstd');
    expect(answer.status, answer.body).toBe(status);
    if (status === 415) expectProblem(answer, 415, 'unsupported-encoding');
  });

  it('of zstd reserves the memory of its window: one application cannot make the API take gigabytes', async () => {
    const small = await startApi(databases, {
      DATABRIDGE_API_WAITING_BYTES: String(MIB),
      DATABRIDGE_API_BODY_BYTES: String(MIB),
    });
    try {
      const packed = (log: number): Buffer => {
        const bytes = zstdCompressSync(JSON.stringify([good]));
        // The same frame with a window of its own in the place of the size of its content.
        return Buffer.concat([
          bytes.subarray(0, 4),
          Buffer.of((bytes[4] ?? 0) & 0x04, (log - 10) << 3),
          bytes.subarray(6),
        ]);
      };
      const zstd = ['-H', 'Content-Encoding: zstd'];
      expect(await small.push(packed(20), ...zstd)).toMatchObject({ status: 200 });
      expectProblem(await small.push(packed(22), ...zstd), 503, 'overloaded');
      expect(await small.push([good])).toMatchObject({ status: 200 });
    } finally {
      await small.close();
    }
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
