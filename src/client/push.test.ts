import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate, serveBytes, serveRaw, serveTls, tidyUp } from '../../test/kit/connection-rig.ts';
import { PushError, openPushClient } from './index.ts';
import type { PushFault } from './index.ts';
import { READING, REMOTE, failureOf, problem, send, startService, taken } from '../../test/kit/push-service.ts';
import type { TestService } from '../../test/kit/push-service.ts';

let service: TestService;

beforeEach(async () => {
  service = await startService();
});

afterEach(tidyUp);

const faultAt = async (baseUrl: string, timeoutMs = 5_000): Promise<PushFault> =>
  (await failureOf(openPushClient({ ...REMOTE, baseUrl }, { timeoutMs }).push('hall', [READING]))).fault;

const refused = (...indices: number[]): unknown[] =>
  indices.map((index) => ({ index, pointer: `/${index}/value`, reason: 'text-number', message: 'Text.' }));

describe('a push', () => {
  it('is one request with the readings unchanged', async () => {
    const strange = [READING, 'no reading', null, { value: '1.5', extra: { deep: [] } }];
    await service.client({ userAgent: 'gateway/1' }).push('hall', strange);
    const { url, headers, body } = service.pushes[0]!;
    expect(url).toBe('/v0/organisations/default/data/hall');
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'gateway/1' });
    expect(headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(body)).toEqual(strange);
  });

  it('compresses a large body, unless gzip is false', async () => {
    const many = Array<unknown>(100).fill(READING);
    await service.client().push('hall', many);
    await service.client({ gzip: false }).push('hall', many);
    expect(service.pushes.map(({ headers }) => headers['content-encoding'])).toEqual(['gzip', undefined]);
    expect(Number(service.pushes[0]?.headers['content-length'])).toBeLessThan(1000);
    expect(service.pushes.map(({ body }) => body)).toEqual(Array(2).fill(JSON.stringify(many)));
  });

  it('goes below the path of the base address, with names as path segments', async () => {
    const remote = { ...service.remote, baseUrl: `${service.url}/bridge/`, organisation: 'a/b' };
    await openPushClient(remote).push('hall 3', [READING]);
    expect(service.tokens[0]?.url).toBe('/bridge/v0/oauth2/token');
    expect(service.pushes[0]?.url).toBe('/bridge/v0/organisations/a%2Fb/data/hall%203');
  });

  it('resolves with the refusals where all readings were refused', async () => {
    const answer = {
      ...taken(0),
      refused: refused(0, 1),
      refusedCount: 2,
      unknownFields: 3,
      unknownFieldNames: ['unit'],
      later: 'field',
    };
    service.onPush = (response) => send(response, 422, answer);
    const { later: _, ...expected } = answer;
    expect(await service.client().push('hall', [READING, READING])).toEqual(expected);
  });

  it('names no unknown fields where an older service only counts them', async () => {
    service.onPush = (response) => send(response, 200, { ...taken(1), unknownFields: 2, unknownFieldNames: undefined });
    expect(await service.client().push('hall', [READING])).toMatchObject({ unknownFields: 2, unknownFieldNames: [] });
  });

  it('removes secrets from refusals that quote them', async () => {
    service.onPush = (response, { headers }) => {
      const token = headers.authorization?.replace('Bearer ', '') ?? '';
      const leaky = `no: ${token} and ${REMOTE.applicationSecret}`;
      const refusal = { index: 0, pointer: `/0/${token}`, reason: leaky, message: leaky };
      return send(response, 422, { ...taken(0), refused: [refusal], refusedCount: 1 });
    };
    const { refused: told } = await service.client().push('hall', [READING]);
    expect(told).toEqual([{ index: 0, pointer: '/0/…', reason: 'no: … and …', message: 'no: … and …' }]);
  });

  it('is not possible with an invalid base address', () => {
    for (const baseUrl of ['', 'bridge.example', 'ftp://x', 'http://u:p4ss@x', 'http://x?y=1']) {
      const open = (): unknown => openPushClient({ ...REMOTE, baseUrl });
      expect(open).toThrow(TypeError);
      expect(open).not.toThrow(/p4ss/);
    }
  });

  it('rejects when its signal is aborted, while it waits for the token or for the answer', async () => {
    for (const where of ['onToken', 'onPush'] as const) {
      const own = await startService();
      const stop = new AbortController();
      own[where] = () => {
        stop.abort(new Error('enough'));
        return true;
      };
      await expect(own.client().push('hall', [READING], { signal: stop.signal })).rejects.toThrow('enough');
    }
    await expect(service.client().push('hall', [], { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow(
      'no',
    );
    expect(service.pushes).toHaveLength(0);
  });
});

describe('an answer', () => {
  const wrong: [name: string, status: number, body: unknown][] = [
    ['an error', 200, { error: 'maintenance' }],
    ['a page', 200, '<html>Welcome to our hotel</html>'],
    ['nothing', 200, ''],
    ['counts that are too few', 200, taken(1)],
    ['counts that are too many', 200, taken(3)],
    ['negative counts', 200, { ...taken(3), revised: -1 }],
    ['counts as text', 200, { ...taken(2), accepted: '2' }],
    ['no unknownFields', 200, { ...taken(2), unknownFields: undefined }],
    ['names that are no texts', 200, { ...taken(2), unknownFieldNames: [7] }],
    ['refusals without any listed', 200, { ...taken(1), refusedCount: 1 }],
    ['more refusals than counted', 200, { ...taken(1), refusedCount: 1, refused: refused(0, 1) }],
    ['a refusal beyond what was sent', 200, { ...taken(1), refusedCount: 1, refused: refused(2) }],
    ['refusals out of order', 200, { ...taken(0), refusedCount: 2, refused: refused(1, 0) }],
    ['a refusal without a reason', 200, { ...taken(1), refusedCount: 1, refused: [{ index: 0 }] }],
    ['readings taken in a 422', 422, { ...taken(1), refusedCount: 1, refused: refused(0) }],
    ['success by another status', 201, taken(2)],
    ['success without content', 204, ''],
  ];
  it.each(wrong)('with %s is not-a-bridge', async (_, status, body) => {
    service.onPush = (response) => send(response, status, body);
    const error = await failureOf(service.client().push('hall', [READING, READING]));
    expect(error.fault).toEqual({ code: 'not-a-bridge' });
  });

  const statuses: [status: number, body: unknown, headers: Record<string, string>, fault: unknown][] = [
    [400, problem(400), {}, { code: 'rejected', status: 400 }],
    [403, problem(403), {}, { code: 'forbidden' }],
    [404, problem(404), {}, { code: 'unknown-target' }],
    [404, '', {}, { code: 'unknown-target' }],
    [404, '<html>', { 'content-type': 'text/html' }, { code: 'not-a-bridge' }],
    [401, '<html>', { 'content-type': 'text/html' }, { code: 'not-a-bridge' }],
    [408, problem(408), {}, { code: 'unreachable', why: 'time-out' }],
    [413, problem(413), {}, { code: 'too-large' }],
    [413, '<html>', { 'content-type': 'text/html' }, { code: 'too-large' }],
    [415, problem(415), {}, { code: 'rejected', status: 415 }],
    [422, problem(422), {}, { code: 'rejected', status: 422 }],
    [429, problem(429), { 'retry-after': '3' }, { code: 'overloaded', status: 429, retryAfterMs: 3000 }],
    [503, problem(503), {}, { code: 'overloaded', status: 503, retryAfterMs: undefined }],
    [503, '<html>', { 'retry-after': 'soon' }, { code: 'overloaded', status: 503, retryAfterMs: undefined }],
    [502, '<html>', {}, { code: 'failed', status: 502 }],
    [301, '', { location: 'http://127.0.0.1:1/' }, { code: 'not-a-bridge' }],
    [304, '', {}, { code: 'not-a-bridge' }],
  ];
  it.each(statuses)('of status %i and body %j becomes a fault', async (status, body, headers, fault) => {
    service.onPush = (response) => send(response, status, body, headers);
    const error = await failureOf(service.client().push('hall', [READING]));
    expect(error.fault).toEqual(fault);
    expect(error.problem?.status).toBe(typeof body === 'object' ? status : undefined);
    expect([service.tokens.length, service.pushes.length]).toEqual([1, 1]);
  });

  it('may name a date in Retry-After, which is measured from its own Date header', async () => {
    const headers = { date: 'Sat, 21 Nov 2020 08:00:00 GMT', 'retry-after': 'Sat, 21 Nov 2020 08:00:20 GMT' };
    service.onPush = (response) => send(response, 503, '', headers);
    const { fault } = await failureOf(service.client().push('hall', [READING]));
    expect(fault).toEqual({ code: 'overloaded', status: 503, retryAfterMs: 20_000 });
  });

  it('is cut off where it is endless', async () => {
    let written = 0;
    service.onPush = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        do written += 65_536;
        while (response.writable && response.write(Buffer.alloc(65_536, 32)));
      };
      response.on('drain', more);
      more();
      return true;
    };
    expect((await failureOf(service.client().push('hall', [READING]))).fault).toEqual({ code: 'not-a-bridge' });
    expect(written).toBeLessThan(64 * 1_048_576);
  });

  it('that quotes a secret is shown without it', async () => {
    const echo = `a ${REMOTE.applicationSecret} b access-1 c refresh-1 d\u001b[31m\n`;
    service.onPush = (response) => send(response, 400, problem(400, echo));
    const error = await failureOf(service.client().push('hall', [READING]));
    expect(error.problem?.detail).toBe('a … b … c … d [31m');
    expect(error.message).not.toMatch(/s3cr|access-1|refresh-1|\p{Cc}/u);
    service.onToken = (response) => send(response, 400, { error: 'x', error_description: echo });
    expect((await failureOf(service.client().push('hall', [READING]))).message).not.toContain('s3cr');
  });
});

