import { afterEach, describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { throttled } from '../../core/errors.ts';
import { newMeter } from './index.ts';
import { NOW, json, openRig, refusal, serve, tidyUp } from '../../../test/kit/connection-rig.ts';

afterEach(tidyUp);

const streamOf = async (rig: ReturnType<typeof openRig>): Promise<Readable> =>
  (await rig.http.get<Readable>('/', { responseType: 'stream' })).data;

const large = () => serve((_request, response) => response.end(Buffer.alloc(3_000_000)));

describe('the slot of a request', () => {
  it('is given back when the answer has been read', async () => {
    const rig = openRig(await serve((_request, response) => json(response, {})));
    await rig.http.get('/');
    expect(rig.slots).toEqual({ taken: 1, released: 1, held: [] });
  });

  it('is held while a stream is open and given back once, at its end', async () => {
    const rig = openRig(await large());
    const stream = await streamOf(rig);
    expect(rig.slots.released).toBe(0);
    let bytes = 0;
    for await (const chunk of stream) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(3_000_000);
    stream.destroy();
    stream.destroy(new Error('again'));
    await new Promise(setImmediate);
    expect(rig.slots.released).toBe(1);
    expect(rig.meter.bytesIn).toBeGreaterThan(3_000_000);
  });

  it('is given back when a stream is given up', async () => {
    const rig = openRig(await large());
    for await (const _chunk of await streamOf(rig)) break;
    await new Promise(setImmediate);
    expect(rig.slots.released).toBe(1);
  });

  it('is given back when a stream is destroyed unread', async () => {
    const rig = openRig(await large());
    const stream = await streamOf(rig);
    stream.destroy();
    await once(stream, 'close');
    expect(rig.slots.released).toBe(1);
  });

  it('is given back when a stream breaks off, and its reader gets a BridgeError', async () => {
    const rig = openRig(
      await serve((_request, response) => {
        response.writeHead(200, { 'content-length': 100 }).write('x');
        setImmediate(() => response.destroy());
      }),
    );
    const error = await refusal((await streamOf(rig)).toArray());
    expect(error.fault).toEqual({ code: 'unavailable', why: 'reset' });
    expect(rig.slots.released).toBe(1);
  });

  it('is given back when a stream is not read before its time limit', async () => {
    const rig = openRig(await large(), { limits: { totalMs: 1000 } });
    expect((await refusal(finished(await streamOf(rig)))).fault).toEqual({ code: 'too-much' });
    expect(rig.slots.released).toBe(1);
  });

  it('is held for a slow reader as long as the platform has sent its data', async () => {
    const rig = openRig(await large(), { limits: { idleMs: 100 } });
    const stream = await streamOf(rig);
    await new Promise((resolve) => setTimeout(resolve, 350));
    expect(stream.errored).toBe(null);
    let bytes = 0;
    for await (const chunk of stream) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(3_000_000);
  });

  it('is given back when the request fails', async () => {
    const rig = openRig(await serve((request) => request.socket.destroy()));
    await refusal(rig.http.get('/'));
    expect(rig.slots).toEqual({ taken: 1, released: 1, held: [] });
  });

  it('that the pacer refuses ends the request', async () => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      response.end();
    });
    const pacer = { slot: () => Promise.reject(throttled(NOW, 'quiet hours')), hold: async () => undefined };
    const error = await refusal(openRig(url, {}, { pacer }).http.get('/'));
    expect(error.fault).toEqual({ code: 'throttled', retryAt: NOW, stated: true });
    expect(asked).toBe(0);
  });

  it('that cannot be given back does not fail the request', async () => {
    const pacer = {
      slot: async () => ({ inDoubt: true, release: () => Promise.reject(new Error('away')) }),
      hold: async () => undefined,
    };
    const rig = openRig(await serve((_request, response) => json(response, 1)), {}, { pacer });
    expect((await rig.http.get('/')).data).toBe(1);
  });

  it('is asked for in the lane and with the signal of the conversation', async () => {
    const lanes: string[] = [];
    const pacer = {
      async slot(lane: string) {
        lanes.push(lane);
        return { inDoubt: true, release: () => undefined };
      },
      hold: async () => undefined,
    };
    const rig = openRig(await serve((_request, response) => json(response, 1)), {}, { pacer });
    const { signal } = rig.abort;
    await rig.connection.http({ lane: 'history', signal, meter: newMeter() }).get('/');
    await rig.http.get('/');
    expect(lanes).toEqual(['history', 'live']);
  });
});

describe('close', () => {
  it('cancels the requests under way and waits for their slots', async () => {
    const rig = openRig(await serve((_request, response) => response.write('[')));
    const stream = await streamOf(rig);
    const read = refusal(stream.toArray());
    await rig.connection.close();
    expect(rig.slots).toEqual({ taken: 1, released: 1, held: [] });
    expect((await read).fault).toEqual({ code: 'cancelled' });
    expect((await refusal(rig.http.get('/'))).fault).toEqual({ code: 'cancelled' });
  });
});

it('a connection keeps its TCP connections from one conversation to the next', async () => {
  const ports = new Set<number | undefined>();
  const rig = openRig(
    await serve((request, response) => {
      ports.add(request.socket.remotePort);
      json(response, 1);
    }),
  );
  await rig.http.get('/');
  await rig.connection.http({ lane: 'live', signal: rig.abort.signal, meter: newMeter() }).get('/');
  expect(ports.size).toBe(1);
});

it('the meter counts both directions of each request', async () => {
  const rig = openRig(
    await serve((request, response) => {
      request.resume().on('end', () => json(response, 'x'.repeat(1000)));
    }),
  );
  await rig.http.post('/', 'y'.repeat(5000));
  const first = { ...rig.meter };
  await rig.http.get('/');
  expect(first.bytesOut).toBeGreaterThan(5000);
  expect(rig.meter.bytesOut - first.bytesOut).toBeLessThan(1000);
  expect(rig.meter.bytesIn - first.bytesIn).toBeGreaterThan(1000);
  expect(rig.meter.requests).toBe(2);
  expect(rig.meter.httpMs).toBeGreaterThan(first.httpMs);
});

it('a request ignores the proxy settings of the environment', async () => {
  const url = await serve((_request, response) => json(response, 'direct'));
  const proxies = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'];
  const before = proxies.map((name) => [name, process.env[name]] as const);
  for (const name of proxies) process.env[name] = 'http://127.0.0.1:1';
  try {
    expect((await openRig(url).http.get('/')).data).toBe('direct');
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});

it('a request that its conversation does not allow gives its slot back unsent', async () => {
  const { connection, meter, abort, slots } = openRig(await serve((_request, response) => json(response, {})));
  const asked: boolean[] = [];
  const allow = async (login: boolean): Promise<void> => {
    asked.push(login);
    if (asked.length === 2) throw throttled(NOW, 'enough');
  };
  const http = connection.http({ lane: 'history', signal: abort.signal, meter, allow });
  await http.get('/');
  expect(await refusal(http.get('/'))).toMatchObject({ message: 'enough' });
  expect(asked).toEqual([false, false]);
  expect(meter.requests).toBe(1);
  expect(slots).toMatchObject({ taken: 2, released: 2 });
});
