import { afterEach, describe, expect, it } from 'vitest';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { json, openRig, refusal, resolvesTo, serve, serveBytes, tidyUp } from '../../../test/kit/connection-rig.ts';

afterEach(tidyUp);

const answering = (body: string | Buffer, headers: Record<string, string> = {}) =>
  serve((_request, response) => response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body));

describe('an answer to a request for JSON', () => {
  it('is parsed, also after a byte order mark and in another character set', async () => {
    expect((await openRig(await answering('\uFEFF{"a":"ü"}')).http.get('/')).data).toEqual({ a: 'ü' });
    const latin = await answering(Buffer.from('{"a":"ü"}', 'latin1'), {
      'content-type': 'application/json; charset=iso-8859-1',
    });
    expect((await openRig(latin).http.get('/')).data).toEqual({ a: 'ü' });
  });

  it('is parsed only once: a number in a string stays a string', async () => {
    expect((await openRig(await answering('"5"')).http.get('/')).data).toBe('5');
  });

  it('is contract-broken where it is a web page', async () => {
    const url = await answering('<!DOCTYPE html><title>Login</title>', { 'content-type': 'text/html' });
    const error = await refusal(openRig(url).http.get('/x'));
    expect(error.fault).toEqual({ code: 'contract-broken', page: '<!DOCTYPE html><title>Login</title>' });
    expect(error.message).toBe(`GET ${url}/x: answered with a web page, not JSON`);
    expect(error.remedy).toMatch(/login page/);
  });

  it.each([
    ['{"a":NaN}', /that is not JSON/],
    ['{"a" 1}', /is invalid at character 5/],
    ['[1,2', /it ends early/],
    ['', /answered with nothing/],
    ['OK', /not JSON/],
  ])('is contract-broken where it is %j', async (body, message) => {
    const error = await refusal(openRig(await answering(body)).http.get('/'));
    expect(error.code).toBe('contract-broken');
    expect(error.message).toMatch(message);
  });

  it('is kept for the operator up to 2 kB where it is not JSON', async () => {
    const error = await refusal(openRig(await answering(`nope${'x'.repeat(10_000)}`)).http.get('/'));
    expect(error.fault).toHaveProperty('page', `nope${'x'.repeat(2044)}…`);
  });

  it('has no body where the status has none', async () => {
    const url = await serve((_request, response) => response.writeHead(204).end());
    expect((await openRig(url).http.get('/')).data).toBe('');
  });
});

it('text and bytes are delivered where they are asked for', async () => {
  const { http } = openRig(await answering('{}'));
  expect((await http.get('/', { responseType: 'text' })).data).toBe('{}');
  expect((await http.get('/', { responseType: 'arraybuffer' })).data).toEqual(Buffer.from('{}'));
});

it('a responseType that cannot be delivered is a bug, and the slot is given back', async () => {
  const rig = openRig(await answering('{}'));
  expect((await refusal(rig.http.get('/', { responseType: 'document' }))).code).toBe('bug');
  expect(rig.slots.released).toBe(1);
});

describe('packing', () => {
  const text = JSON.stringify(Array.from({ length: 5000 }, (_item, index) => index));

  it.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('%s is unpacked, and the meter counts the wire', async (encoding, bytes) => {
    const rig = openRig(await answering(bytes, { 'content-encoding': encoding }));
    expect((await rig.http.get<number[]>('/')).data).toHaveLength(5000);
    expect(rig.meter.bytesIn).toBeGreaterThan(bytes.length);
    expect(rig.meter.bytesIn).toBeLessThan(bytes.length + 1000);
  });

  it.each([
    ['gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
  ])('%s that breaks off is unavailable', async (encoding, bytes) => {
    const url = await answering(bytes.subarray(0, bytes.length - 12), { 'content-encoding': encoding });
    expect((await refusal(openRig(url).http.get('/'))).fault).toEqual({ code: 'unavailable', why: 'reset' });
  });

  it.each(['gzip', 'br', 'deflate'])('%s that cannot be unpacked is contract-broken', async (encoding) => {
    const url = await answering('this was never packed at all', { 'content-encoding': encoding });
    expect((await refusal(openRig(url).http.get('/'))).fault).toEqual({ code: 'contract-broken' });
  });

  it('that was not asked for is contract-broken', async () => {
    const url = await answering('xyz', { 'content-encoding': 'zstd' });
    expect((await refusal(openRig(url).http.get('/'))).message).toMatch(/"zstd"/);
  });

  it('that is announced for an empty body gives an empty body', async () => {
    const url = await answering('', { 'content-encoding': 'gzip' });
    expect((await openRig(url).http.get('/', { responseType: 'text' })).data).toBe('');
  });

  it('is asked for, except on loopback', async () => {
    const url = await serve((request, response) => json(response, request.headers['accept-encoding']));
    const far = openRig(url.replace('127.0.0.1', 'plant.test'), {}, { lookup: resolvesTo('127.0.0.1') });
    expect((await far.http.get('/')).data).toBe('gzip, deflate, br');
    expect((await openRig(url).http.get('/')).data).toBe('identity');
    expect(
      (await openRig(url.replace('127.0.0.1', 'localhost'), {}, { lookup: resolvesTo('127.0.0.1') }).http.get('/'))
        .data,
    ).toBe('identity');
  });
});

describe('the limit of a body', () => {
  it('holds for bytes that come unpacked', async () => {
    const url = await answering('x'.repeat(5000));
    const error = await refusal(openRig(url, { limits: { maxBodyBytes: 4999 } }).http.get('/'));
    expect(error.fault).toEqual({ code: 'too-much' });
    expect(
      (await openRig(url, { limits: { maxBodyBytes: 5000 } }).http.get('/', { responseType: 'text' })).data,
    ).toHaveLength(5000);
  });

  it('holds for bytes after unpacking, so that a zip bomb is stopped', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const url = await answering(bomb, { 'content-encoding': 'gzip' });
    const error = await refusal(openRig(url, { limits: { maxBodyBytes: 1_048_576 } }).http.get('/'));
    expect(error.fault).toEqual({ code: 'too-much' });
    expect(error.message).toMatch(/larger than 1\.0 MB/);
  });
});

it('an answer that only the end of its connection ends is read to that end', async () => {
  const url = await serveBytes('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{"a":1}');
  expect((await openRig(url).http.get('/')).data).toEqual({ a: 1 });
});
