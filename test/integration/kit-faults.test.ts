import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { differencesOf, type Point } from '../kit/point.ts';
import { type Proxy, startProxy } from '../kit/proxy.ts';
import { mostInAnySecond } from '../kit/sliding-second.ts';

let echo: Server;
let proxy: Proxy;
let clients: Socket[] = [];

beforeAll(async () => {
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  await once(echo.listen(0, '127.0.0.1'), 'listening');
});
beforeEach(async () => {
  proxy = await startProxy({ port: (echo.address() as AddressInfo).port });
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  clients = [];
  await proxy.close();
});
afterAll(async () => {
  await new Promise((resolve) => echo.close(resolve));
  assertNothingLeaked();
});

interface Client {
  readonly socket: Socket;
  readonly received: () => string;
  /** How the connection ended: `end` for a FIN, otherwise the code of the error. */
  readonly finished: Promise<string>;
}

function dial(port = proxy.port): Client {
  const socket = connect(port, '127.0.0.1');
  clients.push(socket);
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  const finished = new Promise<string>((resolve) => {
    socket.once('end', () => resolve('end')).once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
  });
  return { socket, received: () => received, finished };
}

/** A connection through which one exchange has gone. */
async function connected(): Promise<Client> {
  const client = dial();
  client.socket.write('hello');
  await expect.poll(client.received).toBe('hello');
  return client;
}

/** Makes an exchange past the proxy. Bytes that the proxy lets through have arrived when it is over. */
async function exchangeBeside(): Promise<void> {
  const beside = dial((echo.address() as AddressInfo).port);
  beside.socket.end('beside');
  expect(await beside.finished).toBe('end');
  for (let turns = 0; turns < 20; turns += 1) await turn();
}

test('a proxy without a fault passes megabytes and ends unchanged, and counts them', async () => {
  const client = dial();
  const text = Array.from({ length: 600_000 }, (_, index) => index % 10)
    .join('')
    .repeat(10);
  client.socket.end(text);
  expect(await client.finished).toBe('end');
  expect(client.received() === text).toBe(true);
  await expect.poll(() => proxy.open()).toBe(0);
  await connected();
  expect([proxy.opened(), proxy.open(), proxy.bytesToClients()]).toEqual([2, 1, text.length + 5]);
});

test('refuses new connections while present ones go on, and accepts again on the same port once healed', async () => {
  const present = await connected();
  await proxy.set({ connections: 'refuse' });
  expect(await dial().finished).toBe('ECONNREFUSED');
  present.socket.write(' again');
  await expect.poll(present.received).toBe('hello again');
  await proxy.set({});
  await connected();
  expect(proxy.opened()).toBe(2);
});

test('resets new connections, and present ones on demand', async () => {
  const present = await connected();
  await proxy.set({ connections: 'reset' });
  expect(await dial().finished).toBe('ECONNRESET');
  proxy.reset();
  expect(await present.finished).toBe('ECONNRESET');
  await expect.poll(() => proxy.open()).toBe(0);
});

test('cuts present connections with a FIN', async () => {
  const present = await connected();
  proxy.cut();
  expect(await present.finished).toBe('end');
  await connected();
});

test('stalled, accepts connections and passes no byte; healed, passes all of them', async () => {
  const present = await connected();
  await proxy.set({ stalled: true });
  const late = dial();
  for (const client of [present, late]) client.socket.end(' later');
  await exchangeBeside();
  expect([proxy.opened(), present.received(), late.received()]).toEqual([2, 'hello', '']);
  await proxy.set({});
  expect(await Promise.all([present.finished, late.finished])).toEqual(['end', 'end']);
  expect([present.received(), late.received()]).toEqual(['hello later', ' later']);
});

test('delays bytes and keeps their order, and a shorter delay ends the longer wait', async () => {
  await proxy.set({ latencyMs: 3_600_000 });
  const client = dial();
  client.socket.write('one ');
  await exchangeBeside();
  expect([proxy.open(), client.received()]).toEqual([1, '']);
  await proxy.set({ latencyMs: 5 });
  for (const text of ['two ', 'three ', 'four']) client.socket.write(text);
  await expect.poll(client.received).toBe('one two three four');
});

test('limits the bandwidth towards the client until it is healed', async () => {
  await proxy.set({ bytesPerSecond: 20 });
  const client = dial();
  client.socket.end('0123456789'.repeat(100));
  await expect.poll(client.received).not.toBe('');
  expect(client.received().length).toBeLessThan(1_000);
  await proxy.set({});
  expect(await client.finished).toBe('end');
  expect(client.received()).toBe('0123456789'.repeat(100));
});

test('truncates each connection after a number of bytes', async () => {
  await proxy.set({ truncateAfterBytes: 7 });
  for (const client of [dial(), dial()]) {
    client.socket.write('0123456789');
    expect(await client.finished).toBe('end');
    expect(client.received()).toBe('0123456');
  }
});

test('truncates with a FIN, so that a client that reads late gets every byte that was passed on', async () => {
  await proxy.set({ truncateAfterBytes: 400_000 });
  const client = dial();
  client.socket.pause();
  client.socket.write('x'.repeat(500_000));
  await expect.poll(() => proxy.bytesToClients()).toBe(400_000);
  await exchangeBeside();
  client.socket.resume();
  expect(await client.finished).toBe('end');
  expect(client.received()).toHaveLength(400_000);
});

test('resets its clients where no server listens', async () => {
  const orphan = await startProxy({ port: 1 });
  expect(await dial(orphan.port).finished).toBe('ECONNRESET');
  await orphan.close();
});

test('mostInAnySecond counts events in any second, not in seconds of the clock', () => {
  expect(mostInAnySecond([])).toBe(0);
  expect(mostInAnySecond([0, 1_000, 2_000])).toBe(1);
  expect(mostInAnySecond([900, 1_100, 1_899.9, 1_900, 5_000])).toBe(3);
  expect(mostInAnySecond([3_000, 0, 500, 999])).toBe(3);
});

test('differencesOf counts missing, unexpected, changed and repeated points', () => {
  const point = (at: number, value: Point['value'], tags = {}): Point => ({
    measurement: 'm',
    tags,
    field: 'f',
    at,
    value,
  });
  const expected = [point(1, 0), point(2, 5), point(3, 'x'), point(1, true, { a: 'b' })];
  expect(differencesOf(expected, expected.toReversed())).toMatchObject({
    missing: 0,
    unexpected: 0,
    changed: 0,
    repeated: 0,
  });
  const actual = [point(1, '0'), point(2, 5), point(2, 5), point(4, 'x'), point(1, true, { a: 'c' })];
  expect(differencesOf(expected, actual)).toEqual({
    missing: 2,
    unexpected: 2,
    changed: 1,
    repeated: 1,
    examples: expect.arrayContaining(['changed: ["m",[],"f"] at 1: [0,"0"]']) as unknown,
  });
});
