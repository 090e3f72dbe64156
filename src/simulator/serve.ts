import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { administer } from './admin.ts';
import type { SimulatedClock } from './clock.ts';
import type { SimulatedAnswer, SimulatedPlatform, SimulatedRequest, Simulator } from './contract.ts';
import { exchangeTypes } from './distort.ts';
import { Faults, isEnding, isPointEffect, type EndingEffect, type SimulatedFault } from './faults.ts';
import { preciseNowMs, Recorder } from './recorder.ts';

/** A simulator that listens. */
export interface ServedSimulator extends Simulator {
  /** Without a trailing slash. */
  readonly url: string;
  /** Ends every connection; resolves when nothing listens any more. */
  close(): Promise<void>;
}

/** Serves a platform on 127.0.0.1, in this process. Port 0, the default, takes a free one. */
export async function serve(
  platform: SimulatedPlatform,
  clock: SimulatedClock,
  { port = 0, faults: given = [] }: { readonly port?: number; readonly faults?: readonly SimulatedFault[] } = {},
): Promise<ServedSimulator> {
  const simulator = { platform, clock, recorder: new Recorder(), faults: new Faults() };
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

async function handle(simulator: Simulator, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
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
    const effects = faults.meet(method, path);
    const request = { method, path, query: new URLSearchParams(query), headers: incoming.headers, body };
    const answer = await answerWith(simulator, { ...request, pointEffects: effects.filter(isPointEffect) }, effects);
    if (answer === 'reset') response.socket?.resetAndDestroy();
    else if (answer !== 'hang') await send(response, answer, leave);
  } catch (cause) {
    // A client that gives up is no fault of the simulator; a test must see any other error.
    if (incoming.errored || response.destroyed) return;
    if (response.headersSent) return void response.destroy();
    await send(response, { status: 500, body: `simulator bug: ${String(cause)}` }, leave);
  }
}

async function answerWith(
  { platform, clock }: Simulator,
  request: SimulatedRequest,
  effects: readonly SimulatedFault[],
): Promise<Sent | 'hang' | 'reset'> {
  for (const effect of effects) {
    if (effect.kind === 'slow') await sleep(effect.delayMs);
    if (effect.kind === 'invalidate-tokens') platform.invalidateTokens(effect.tokens ?? 'all');
  }
  const ending = effects.find(isEnding);
  switch (ending?.kind) {
    case undefined:
      return platform.answer(request);
    case 'hang':
    case 'reset':
      return ending.kind;
    case 'status':
      return errorAnswer(platform, ending, clock);
    case 'truncate': {
      const answer = platform.answer(request);
      const body = textOf(answer);
      if (ending.lost === 'connection') return { ...answer, body, isLostHalfWay: true };
      return { ...answer, body: body.slice(0, body.length / 2) };
    }
    case 'wrong-shape':
      return { status: 200, ...misshapen(textOf(platform.answer(request)), ending.shape) };
  }
}

function errorAnswer(
  platform: SimulatedPlatform,
  effect: EndingEffect & { kind: 'status' },
  clock: SimulatedClock,
): SimulatedAnswer {
  const answer = platform.errorAnswer(effect.status);
  if (effect.retryAfterSeconds === undefined) return answer;
  // An HTTP date has whole seconds: rounded up, so that a client that waits for it never comes too early.
  const date = new Date(Math.ceil(clock.nowMs() / 1000 + effect.retryAfterSeconds) * 1000).toUTCString();
  const retryAfter = effect.retryAfterAs === 'date' ? date : String(effect.retryAfterSeconds);
  return { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } };
}

function misshapen(body: string, shape: (EndingEffect & { kind: 'wrong-shape' })['shape']) {
  const page = '<!doctype html><title>Sign in</title><form action="/login"><input name="user"></form>';
  if (shape === 'html') return { body: page, headers: { 'content-type': 'text/html' } };
  if (shape === 'array') return { body: '[1,"two",null]' };
  if (shape === 'object') return { body: '{"status":500,"message":"an error inside a 200"}' };
  const documents = body.split('\n').filter((line) => line !== '');
  return { body: documents.map((line) => JSON.stringify(exchangeTypes(JSON.parse(line)))).join('\n') };
}

function textOf({ body }: SimulatedAnswer): string {
  if (typeof body === 'string') return body;
  return Buffer.concat([...body].map((piece) => Buffer.from(piece))).toString('utf8');
}

interface Sent extends SimulatedAnswer {
  /** The connection ends after half of the body. */
  readonly isLostHalfWay?: boolean;
}

type Leave = (status: number | null) => void;

/** Calls `leave` before the last byte leaves, so that a client that holds the answer finds it in the log. */
async function send(response: ServerResponse, { status, body, headers, isLostHalfWay }: Sent, leave: Leave) {
  const bytes = typeof body === 'string' ? Buffer.from(body) : undefined;
  const length = bytes && { 'content-length': bytes.length };
  response.writeHead(status, { 'content-type': 'application/json', ...length, ...headers });
  if (bytes && isLostHalfWay) {
    return void response.write(bytes.subarray(0, bytes.length / 2), () => response.socket?.destroy());
  }
  if (typeof body !== 'string') {
    for (const piece of body) {
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