describe('a service that does not answer', () => {
  it('is refused or an unknown host', async () => {
    const closed = await serveBytes('');
    await tidyUp();
    expect(await faultAt(closed)).toEqual({ code: 'unreachable', why: 'refused' });
    expect(await faultAt(`http://${'nobody'.repeat(11)}.invalid`)).toEqual({
      code: 'unreachable',
      why: 'unknown-host',
    });
    expect(await faultAt('http://127.0.0.1:6667')).toEqual({ code: 'unreachable', why: 'refused' });
  });

  it('in time is a time-out, before the head of the answer and in the middle of it', async () => {
    const late = { code: 'unreachable', why: 'time-out' };
    expect(await faultAt(await serveRaw(() => undefined), 100)).toEqual(late);
    const half = await serveRaw((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{'));
    expect(await faultAt(half, 100)).toEqual(late);
  });

  it('completely is broken', async () => {
    const broken = { code: 'unreachable', why: 'broken' };
    expect(await faultAt(await serveBytes(''))).toEqual(broken);
    expect(await faultAt(await serveBytes('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{}'))).toEqual(broken);
    expect(await faultAt(await serveBytes('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{}'))).toEqual(
      broken,
    );
  });

  it('in HTTP is not-a-bridge', async () => {
    expect(await faultAt(await serveBytes('SSH-2.0-OpenSSH_9.2\r\n'))).toEqual({ code: 'not-a-bridge' });
  });

  it('with a trusted certificate is tls', async () => {
    const tls = { code: 'unreachable', why: 'tls' };
    expect(await faultAt(await serveTls(makeCertificate('IP:127.0.0.1'), () => undefined))).toEqual(tls);
    expect(await faultAt(service.url.replace('http:', 'https:'))).toEqual(tls);
  });

  it('rejects the push with a PushError', async () => {
    expect(
      await failureOf(openPushClient({ ...REMOTE, baseUrl: 'http://127.0.0.1:6667' }).push('hall', [])),
    ).toBeInstanceOf(PushError);
  });
});
