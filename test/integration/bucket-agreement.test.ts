import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { type RealBucket, startBucketOfRun } from '../kit/real-bucket.ts';
import { type Got, type Sent, sendTo } from './bucket-sender.ts';

/**
 * What the simulated store and OpenStack Swift both do. The simulator is held to it in each run; with `DATABRIDGE_TEST_BUCKET=real` Swift
 * is, so that the expectations are none of our own.
 */
let bucket: RealBucket;
beforeAll(async () => void (bucket = await startBucketOfRun()));
afterAll(async () => {
  await bucket.close();
  assertNothingLeaked();
});

const send = async (sent: Sent): Promise<Got> => await sendTo(bucket, sent);
const put = async (at: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Got> =>
  await send({ method: 'PUT', at, body, headers });
const textsOf = (name: string, { body }: Got): string[] =>
  [...body.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text]) => text ?? '');
const hash = (name: string, text: string, encoding: 'hex' | 'base64'): string =>
  createHash(name).update(text).digest(encoding);

it('agrees on objects, parts of them and lists', async () => {
  const key = '/project=3/day=2026-01-31/a%20b%2Bc.parquet';
  expect((await send({ method: 'HEAD' })).status).toBe(200);
  expect(
    await put(key, 'hello', { 'x-amz-content-sha256': hash('sha256', 'hello', 'hex'), 'x-amz-meta-rows': '7' }),
  ).toMatchObject({
    status: 200,
    headers: { etag: '"5d41402abc4b2a76b9719d911017c592"' },
  });
  expect(await send({ at: key })).toMatchObject({
    status: 200,
    body: 'hello',
    headers: { 'content-length': '5', 'x-amz-meta-rows': '7' },
  });
  expect(await send({ method: 'HEAD', at: key })).toMatchObject({
    status: 200,
    body: '',
    headers: { 'content-length': '5' },
  });
  for (const [range, part, shown] of [
    ['bytes=1-3', 'ell', 'bytes 1-3/5'],
    ['bytes=3-', 'lo', 'bytes 3-4/5'],
    ['bytes=-2', 'lo', 'bytes 3-4/5'],
    ['bytes=2-99', 'llo', 'bytes 2-4/5'],
  ] as const)
    expect(await send({ at: key, headers: { range } })).toMatchObject({
      status: 206,
      body: part,
      headers: { 'content-range': shown },
    });
  expect(await send({ at: key, headers: { range: 'bytes=5-' } })).toMatchObject({ status: 416, code: 'InvalidRange' });
  expect(await send({ at: key, headers: { 'if-match': '"0"' } })).toMatchObject({
    status: 412,
    code: 'PreconditionFailed',
  });
  expect(await send({ at: '/none' })).toMatchObject({ status: 404, code: 'NoSuchKey' });
  expect(await send({ method: 'DELETE', at: '/none' })).toMatchObject({ status: 204 });

  for (const other of ['/b', '/a/1', '/a/2', '/a']) await put(other, other);
  const first = await send({ at: '/?list-type=2&max-keys=2' });
  expect([textsOf('Key', first), textsOf('IsTruncated', first), textsOf('KeyCount', first)]).toEqual([
    ['a', 'a/1'],
    ['true'],
    ['2'],
  ]);
  const token = encodeURIComponent(textsOf('NextContinuationToken', first)[0] ?? '');
  const second = await send({ at: `/?list-type=2&max-keys=3&continuation-token=${token}` });
  expect([textsOf('Key', second), textsOf('IsTruncated', second)]).toEqual([
    ['a/2', 'b', 'project=3/day=2026-01-31/a b+c.parquet'],
    ['false'],
  ]);
  expect(textsOf('Key', await send({ at: '/?list-type=2&prefix=project%3D3%2F&encoding-type=url' }))).toEqual([
    'project%3D3/day%3D2026-01-31/a%20b%2Bc.parquet',
  ]);
  const groups = await send({ at: '/?list-type=2&delimiter=%2F' });
  expect([textsOf('Key', groups), textsOf('Prefix', groups).filter(Boolean)]).toEqual([
    ['a', 'b'],
    ['a/', 'project=3/'],
  ]);
  expect(textsOf('Key', await send({ at: '/?list-type=2&start-after=a%2F1&prefix=a' }))).toEqual(['a/2']);

  const body = '<Delete><Object><Key>a/1</Key></Object><Object><Key>none</Key></Object></Delete>';
  const removed = await send({
    method: 'POST',
    at: '/?delete',
    body,
    headers: { 'content-md5': hash('md5', body, 'base64') },
  });
  expect([removed.status, textsOf('Key', removed)]).toEqual([200, ['a/1', 'none']]);
  expect(textsOf('Key', await send({ at: '/?list-type=2&prefix=a' }))).toEqual(['a', 'a/2']);
});

