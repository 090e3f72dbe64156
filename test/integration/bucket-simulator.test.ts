import { createHash } from 'node:crypto';
import { afterAll, afterEach, expect, it } from 'vitest';
import { type Bucket, type BucketOptions, startBucket } from '../kit/bucket.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { type Got, type Sent, sendTo } from './bucket-sender.ts';

afterAll(assertNothingLeaked);

let bucket: Bucket;
const start = async (options: BucketOptions = {}): Promise<Bucket> => (bucket = await startBucket(options));
afterEach(async () => await bucket.close());
const send = async (sent: Sent): Promise<Got> => await sendTo(bucket, sent);
const put = async (key: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Got> =>
  await send({ method: 'PUT', at: `/${key}`, body, headers });
const sha256 = (body: string | Buffer): string => createHash('sha256').update(body).digest('hex');
const keysOf = (list: Got): string[] => [...list.body.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key ?? '');

it('keeps, shows in parts, lists and removes objects', async () => {
  await start({ pageAtMost: 2 });
  const key = 'project=3/day=2026-01-31/a%20b%2Bc.parquet';
  expect((await send({ method: 'HEAD' })).headers['x-amz-bucket-region']).toBe('eu-central-1');
  const stored = await put(key, 'hello', { 'x-amz-content-sha256': sha256('hello'), 'x-amz-meta-rows': '7' });
  expect(stored).toMatchObject({ status: 200, headers: { etag: '"5d41402abc4b2a76b9719d911017c592"' } });
  expect(await send({ at: `/${key}` })).toMatchObject({
    status: 200,
    body: 'hello',
    headers: { 'x-amz-meta-rows': '7' },
  });
  for (const [range, part] of [
    ['bytes=1-3', 'ell'],
    ['bytes=3-', 'lo'],
    ['bytes=-2', 'lo'],
    ['bytes=0-99', 'hello'],
  ] as const)
    expect(await send({ at: `/${key}`, headers: { range } })).toMatchObject({ status: 206, body: part });
  expect(await send({ at: `/${key}`, headers: { range: 'bytes=5-' } })).toMatchObject({
    status: 416,
    code: 'InvalidRange',
  });
  expect((await send({ method: 'HEAD', at: `/${key}` })).headers['content-length']).toBe('5');
  expect(await send({ at: '/none' })).toMatchObject({ status: 404, code: 'NoSuchKey' });

  for (const other of ['b', 'a/1', 'a/2', 'a']) await put(other, other);
  const first = await send({ at: '/?list-type=2&max-keys=500' });
  expect(keysOf(first)).toEqual(['a', 'a/1']);
  const token = /<NextContinuationToken>([^<]*)</.exec(first.body)?.[1] ?? '';
  expect(keysOf(await send({ at: `/?list-type=2&continuation-token=${encodeURIComponent(token)}` }))).toEqual([
    'a/2',
    'b',
  ]);
  expect(keysOf(await send({ at: '/?list-type=2&prefix=project%3D3%2F' }))).toEqual([
    'project=3/day=2026-01-31/a b+c.parquet',
  ]);
  expect((await send({ at: '/?list-type=2&delimiter=%2F&start-after=a%2F1' })).body).toContain('<Prefix>a/</Prefix>');

  const body = '<Delete><Object><Key>a/1</Key></Object><Object><Key>b</Key></Object><Quiet>true</Quiet></Delete>';
  const digest = createHash('md5').update(body).digest('base64');
  expect(await send({ method: 'POST', at: '/?delete', body, headers: { 'content-md5': digest } })).toMatchObject({
    status: 200,
  });
  expect(await send({ method: 'DELETE', at: '/a/2' })).toMatchObject({ status: 204 });
  expect([...bucket.objects.keys()]).toEqual(['project=3/day=2026-01-31/a b+c.parquet', 'a']);
  expect(bucket.violations).toEqual([]);
});

it('knows its bucket by the host, and no other bucket', async () => {
  await start();
  expect(await send({ method: 'PUT', host: 'readings', at: '/x', body: '1' })).toMatchObject({ status: 200 });
  expect(bucket.objects.get('x')?.bytes.toString()).toBe('1');
  expect(await send({ host: 'other', at: '/x' })).toMatchObject({ status: 404, code: 'NoSuchBucket' });
});

it('refuses each request whose signature is not right, by the code of S3, and does nothing', async () => {
  await start();
  await put('kept', 'kept');
  const wrong: readonly (readonly [string, number, Sent])[] = [
    ['SignatureDoesNotMatch', 403, { signing: { secretAccessKey: 'other' } }],
    ['SignatureDoesNotMatch', 403, { tamper: ({ url }) => (url.pathname += 'x') }],
    ['SignatureDoesNotMatch', 403, { tamper: ({ url }) => (url.search = '?x-id=DeleteObject') }],
    [
      'SignatureDoesNotMatch',
      403,
      { headers: { 'x-amz-meta-a': '1' }, tamper: ({ headers }) => (headers['x-amz-meta-a'] = '2') },
    ],
    ['AccessDenied', 403, { tamper: ({ headers }) => (headers['x-amz-meta-a'] = '2') }],
    ['AccessDenied', 403, { tamper: ({ headers }) => delete headers['authorization'] }],
    ['InvalidAccessKeyId', 403, { signing: { accessKeyId: 'AKIDOTHER' } }],
    ['AuthorizationHeaderMalformed', 400, { signing: { region: 'us-east-1' } }],
    [
      'AuthorizationHeaderMalformed',
      400,
      { tamper: ({ headers }) => (headers['authorization'] = 'AWS4-HMAC-SHA256 Credential=a') },
    ],
    ['RequestTimeTooSkewed', 403, { signing: { datetime: '20200101T000000Z' } }],
    ['InvalidRequest', 400, { tamper: ({ headers }) => (headers['authorization'] = 'AWS AKIDEXAMPLE:abc') }],
    ['InvalidToken', 400, { headers: { 'x-amz-security-token': 'old' } }],
    ['XAmzContentSHA256Mismatch', 400, { headers: { 'x-amz-content-sha256': sha256('another body') } }],
    ['InvalidArgument', 400, { headers: { 'x-amz-content-sha256': 'abc' } }],
  ];
  for (const [code, status, sent] of wrong) {
    const got = await send({ method: 'PUT', at: '/kept', body: 'changed', ...sent });
    expect(got, `${code} ${String(sent.tamper)} ${JSON.stringify(sent.signing)}`).toMatchObject({ code, status });
  }
  expect(bucket.violations).toHaveLength(wrong.length);
  expect((await send({ method: 'PUT', at: '/kept', signing: { region: 'us-east-1' } })).body).toContain(
    '<Region>eu-central-1</Region>',
  );
  expect(bucket.objects.get('kept')?.bytes.toString()).toBe('kept');
});

it('refuses what it does not know, and content that is not what its digest says', async () => {
  await start();
  expect(await send({ at: '/?versions' })).toMatchObject({ status: 501, code: 'NotImplemented' });
  expect(await send({ at: '/x?versionId=1' })).toMatchObject({ status: 501, code: 'NotImplemented' });
  expect(await put('x', '1', { 'x-amz-acl': 'public-read' })).toMatchObject({ status: 501, code: 'NotImplemented' });
  expect(await put('x', '1', { 'content-md5': createHash('md5').update('2').digest('base64') })).toMatchObject({
    code: 'BadDigest',
  });
  expect(await put('x', '1', { 'x-amz-checksum-crc32': 'AAAAAA==' })).toMatchObject({ code: 'BadDigest' });
  expect(await put('x', '1', { 'x-amz-sdk-checksum-algorithm': 'CRC32' })).toMatchObject({ code: 'InvalidRequest' });
  expect(await send({ at: '/?list-type=2&continuation-token=x' })).toMatchObject({ code: 'InvalidArgument' });
  expect(await send({ method: 'POST', at: '/?delete', body: '<Delete/>' })).toMatchObject({ code: 'InvalidRequest' });
  expect(bucket.violations).toHaveLength(8);
  expect(bucket.objects.size).toBe(0);
});

it('writes an object that is there already only where the client did not forbid it', async () => {
  await start();
  const once = { 'if-none-match': '*' };
  const both = await Promise.all([put('x', '1', once), put('x', '2', once)]);
  expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 412]));
  expect(await put('x', '3', once)).toMatchObject({ status: 412, code: 'PreconditionFailed' });
  expect(await put('x', '4')).toMatchObject({ status: 200 });
  expect(bucket.violations).toEqual([]);
  await bucket.close();
  await start({ conditionalWrites: 'not implemented' });
  expect(await put('x', '1', once)).toMatchObject({ status: 501, code: 'NotImplemented' });
  expect(bucket.objects.size).toBe(0);
  await bucket.close();
  await start({ conditionalWrites: 'ignored' });
  await put('x', '1', once);
  expect(await put('x', '2', once)).toMatchObject({ status: 200 });
});

