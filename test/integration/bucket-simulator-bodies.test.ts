import { afterAll, afterEach, expect, it } from 'vitest';
import { type Bucket, type BucketOptions, startBucket } from '../kit/bucket.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { type Got, type Sent, sendRawTo, sendTo } from './bucket-sender.ts';

afterAll(assertNothingLeaked);

let bucket: Bucket;
const start = async (options: BucketOptions = {}): Promise<Bucket> => (bucket = await startBucket(options));
afterEach(async () => await bucket.close());
const send = async (sent: Sent): Promise<Got> => await sendTo(bucket, sent);
const sendRaw = async (headers: Record<string, string>, body: string): Promise<Got> =>
  await sendRawTo(bucket, 'PUT', '/examplebucket/chunkObject.txt', headers, body);
const put = async (key: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Got> =>
  await send({ method: 'PUT', at: `/${key}`, body, headers });

it('takes a checksum of each algorithm, by its published check value', async () => {
  await start();
  const values = {
    crc32: 'y/Q5Jg==',
    crc32c: '4waSgw==',
    crc64nvme: 'rosUhgp5mIg=',
    sha1: '98O8HYCOBHMq32eZZczDTKeuNEE=',
  };
  for (const [name, value] of Object.entries(values)) {
    expect(await put('x', '123456789', { [`x-amz-checksum-${name}`]: value })).toMatchObject({ status: 200 });
    const read = await send({ at: '/x', headers: { 'x-amz-checksum-mode': 'ENABLED' } });
    expect(read.headers[`x-amz-checksum-${name}`]).toBe(value);
  }
});

const EXAMPLE = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const AUTHORIZATION = 'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request';
const CHUNKS = ['a'.repeat(65_536), 'a'.repeat(1_024), ''];
const startExample = async (): Promise<void> => {
  await start({ bucket: 'examplebucket', region: 'us-east-1', now: () => Date.parse('2013-05-24T00:05:00Z') });
  bucket.keys.push(EXAMPLE);
};
const chunked = (signatures: readonly string[]): string =>
  CHUNKS.map(
    (part, index) =>
      `${part.length.toString(16)};chunk-signature=${signatures[index]}\r\n${part}${part === '' ? '' : '\r\n'}`,
  ).join('');
const streamed = {
  host: 's3.amazonaws.com',
  'x-amz-date': '20130524T000000Z',
  'x-amz-storage-class': 'REDUCED_REDUNDANCY',
  'content-encoding': 'aws-chunked',
  'x-amz-decoded-content-length': '66560',
};

it("takes the chunked upload of Amazon's documentation, and none that differs", async () => {
  await startExample();
  const signatures = [
    'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
    '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
    'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
  ];
  const headers = {
    ...streamed,
    'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    authorization: `${AUTHORIZATION},SignedHeaders=content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class,Signature=4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9`,
  };
  const body = `${chunked(signatures)}\r\n`;
  expect(body).toHaveLength(66_824);
  expect(await sendRaw(headers, body)).toMatchObject({ status: 200 });
  expect(bucket.objects.get('chunkObject.txt')?.bytes.toString()).toBe(CHUNKS.join(''));
  expect(bucket.violations).toEqual([]);
  bucket.objects.clear();
  for (const wrong of [body.replace('aaa', 'aab'), body.replace('b6c6', 'b6c7'), body.replace(/a\r\n0;/, 'b\r\n0;')])
    expect(await sendRaw(headers, wrong)).toMatchObject({
      code: 'SignatureDoesNotMatch',
    });
  expect(bucket.violations.every((each) => each.includes('chunk signature'))).toBe(true);
  expect(bucket.objects.size).toBe(0);
});

it("takes the signed trailer of Amazon's documentation, and none that differs", async () => {
  await startExample();
  const signatures = [
    'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
    '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
    '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992',
  ];
  const headers = {
    ...streamed,
    'x-amz-trailer': 'x-amz-checksum-crc32c',
    'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
    authorization: `${AUTHORIZATION}, SignedHeaders=content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class;x-amz-trailer, Signature=106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e`,
  };
  const trailer =
    'x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n';
  const body = `${chunked(signatures)}${trailer}`;
  expect(await sendRaw(headers, body)).toMatchObject({ status: 200 });
  expect(bucket.violations).toEqual([]);
  const codes: (string | undefined)[] = [];
  for (const wrong of [
    body.replace('sOO8', 'sOO9'),
    body.replace('x-amz-checksum-crc32c', 'x-amz-checksum-crc32'),
    body.slice(0, -30),
  ])
    codes.push((await sendRaw(headers, wrong)).code);
  expect(codes).toEqual(['SignatureDoesNotMatch', 'MalformedTrailerError', 'IncompleteBody']);
});

it('takes an unsigned trailer, and holds the checksum in it against the content', async () => {
  await start();
  const headers = {
    'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    'content-encoding': 'aws-chunked',
    'x-amz-decoded-content-length': '9',
    'x-amz-trailer': 'x-amz-checksum-crc64nvme',
  };
  const body = '9\r\n123456789\r\n0\r\nx-amz-checksum-crc64nvme:rosUhgp5mIg=\r\n\r\n';
  expect(await put('x', body, headers)).toMatchObject({ status: 200 });
  expect(bucket.objects.get('x')?.bytes.toString()).toBe('123456789');
  expect(await put('x', body.replace('1', '2'), headers)).toMatchObject({ code: 'BadDigest' });
  expect(await put('x', body.replace('9\r\n123456789', '4\r\n1234\r\n5\r\n56789'), headers)).toMatchObject({
    code: 'InvalidChunkSizeError',
  });
});
