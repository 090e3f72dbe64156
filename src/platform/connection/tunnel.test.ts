import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  basic,
  json,
  makeCertificate,
  openRig,
  refusal,
  resolvesTo,
  serve,
  serveBytes,
  serveRaw,
  serveTls,
  tidyUp,
} from '../../../test/kit/connection-rig.ts';
import type { Rig } from '../../../test/kit/connection-rig.ts';
import { startConnectProxy } from '../../../test/kit/connect-proxy.ts';
import type { ConnectProxy } from '../../../test/kit/connect-proxy.ts';
import { memoryAccount } from './account.ts';
import type { ConnectionParts, ConnectionSettings } from './index.ts';

let proxy: ConnectProxy;
beforeEach(async () => {
  proxy = await startConnectProxy();
});
afterEach(async () => {
  await tidyUp();
  await proxy.close();
});

const unknown: ConnectionParts['lookup'] = (_host, _options, done) =>
  done(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), '');
const portOf = (url: string): string => new URL(url).port;
const at = (url: string, host = 'plant.test'): string => url.replace('127.0.0.1', host);
const rigOf = (
  url: string,
  settings: Partial<ConnectionSettings> = {},
  parts: Partial<ConnectionParts> = {},
  proxyUrl = proxy.url,
): Rig => openRig(url, { proxy: { url: proxyUrl, exceptions: [] }, ...settings }, { lookup: unknown, ...parts });

describe('a request through a proxy', () => {
  test('goes in a tunnel, which is kept, over http as over https', async () => {
    const certificate = makeCertificate('DNS:plant.test');
    const plain = at(await serve((_request, response) => json(response, { secure: false })));
    const secure = at(await serveTls(certificate, (_request, response) => json(response, { secure: true })));
    const [open, closed] = [rigOf(plain), rigOf(secure, { tls: { ca: certificate.cert } })];
    for (const _ of [1, 2]) {
      expect((await open.http.get('/')).data).toEqual({ secure: false });
      expect((await closed.http.get('/')).data).toEqual({ secure: true });
    }
    expect(proxy.asked).toEqual([`plant.test:${portOf(plain)}`, `plant.test:${portOf(secure)}`]);
    expect(proxy.plain()).toBe(0);
    expect(open.meter.bytesIn).toBeGreaterThan(0);
  });

  test('gives the platform no password of the proxy, and the proxy none of the platform', async () => {
    await proxy.close();
    proxy = await startConnectProxy('bridge:pa:ss/wo%rd');
    const seen: unknown[] = [];
    const url = await serve((request, response) => json(response, seen.push(request.headers)));
    const given = proxy.url.replace('//', '//bridge:pa%3Ass%2Fwo%25rd@');
    await rigOf(at(url), {}, {}, given).http.get('/');
    expect(JSON.stringify(seen)).not.toContain('proxy-authorization');
    proxy.refuse(502);
    const other = await refusal(rigOf(at(url, 'other.test'), {}, {}, given).http.get('/'));
    expect(other.message + other.remedy).not.toContain('pa:ss');
  });

  test('goes directly to an exception and to this machine', async () => {
    const url = await serve((_request, response) => json(response, {}));
    await rigOf(url).http.get('/');
    const exceptions = ['plant.test'];
    await rigOf(at(url), { proxy: { url: proxy.url, exceptions } }, { lookup: resolvesTo('127.0.0.1') }).http.get('/');
    expect(proxy.asked).toEqual([]);
  });

  test('is still subject to the guard', async () => {
    const url = await serve((_request, response) => json(response, {}));
    const blocked = { code: 'unavailable', why: 'blocked' };
    const refused = [
      rigOf(at(url, '169.254.169.254')),
      rigOf(at(url), { allowHosts: ['other.test'] }),
      rigOf(at(url), {}, { lookup: resolvesTo('10.0.0.1', '169.254.169.254') }),
    ];
    for (const rig of refused) expect((await refusal(rig.http.get('/'))).fault).toEqual(blocked);
    expect(proxy.asked).toEqual([]);
    await rigOf(at(url), { allowHosts: ['plant.test'] }).http.get('/');
    expect(proxy.asked).toHaveLength(1);
  });

  test('does not wait for a name server that is silent', { timeout: 20_000 }, async () => {
    const url = await serve((_request, response) => json(response, {}));
    expect((await rigOf(at(url), {}, { lookup: () => undefined }).http.get('/')).data).toEqual({});
  });
});

describe('a fault of the proxy', () => {
  const faultOf = async (rig: Rig): Promise<{ message: string; remedy: string }> => {
    const { fault, message, remedy = '' } = await refusal(rig.http.get('/'));
    expect(fault).toEqual({ code: 'unavailable', why: 'proxy' });
    return { message, remedy };
  };

  test.each([
    [407, /and asks for Basic$/, /user and password of the proxy before the host/],
    [401, /401 Unauthorized for plant.test:80$/, /allow tunnels/],
    [403, /403 Forbidden for plant.test:80$/, /allow tunnels/],
    [429, /429 Too Many Requests/, /allow tunnels/],
    [503, /it does not reach plant.test:80$/, /NO_PROXY/],
  ])('with status %i is none of the platform, and its credentials were not refused', async (status, said, todo) => {
    proxy.refuse(status);
    const account = memoryAccount();
    const credentials = { username: 'u', password: 'p' };
    const rig = rigOf('http://plant.test', { authorisation: basic, credentials }, { account });
    for (const _ of [1, 2, 3]) {
      const { message, remedy } = await faultOf(rig);
      expect(message).toMatch(said);
      expect(message).toContain(`the proxy ${proxy.url} answers ${status}`);
      expect(remedy).toMatch(todo);
    }
    expect(account.refusedRequests()).toBe(0);
    expect(rig.slots).toEqual({ taken: 3, released: 3, held: [] });
    expect(proxy.asked).toHaveLength(3);
  });

  test('that refuses, has no known name or breaks off is told as one of the proxy', async () => {
    const gone = await startConnectProxy();
    await gone.close();
    const cuts = await serveRaw((socket) => socket.destroy());
    for (const [url, words] of [
      [gone.url, 'connection refused'],
      ['http://proxy.invalid:3128', /the (host name|name server)/],
      [cuts, 'the connection broke off'],
    ] as const) {
      const { message, remedy } = await faultOf(rigOf('http://plant.test', {}, {}, url));
      expect(message).toMatch(words);
      expect(message).toContain(`the proxy ${url}`);
      expect(remedy).toContain('DATABRIDGE_EGRESS_PROXY');
    }
  });

  test('that speaks no HTTP, or sends bytes into the tunnel, is told', async () => {
    for (const bytes of ['\x05\xff', 'HTTP/1.1 200 OK\r\n\r\n<html>']) {
      const { remedy } = await faultOf(rigOf('http://plant.test', {}, {}, await serveBytes(bytes)));
      expect(remedy).toContain('SOCKS');
    }
  });

  test('that never answers names the proxy', async () => {
    const silent = await serveRaw(() => undefined);
    const rig = rigOf('https://plant.test', { limits: { connectMs: 100 } }, {}, silent);
    expect((await faultOf(rig)).message).toBe(
      `connecting to https://plant.test through the proxy ${silent}: no answer within 100 ms`,
    );
  });

  test('that never answers holds no request that is cancelled', async () => {
    const rig = rigOf('http://plant.test', {}, {}, await serveRaw(() => rig.abort.abort()));
    expect((await refusal(rig.http.get('/'))).fault).toEqual({ code: 'cancelled' });
  });
});
