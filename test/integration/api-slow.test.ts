import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { readingsIn } from '../kit/stored-source.ts';
import { PATH, startApi } from './api-rig.ts';
import type { ApiUnderTest } from './api-rig.ts';

const databases = useDatabases();
let api: ApiUnderTest;

beforeAll(async () => {
  api = await startApi(databases, {
    DATABRIDGE_API_REQUEST_SECONDS: '3',
    DATABRIDGE_API_BODY_BYTES: '65536',
    DATABRIDGE_API_WAITING_BYTES: '1048576',
  });
});

afterAll(async () => {
  await api.close();
});

const good = { sensorId: 'a', date: '2026-11-20T08:15:30Z', value: 1 };

/** Opens a connection and sends text. `ended` is all it receives until the API closes it. */
async function open(text: string): Promise<{ socket: Socket; ended: Promise<string> }> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (more: string) => (answer += more));
  socket.on('error', () => undefined);
  // Not by `once`, which fails at an error: writing into a connection that was cut off causes one.
  const ended = new Promise<string>((resolve) => socket.on('close', () => resolve(answer)));
  await once(socket, 'connect');
  socket.write(text);
  return { socket, ended };
}

const head = (length: number): string =>
  `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.client.token}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

describe('a slow client', () => {
  it('is cut off while it sends its header', async () => {
    const { ended } = await open('POST /v0/oauth2/token HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    expect(await ended).toMatch(/^HTTP\/1\.1 408 .*application\/problem\+json/s);
  });

  it('is cut off while it sends its body byte by byte, and 50 of them do not block another client', async () => {
    const slow = await Promise.all(Array.from({ length: 50 }, () => open(head(50_000))));
    let dripping = true;
    const drip = (async () => {
      while (dripping) {
        for (const { socket } of slow) if (socket.writable) socket.write(' ');
        await sleep(50);
      }
    })();
    expect(await api.push([good])).toMatchObject({ status: 200 });
    for (const { ended } of slow) expect(await ended).toMatch(/^HTTP\/1\.1 408 |^$/);
    dripping = false;
    await drip;
  });

  it('holds no memory after it has closed the connection in the middle of its body', async () => {
    for (let round = 0; round < 3; round += 1) {
      const half = await Promise.all(
        // Together more than the room, if each kept its memory.
        Array.from({ length: 10 }, () => open(`${head(60_000)}[${' '.repeat(40_000)}`)),
      );
      await sleep(100);
      for (const { socket } of half) socket.destroy();
      await Promise.all(half.map(({ ended }) => ended));
    }
    const large = `[${JSON.stringify(good)}${' '.repeat(60_000)}]`;
    let answer = await api.push(large);
    // The API may notice the end of the last connection a moment later.
    while (answer.status === 503) answer = await api.push(large);
    expect(answer).toMatchObject({ status: 200 });
  });
});

describe('two requests in one', () => {
  it('with conflicting lengths are answered 400, and the hidden one is not run', async () => {
    const body = JSON.stringify([{ ...good, sensorId: 'smuggled' }]);
    const smuggle = [
      `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.client.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${body}`,
      `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.client.token}\r\nContent-Length: 0\r\nContent-Length: ${body.length}\r\nContent-Type: application/json\r\n\r\n${body}`,
      'nonsense\r\n\r\n',
    ];
    for (const text of smuggle) {
      const { ended } = await open(text);
      expect(await ended).toMatch(/^HTTP\/1\.1 400 .*application\/problem\+json/s);
    }
    expect((await readingsIn(api.database)).join()).not.toContain('smuggled');
  });
});
