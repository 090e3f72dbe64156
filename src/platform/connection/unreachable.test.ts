import { afterEach, describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { openRig, refusal, resolvesTo, serve, serveBytes, serveRaw, tidyUp } from '../../../test/kit/connection-rig.ts';

afterEach(tidyUp);

const ask = (rig: ReturnType<typeof openRig>) => refusal(rig.http.get('/data'));

describe('a platform that cannot be reached', () => {
  it('has a name that does not resolve', async () => {
    const error = await ask(openRig('http://nowhere.invalid:8086'));
    expect(error.fault).toEqual({ code: 'unavailable', why: 'name' });
    expect(error.message).toMatch(/^connecting to http:\/\/nowhere\.invalid:8086: the (host name|name server)/);
    expect(error.remedy).toMatch(/spelling/);
  });

  it('refuses connections', async () => {
    const url = await serve(() => undefined);
    await tidyUp();
    const error = await ask(openRig(url));
    expect(error.fault).toEqual({ code: 'unavailable', why: 'refused' });
    expect(error.message).toBe(`connecting to ${url}: connection refused`);
  });

  it('refuses connections on each of its addresses', async () => {
    const port = new URL(await serve(() => undefined)).port;
    await tidyUp();
    const error = await ask(openRig(`http://plant.test:${port}`, {}, { lookup: resolvesTo('127.0.0.1', '127.0.0.2') }));
    expect(error.fault).toEqual({ code: 'unavailable', why: 'refused' });
  });

  it('does not answer TCP at all', async () => {
    // A listener with the shortest queue whose thread never accepts: once the queue is full, SYNs go unanswered.
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads');
       const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
         parentPort.postMessage(server.address().port);
         setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
       });`,
      { eval: true },
    );
    const [port] = (await once(worker, 'message')) as [number];
    const fillers = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    try {
      await Promise.race(fillers.map((filler) => once(filler, 'connect')));
      const error = await ask(openRig(`http://127.0.0.1:${port}`, { limits: { connectMs: 200 } }));
      expect(error.fault).toEqual({ code: 'unavailable', why: 'time-out' });
      expect(error.message).toBe(`connecting to http://127.0.0.1:${port}: no answer within 200 ms`);
    } finally {
      for (const filler of fillers) filler.destroy();
      await worker.terminate();
    }
  });

  it('has a name server that does not answer', async () => {
    const error = await ask(openRig('http://plant.test', { limits: { connectMs: 30 } }, { lookup: () => undefined }));
    expect(error.fault).toEqual({ code: 'unavailable', why: 'time-out' });
  });

  it('accepts TCP and never answers the TLS handshake', async () => {
    const url = await serveRaw(() => undefined, 'https');
    const error = await ask(openRig(url, { limits: { connectMs: 50 } }));
    expect(error.fault).toEqual({ code: 'unavailable', why: 'time-out' });
    expect(error.message).toMatch(/^connecting to /);
  });

  it('accepts a request and never answers', async () => {
    const url = await serve(() => undefined);
    const error = await ask(openRig(url, { limits: { headersMs: 50 } }));
    expect(error.fault).toEqual({ code: 'unavailable', why: 'time-out' });
    expect(error.message).toBe(`GET ${url}/data: no answer in 50 ms, though connected`);
  });

  it('takes longer than the total limit before it answers', async () => {
    const error = await ask(openRig(await serve(() => undefined), { limits: { totalMs: 50 } }));
    expect(error.fault).toEqual({ code: 'unavailable', why: 'time-out' });
  });

  it('falls silent in the middle of its answer', async () => {
    const url = await serve((_request, response) => response.write('['));
    const error = await ask(openRig(url, { limits: { idleMs: 50 } }));
    expect(error.fault).toEqual({ code: 'unavailable', why: 'time-out' });
    expect(error.message).toMatch(/nothing more came for 50 ms/);
  });

  it('sends for longer than the total limit, which is too-much', async () => {
    const url = await serve((_request, response) => {
      const drip = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(drip));
    });
    const error = await ask(openRig(url, { limits: { totalMs: 1000 } }));
    expect(error.fault).toEqual({ code: 'too-much' });
  });

  it('hangs up before it answers', async () => {
    const url = await serve((request) => request.socket.destroy());
    const error = await ask(openRig(url));
    expect(error.fault).toEqual({ code: 'unavailable', why: 'reset' });
    expect(error.message).toBe(`GET ${url}/data: the connection was closed before an answer came`);
  });

  it.each([
    ['its stated length', 'Content-Length: 100\r\n\r\n[1,'],
    ['its last chunk', 'Transfer-Encoding: chunked\r\n\r\n3\r\n[1,\r\n'],
    ['the end of its JSON, with nothing else to tell the end', 'Connection: close\r\n\r\n[1,'],
    ['the end of a text in it', 'Connection: close\r\n\r\n["a'],
  ])('breaks off before %s', async (_what, rest) => {
    const url = await serveBytes(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${rest}`);
    const error = await ask(openRig(url));
    expect(error.fault).toEqual({ code: 'unavailable', why: 'reset' });
    expect(error.message).toMatch(/broke off/);
  });
});

describe('a port that speaks another protocol', () => {
  it('sends something that is not HTTP', async () => {
    const error = await ask(openRig(await serveBytes('SSH-2.0-OpenSSH_9.2\r\n')));
    expect(error.fault).toEqual({ code: 'contract-broken' });
    expect(error.message).toMatch(/is not HTTP/);
  });

  it('sends a head that is too large', async () => {
    const url = await serve((_request, response) => response.setHeader('x-large', 'x'.repeat(9000)).end());
    const error = await ask(openRig(url, { limits: { maxHeaderBytes: 4096 } }));
    expect(error.fault).toEqual({ code: 'contract-broken' });
    expect(error.message).toMatch(/head of the answer is too large/);
  });

  it('speaks plain http where https was expected', async () => {
    const url = (await serve((_request, response) => response.end('{}'))).replace('http:', 'https:');
    const error = await ask(openRig(url));
    expect(error.fault).toEqual({ code: 'unavailable', why: 'tls' });
    expect(error.message).toBe(`connecting to ${url}: the port speaks plain http, not https`);
    expect(error.remedy).toMatch(/http:\/\//);
  });

  it('answers plain http with a TLS alert', async () => {
    const error = await ask(openRig(await serveBytes(Buffer.from([0x15, 3, 1, 0, 2, 2, 70]))));
    expect(error.fault).toEqual({ code: 'unavailable', why: 'tls' });
    expect(error.remedy).toMatch(/https:\/\//);
  });

  it('explains in words that it wants https, as nginx does', async () => {
    const url = await serve((_request, response) =>
      response.writeHead(400).end('<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>'),
    );
    expect((await ask(openRig(url))).fault).toEqual({ code: 'unavailable', why: 'tls' });
  });
});

describe('a caller that cancels', () => {
  it('before its request sends nothing', async () => {
    const rig = openRig(await serve((_request, response) => response.end('{}')));
    rig.abort.abort();
    expect((await ask(rig)).fault).toEqual({ code: 'cancelled' });
    expect(rig.slots).toEqual({ taken: 0, released: 0, held: [] });
  });

  it('while it waits for the answer gets cancelled', async () => {
    const rig = openRig(await serve(() => rig.abort.abort()));
    expect((await ask(rig)).fault).toEqual({ code: 'cancelled' });
  });

  it('with the signal of one request gets cancelled', async () => {
    const mine = new AbortController();
    const rig = openRig(await serve(() => mine.abort()));
    expect((await refusal(rig.http.get('/', { signal: mine.signal }))).fault).toEqual({ code: 'cancelled' });
  });

  it('in the middle of a stream gets cancelled', async () => {
    const rig = openRig(await serve((_request, response) => response.write('[')));
    const { data } = await rig.http.get<Socket>('/', { responseType: 'stream' });
    const read = refusal(data.toArray());
    rig.abort.abort();
    expect((await read).fault).toEqual({ code: 'cancelled' });
  });
});

describe('a kept connection that went stale', () => {
  it('is replaced once for a request that is safe to repeat', async () => {
    let asked = 0;
    const url = await serve((request, response) => {
      asked += 1;
      if (asked === 2) request.socket.destroy();
      else response.end('{}');
    });
    const rig = openRig(url);
    await rig.http.get('/');
    await rig.http.get('/');
    expect(asked).toBe(3);
    expect(rig.meter.requests).toBe(3);
    expect(rig.slots).toEqual({ taken: 3, released: 3, held: [] });
  });

  it('is an error for a POST', async () => {
    let asked = 0;
    const url = await serve((request, response) => {
      asked += 1;
      if (asked === 2) request.socket.destroy();
      else response.end('{}');
    });
    const rig = openRig(url);
    await rig.http.post('/');
    expect((await refusal(rig.http.post('/'))).fault).toEqual({ code: 'unavailable', why: 'reset' });
    expect(asked).toBe(2);
  });
});
