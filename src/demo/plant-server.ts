import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Plant } from './plants.ts';
import { Recorder } from '../simulator/recorder.ts';

/** A request as it reached a plant. */
export interface Question {
  readonly call: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type AnswerTo = (question: Question) => Answer;

/** The user a plant lets in; the password is a new one in every run. */
export interface Account {
  readonly username: string;
  readonly password: string;
}

export interface RunningPlant {
  readonly plant: Plant;
  readonly url: string;
  readonly account: Account;
  /** The plant's own record of every request: what the summary is held against. */
  readonly recorder: Recorder;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. Every request is recorded as it arrives, refused ones too. */
export async function openPlant(plant: Plant, account: Account, answerTo: AnswerTo): Promise<RunningPlant> {
  const recorder = new Recorder();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const method = request.method ?? 'GET';
    const record = recorder.arrive(method, url.pathname, url.search.slice(1));
    response.once('close', () => recorder.leave(record, response.headersSent ? response.statusCode : null));
    const asked = { call: `${method} ${url.pathname}`, query: url.searchParams, headers: request.headers };
    const trouble = plant.troubled ? troubleOf(record.number) : undefined;
    void reply(request, response, (body) => trouble ?? answerTo({ ...asked, body }));
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', listening);
  });
  const { port } = server.address() as AddressInfo;
  return { plant, url: `http://127.0.0.1:${port}`, account, recorder, close: () => closed(server) };
}

const UNAVAILABLE: Answer = { status: 503, body: '{"error":"engine is busy"}' };
const TOO_MANY: Answer = { status: 429, body: '{"error":"too many queries"}', headers: { 'retry-after': '2' } };

/** What a troubled plant says to its n-th request instead of an answer; the first few get through. */
export function troubleOf(number: number): Answer | undefined {
  if (number % 29 === 0) return TOO_MANY;
  return number % 13 === 0 ? UNAVAILABLE : undefined;
}

async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  answerTo: (body: string) => Answer,
): Promise<void> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { status, body, headers } = answerTo(Buffer.concat(chunks).toString('utf8'));
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  } catch {
    // Whoever asked has gone: the record says so.
    response.destroy();
  }
}

async function closed(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => {
    resolve();
  });
  server.closeAllConnections();
  await promise;
}