it('puts an object together from parts, and not from small, wrong or unordered ones', async () => {
  await start();
  const id = async (): Promise<string> =>
    /<UploadId>([^<]*)/.exec((await send({ method: 'POST', at: '/big?uploads' })).body)?.[1] ?? '';
  const part = async (upload: string, number: number, body: Buffer | string): Promise<string> =>
    String((await put(`big?partNumber=${number}&uploadId=${upload}`, body)).headers['etag']);
  const complete = async (
    upload: string,
    parts: readonly (readonly [number, string])[],
    headers = {},
  ): Promise<Got> => {
    const listed = parts.map(([number, tag]) => `<Part><PartNumber>${number}</PartNumber><ETag>${tag}</ETag></Part>`);
    const body = `<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`;
    return await send({ method: 'POST', at: `/big?uploadId=${upload}`, body, headers });
  };
  const large = Buffer.alloc(5 * 1_048_576, 'x');
  const upload = await id();
  const [one, two, small] = [await part(upload, 1, large), await part(upload, 2, 'end'), await part(upload, 3, 'more')];
  expect((await send({ at: `/big?uploadId=${upload}` })).body.match(/<Size>\d+/g)).toEqual([
    '<Size>5242880',
    '<Size>3',
    '<Size>4',
  ]);
  expect(
    await complete(upload, [
      [2, two],
      [1, one],
    ]),
  ).toMatchObject({ code: 'InvalidPartOrder' });
  expect(
    await complete(upload, [
      [1, two],
      [2, one],
    ]),
  ).toMatchObject({ code: 'InvalidPart' });
  expect(
    await complete(upload, [
      [1, one],
      [2, two],
      [3, small],
    ]),
  ).toMatchObject({ code: 'EntityTooSmall' });
  expect(bucket.objects.size).toBe(0);
  expect(
    await complete(
      upload,
      [
        [1, one],
        [2, two],
      ],
      { 'if-none-match': '*' },
    ),
  ).toMatchObject({ status: 200, code: undefined });
  expect(bucket.objects.get('big')?.bytes.length).toBe(large.length + 3);
  expect(bucket.objects.get('big')?.etag).toMatch(/-2"$/);
  expect(await complete(upload, [[1, one]])).toMatchObject({ status: 404, code: 'NoSuchUpload' });

  const second = await id();
  const again = await part(second, 1, 'again');
  expect(await complete(second, [[1, again]], { 'if-none-match': '*' })).toMatchObject({ status: 412 });
  bucket.fault({ on: 'CompleteMultipartUpload', errorInside: 'InternalError' });
  expect(await complete(second, [[1, again]])).toMatchObject({ status: 200, code: 'InternalError' });
  const third = await id();
  expect(bucket.uploads.size).toBe(1);
  expect(await send({ method: 'DELETE', at: `/big?uploadId=${third}` })).toMatchObject({ status: 204 });
  expect(bucket.uploads.size).toBe(0);
});

it('meets the faults that a test sets, and counts what is under way', async () => {
  await start();
  const body = Buffer.alloc(1_000_000, 'x');
  bucket.fault({ on: 'PutObject', times: 2, answer: { status: 503, code: 'SlowDown', retryAfter: 3 } });
  for (const time of [1, 2])
    expect(await put('x', body), String(time)).toMatchObject({
      status: 503,
      code: 'SlowDown',
      headers: { 'retry-after': '3' },
    });
  bucket.fault({ on: 'PutObject', resetUploadAfter: 100_000 });
  await expect(put('x', body)).rejects.toThrow(/ECONNRESET|EPIPE|hang up/);
  expect(bucket.objects.size).toBe(0);
  bucket.fault({ on: 'PutObject', answerLost: true });
  await expect(put('x', body)).rejects.toThrow(/ECONNRESET|hang up/);
  expect(bucket.objects.get('x')?.bytes.length).toBe(body.length);
  bucket.fault({ on: 'GetObject', key: 'x', resetDownloadAfter: 100_000 });
  await expect(send({ at: '/x' })).rejects.toThrow(/ECONNRESET|aborted/);
  bucket.fault({ on: 'GetObject', key: /^x/, cutDownloadAfter: 100_000 });
  await expect(send({ at: '/x' })).rejects.toThrow('aborted');

  const thaw = bucket.freezeLists();
  await put('y', 'y');
  bucket.objects.delete('x');
  expect(keysOf(await send({ at: '/?list-type=2' }))).toEqual(['x']);
  thaw();
  expect(keysOf(await send({ at: '/?list-type=2' }))).toEqual(['y']);
  const { etag } = bucket.objects.get('y') ?? {};
  bucket.change('y', () => Buffer.from('z'), 'silently');
  expect(await send({ at: '/y' })).toMatchObject({ body: 'z', headers: { etag } });
  bucket.change('y', () => Buffer.from('z'));
  expect(await send({ at: '/y', headers: { 'if-match': etag ?? '' } })).toMatchObject({ status: 412 });

  expect(bucket.mostBytes()).toBe(body.length);
  const waits = Promise.withResolvers<void>();
  bucket.fault({ on: 'GetObject', waitFor: waits.promise });
  const late = send({ at: '/y' });
  expect(await send({ at: '/y' })).toMatchObject({ body: 'z' });
  waits.resolve();
  expect(await late).toMatchObject({ body: 'z' });
  await bucket.down();
  await expect(send({ at: '/y' })).rejects.toThrow('ECONNREFUSED');
  await bucket.up();
  expect(await send({ at: '/y' })).toMatchObject({ status: 200 });
  expect(bucket.violations).toEqual([]);
  expect(bucket.requests.at(-1)).toMatchObject({ operation: 'GetObject', key: 'y', status: 200, code: undefined });
});