it('agrees on refusals', async () => {
  const cases: readonly (readonly [number, string, Sent])[] = [
    [403, 'SignatureDoesNotMatch', { signing: { secretAccessKey: 'other' } }],
    [403, 'SignatureDoesNotMatch', { tamper: ({ url }) => (url.pathname += 'x') }],
    [403, 'RequestTimeTooSkewed', { signing: { datetime: '20200101T000000Z' } }],
    [400, 'AuthorizationHeaderMalformed', { signing: { region: 'us-east-1' } }],
    [400, 'BadDigest', { headers: { 'content-md5': hash('md5', 'other', 'base64') } }],
    [400, 'InvalidDigest', { headers: { 'content-md5': 'abc' } }],
    [501, 'NotImplemented', { headers: { 'if-none-match': '*' } }],
  ];
  for (const [status, code, sent] of cases)
    expect(await send({ method: 'PUT', at: '/refused', body: 'x', ...sent }), code).toMatchObject({ status, code });
  expect((await send({ at: '/refused' })).code).toBe('NoSuchKey');
  const region = await send({ at: '/refused', signing: { region: 'us-east-1' } });
  expect(textsOf('Region', region)).toEqual(['eu-central-1']);
  const elsewhere = { ...bucket, name: 'another' };
  expect(await sendTo(elsewhere, { at: '/x' })).toMatchObject({ status: 404, code: 'NoSuchBucket' });
});

it('agrees on uploads in parts', async () => {
  const upload = textsOf('UploadId', await send({ method: 'POST', at: '/big?uploads' }))[0] ?? '';
  const tags: string[] = [];
  for (const body of [Buffer.alloc(5 * 1_048_576, 'x'), 'end', 'more'])
    tags.push(String((await put(`/big?partNumber=${tags.length + 1}&uploadId=${upload}`, body)).headers['etag']));
  const complete = async (...numbers: readonly number[]): Promise<Got> => {
    const parts = numbers.map(
      (number) => `<Part><PartNumber>${number}</PartNumber><ETag>${tags[number - 1]}</ETag></Part>`,
    );
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    return await send({ method: 'POST', at: `/big?uploadId=${upload}`, body });
  };
  expect(textsOf('Size', await send({ at: `/big?uploadId=${upload}` }))).toEqual(['5242880', '3', '4']);
  expect(textsOf('Key', await send({ at: '/?uploads' }))).toEqual(['big']);
  expect((await complete(2, 1)).code).toBe('InvalidPartOrder');
  expect((await complete(1, 2, 3)).code).toBe('EntityTooSmall');
  expect((await send({ at: '/big' })).code).toBe('NoSuchKey');
  const done = await complete(1, 2);
  expect([done.status, done.code]).toEqual([200, undefined]);
  expect((await send({ method: 'HEAD', at: '/big' })).headers['content-length']).toBe('5242883');
  const digests = [Buffer.alloc(5 * 1_048_576, 'x'), 'end'].map((part) => createHash('md5').update(part).digest());
  const whole = createHash('md5').update(Buffer.concat(digests)).digest('hex');
  expect((await send({ method: 'HEAD', at: '/big' })).headers['etag']).toBe(`"${whole}-2"`);
  const other = textsOf('UploadId', await send({ method: 'POST', at: '/other?uploads' }))[0] ?? '';
  expect(await send({ method: 'DELETE', at: `/other?uploadId=${other}` })).toMatchObject({ status: 204 });
  expect(await send({ at: `/other?uploadId=${other}` })).toMatchObject({ status: 404, code: 'NoSuchUpload' });
});
