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
  const search = rest.join('?');
  const method = incoming.method ?? 'GET';
  const { recorder, faults } = simulator;
  const isAdmin = path.startsWith('/__admin/');
  const recorded = isAdmin ? null : recorder.arrive(method, path, search, arrivedMs);
  if (recorded) response.once('close', () => recorder.leave(recorded, null));
  const reply = new Reply(response, (status) => {
    if (recorded) recorder.leave(recorded, status);
  });
  try {
    const body = await bodyOf(incoming);
    if (isAdmin) return await reply.send(administer(simulator, method, path, body));
    const plain = { method, path, query: new URLSearchParams(search), headers: incoming.headers, body };
    const effects = faults.meet(method, path);
    await answerWith(simulator, { ...plain, pointEffects: effects.filter(isPointEffect) }, effects, reply);
  } catch (cause) {
    // A client that gives up is no fault of the simulator; a test must see any other error.
    if (incoming.errored || response.destroyed) return;
    if (response.headersSent) return void response.destroy();
    await reply.send({ status: 500, body: `simulator bug: ${String(cause)}` });
  }
}

async function answerWith(
  { platform }: Simulator,
  request: SimulatedRequest,
  effects: readonly SimulatedFault[],
  reply: Reply,
): Promise<void> {
  for (const effect of effects) {
    if (effect.kind === 'slow') await sleep(effect.delayMs);
    if (effect.kind === 'invalidate-tokens') platform.invalidateTokens(effect.tokens ?? 'all');
  }
  const ending = effects.find(isEnding);
  switch (ending?.kind) {
    case undefined:
      return await reply.send(platform.answer(request));
    case 'hang':
      return;
    case 'reset':
      return reply.reset();
    case 'status':
      return await reply.send(errorAnswer(platform, ending));
    case 'truncate': {
      const { body, ...rest } = whole(platform.answer(request));
      if (ending.lost === 'connection') return reply.loseHalf({ ...rest, body });
      return await reply.send({ ...rest, body: body.slice(0, body.length / 2) });
    }
    case 'wrong-shape':
      return await reply.send(misshapen(whole(platform.answer(request)), ending.shape));
  }
}

function errorAnswer(platform: SimulatedPlatform, effect: EndingEffect & { kind: 'status' }): SimulatedAnswer {
  const answer = platform.errorAnswer(effect.status);
  if (effect.retryAfterSeconds === undefined) return answer;
  // An HTTP date has whole seconds: rounded up, so that a client that waits for it never comes too early.
  const date = new Date(Math.ceil(Date.now() / 1000 + effect.retryAfterSeconds) * 1000).toUTCString();
  const retryAfter = effect.retryAfterAs === 'date' ? date : String(effect.retryAfterSeconds);
  return { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } };
}

type WholeAnswer = SimulatedAnswer & { readonly body: string };

function whole(answer: SimulatedAnswer): WholeAnswer {
  if (typeof answer.body === 'string') return { ...answer, body: answer.body };
  return { ...answer, body: Buffer.concat([...answer.body].map((piece) => Buffer.from(piece))).toString('utf8') };
}

function misshapen({ body }: WholeAnswer, shape: (EndingEffect & { kind: 'wrong-shape' })['shape']): SimulatedAnswer {
  const page = '<!doctype html><title>Sign in</title><form action="/login"><input name="user"></form>';
  if (shape === 'html') return { status: 200, body: page, headers: { 'content-type': 'text/html' } };
  if (shape === 'array') return { status: 200, body: '[1,"two",null]' };
  if (shape === 'object') return { status: 200, body: '{"status":500,"message":"an error inside a 200"}' };
  const documents = body.split('\n').filter((line) => line !== '');
  return { status: 200, body: documents.map((line) => JSON.stringify(exchangeTypes(JSON.parse(line)))).join('\n') };
}

/** Writes the answer to one request. The request is recorded before its last byte leaves, so a client finds it in the log. */
class Reply {
  readonly #response: ServerResponse;
  readonly #leave: (status: number) => void;

  constructor(response: ServerResponse, leave: (status: number) => void) {
    this.#response = response;
    this.#leave = leave;
  }

  async send({ status, body, headers }: SimulatedAnswer): Promise<void> {
    const type = { 'content-type': 'application/json' };
    if (typeof body === 'string') {
      const bytes = Buffer.from(body);
      this.#response.writeHead(status, { ...type, 'content-length': bytes.length, ...headers });
      if (!this.#response.destroyed) this.#leave(status);
      this.#response.end(bytes);
      return;
    }
    this.#response.writeHead(status, { ...type, ...headers });
    for (const piece of body) {
      if (!this.#response.write(piece)) await this.#drained();
      if (this.#response.destroyed) return;
    }
    this.#leave(status);
    this.#response.end();
  }

  /** Resolves when the client has read enough, or has gone. */
  async #drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#response.once('drain', resolve).once('close', resolve);
    if (!this.#response.destroyed) await promise;
    this.#response.off('drain', resolve).off('close', resolve);
  }

  reset(): void {
    this.#response.socket?.resetAndDestroy();
  }

  loseHalf(answer: WholeAnswer): void {
    const body = Buffer.from(answer.body);
    this.#response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': body.length });
    this.#response.write(body.subarray(0, body.length / 2), () => this.#response.socket?.destroy());
  }
}

function bodyOf(incoming: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let body = '';
  // Listeners cost less per request than an asynchronous iterator, and the benches send thousands of requests.
  incoming.setEncoding('utf8').on('data', (text: string) => (body += text));
  incoming.once('end', () => resolve(body)).once('error', reject);
  return promise;
}
