import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { administer } from './admin.ts';
import type { SimulatedClock } from './clock.ts';
import type { SimulatedPlatform, Simulator } from './contract.ts';
import { answerWith, LOGIN_PATH, loginPage } from './effects.ts';
import type { Sent } from './effects.ts';
import { Faults, type SimulatedFault } from './faults.ts';
import { preciseNowMs, Recorder } from './recorder.ts';

/** A simulator that listens. */
export interface ServedSimulator extends Simulator {
  /** Without a trailing slash. */
  readonly url: string;
  /** Forgets what a process keeps in memory and ends every connection; the next one is accepted at once. */
  restart(): void;
  /** Ends every connection; resolves when nothing listens any more. */
  close(): Promise<void>;
}

/** Serves a platform on 127.0.0.1, in this process. Port 0, the default, takes a free one. */
export async function serve(
  platform: SimulatedPlatform,
  clock: SimulatedClock,
  { port = 0, faults: given = [] }: { readonly port?: number; readonly faults?: readonly SimulatedFault[] } = {},
): Promise<ServedSimulator> {
  const restart = (): void => {
    platform.restart?.();
    server.closeAllConnections();
  };
  const simulator = { platform, clock, recorder: new Recorder(), faults: new Faults(), restart };
  for (const fault of given) simulator.faults.switchOn(fault);
  const server = createServer((incoming, response) => void handle(simulator, incoming, response));
  // The bridge keeps its connections between two polls; the default of 5 s would make the bench measure TCP.
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', listening);
  });
  return {
    ...simulator,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function handle(
  simulator: Simulator & Pick<ServedSimulator, 'restart'>,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const arrivedMs = preciseNowMs();
  const [path = '/', ...rest] = (incoming.url ?? '/').split('?');
  const query = rest.join('?');
  const method = incoming.method ?? 'GET';
  const { recorder, faults } = simulator;
  const isAdmin = path.startsWith('/__admin/');
  const recorded = isAdmin ? null : recorder.arrive(method, path, query, arrivedMs);
  const leave: Leave = (status) => {
    if (recorded) recorder.leave(recorded, status);
  };
  response.once('close', () => leave(null));
  try {
    const body = await bodyOf(incoming);
    if (isAdmin) return await send(response, administer(simulator, method, path, body), leave);
    response.setHeader('date', new Date(simulator.clock.nowMs()).toUTCString());
    if (path === LOGIN_PATH) return await send(response, loginPage, leave);
    const effects = faults.meet(method, path);
    const request = { method, path, query: new URLSearchParams(query), headers: incoming.headers, body };
    const answer = await answerWith(simulator, request, effects);
    if (answer === 'hang') return;
    if (typeof answer !== 'string') return await send(response, answer, leave);
    response.socket?.resetAndDestroy();
    if (answer === 'restart') simulator.restart();
  } catch (cause) {
    // A client that gives up is no fault of the simulator; a test must see any other error.
    if (incoming.errored || response.destroyed) return;
    if (response.headersSent) return void response.destroy();
    await send(response, { status: 500, body: `simulator bug: ${String(cause)}` }, leave);
  }
}

type Leave = (status: number | null) => void;

/** Calls `leave` before the last byte leaves, so that a client that holds the answer finds it in the log. */
async function send(response: ServerResponse, answer: Sent, leave: Leave) {
  const { status, body, headers, isLostHalfWay, pauseMs } = answer;
  const bytes = typeof body === 'string' ? Buffer.from(body) : undefined;
  const length = bytes && { 'content-length': bytes.length };
  response.writeHead(status, { 'content-type': 'application/json', ...length, ...headers });
  if (bytes && isLostHalfWay) {
    return void response.write(bytes.subarray(0, bytes.length / 2), () => response.socket?.destroy());
  }
  if (typeof body !== 'string') {
    response.flushHeaders();
    for (const piece of body) {
      if (pauseMs !== undefined) await sleep(pauseMs);
      if (!response.write(piece)) await drained(response);
      if (response.destroyed) return;
    }
  }
  if (!response.destroyed) leave(status);
  response.end(bytes);
}

/** Resolves when the client has read enough, or has gone. */
async function drained(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('drain', resolve).once('close', resolve);
  if (!response.destroyed) await promise;
  response.off('drain', resolve).off('close', resolve);
}

function bodyOf(incoming: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let body = '';
  // Listeners cost less per request than an asynchronous iterator, and the benches send thousands of requests.
  incoming.setEncoding('utf8').on('data', (text: string) => (body += text));
  incoming.once('end', () => resolve(body)).once('error', reject);
  return promise;
}
