import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { administer } from './admin.ts';
import type { SimulatedClock } from './clock.ts';
import { exchangeTypes } from './distort.ts';
import { Faults, isEnding, isPointEffect, type Effect, type EndingEffect, type PointEffect } from './faults.ts';
import { preciseNowMs, Recorder, type RecordedRequest } from './recorder.ts';

export interface SimulatedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Faults the platform must work into the points it answers with. */
  readonly pointEffects: readonly PointEffect[];
}

export interface SimulatedAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a simulated product is, beneath the faults, the recording and the admin endpoints all simulators share. */
export interface SimulatedPlatform {
  answer(request: SimulatedRequest): SimulatedAnswer;
  /** The body the product sends with an error status it did not come to by itself. */
  errorBody(status: number): SimulatedAnswer;
  invalidateTokens(tokens: 'all' | 'access'): void;
  /** What `GET /__admin/state` shows: plain JSON, no credentials. */
  state(): unknown;
}

export interface Simulator {
  readonly platform: SimulatedPlatform;
  readonly clock: SimulatedClock;
  readonly recorder: Recorder;
  readonly faults: Faults;
}

/** Listens on 127.0.0.1; port 0 takes a free one. Resolves to the base URL, without a trailing slash. */
export async function serve(platform: SimulatedPlatform, clock: SimulatedClock, port: number): Promise<string> {
  const simulator = { platform, clock, recorder: new Recorder(), faults: new Faults() };
  const server: Server = createServer((incoming, response) => void handle(simulator, incoming, response));
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', listening);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function handle(simulator: Simulator, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const arrivedMs = preciseNowMs();
  const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
  const method = incoming.method ?? 'GET';
  const isAdmin = url.pathname.startsWith('/__admin/');
  const recorded = isAdmin ? null : simulator.recorder.arrive(method, url.pathname, url.search.slice(1), arrivedMs);
  if (recorded) response.once('close', () => simulator.recorder.leave(recorded, null));
  try {
    const body = await bodyOf(incoming);
    const plain = { method, path: url.pathname, query: url.searchParams, headers: incoming.headers, body };
    if (!recorded) return send(response, administer(simulator, method, url.pathname, body));
    const effects = simulator.faults.meet(method, url.pathname);
    await answerWith(simulator, { ...plain, pointEffects: effects.filter(isPointEffect) }, effects, response, recorded);
  } catch (cause) {
    // A request the client abandoned is no fault of the simulator; anything else must be seen by the test.
    if (incoming.errored) return;
    send(response, { status: 500, body: `simulator bug: ${String(cause)}` }, recorded, simulator.recorder);
  }
}

async function answerWith(
  { platform, recorder }: Simulator,
  request: SimulatedRequest,
  effects: readonly Effect[],
  response: ServerResponse,
  recorded: RecordedRequest,
): Promise<void> {
  for (const effect of effects) {
    if (effect.kind === 'slow') await sleep(effect.delayMs);
    if (effect.kind === 'invalidate-tokens') platform.invalidateTokens(effect.tokens ?? 'all');
  }
  const ending = effects.find(isEnding);
  if (ending?.kind === 'hang') return;
  if (ending?.kind === 'reset') return void response.socket?.resetAndDestroy();
  const answer = ending?.kind === 'status' ? errorAnswer(platform, ending) : platform.answer(request);
  if (ending?.kind === 'truncate' && ending.lost === 'connection') return loseHalf(response, answer);
  send(response, ending ? spoil(answer, ending) : answer, recorded, recorder);
}

function errorAnswer(platform: SimulatedPlatform, effect: EndingEffect & { kind: 'status' }): SimulatedAnswer {
  const answer = platform.errorBody(effect.status);
  if (effect.retryAfterSeconds === undefined) return answer;
  // An HTTP date has whole seconds: rounded up, so that waiting for it is never too short.
  const date = new Date(Math.ceil(Date.now() / 1000 + effect.retryAfterSeconds) * 1000).toUTCString();
  const retryAfter = effect.retryAfterAs === 'date' ? date : String(effect.retryAfterSeconds);
  return { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } };
}

function spoil(answer: SimulatedAnswer, effect: EndingEffect): SimulatedAnswer {
  if (effect.kind === 'truncate') return { ...answer, body: answer.body.slice(0, answer.body.length / 2) };
  if (effect.kind !== 'wrong-shape') return answer;
  const json = (value: unknown) => ({ status: 200, body: JSON.stringify(value) });
  if (effect.shape === 'array') return json([1, 'two', null]);
  if (effect.shape === 'object') return json({ status: 500, message: 'an error inside a 200' });
  if (effect.shape === 'types') return json(exchangeTypes(JSON.parse(answer.body)));
  const page = '<!doctype html><title>Sign in</title><form action="/login"><input name="user"></form>';
  return { status: 200, body: page, headers: { 'content-type': 'text/html' } };
}

function loseHalf(response: ServerResponse, answer: SimulatedAnswer): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': body.length });
  response.write(body.subarray(0, body.length / 2), () => response.socket?.destroy());
}

function send(
  response: ServerResponse,
  answer: SimulatedAnswer,
  recorded?: RecordedRequest | null,
  recorder?: Recorder,
): void {
  const body = Buffer.from(answer.body);
  const headers = { 'content-type': 'application/json', 'content-length': body.length, ...answer.headers };
  response.writeHead(answer.status, headers);
  // Recorded before the last byte leaves: who holds the answer finds it in the log.
  if (recorded && !response.destroyed) recorder?.leave(recorded, answer.status);
  response.end(body);
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
