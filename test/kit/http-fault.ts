import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { freePort } from './free-port.ts';
import { watchForLeaks } from './leaks.ts';

/** An answer in place of the upstream's. */
interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** One request as it arrived, answered by the upstream or in its place. */
interface RecordedRequest {
  /** Arrival, ms since 1970 with fractions; never goes backwards. */
  readonly at: number;
  readonly method: string;
  readonly url: string;
  /** Of the answer; 0 before it, and for ever where the client closed the connection before it. */
  status: number;
}

/** An HTTP server before another. It answers some requests itself and records all of them. */
export interface HttpFault {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /**
   * The next `count` requests (Infinity: until `heal()`) that `matches` get this answer. Calls queue up; a request
   * takes the first that matches it.
   */
  next(count: number, answer: Answer, matches?: (request: RecordedRequest) => boolean): void;
  /** Drops the answers that were not given yet. */
  heal(): void;
  readonly requests: readonly RecordedRequest[];
  /** Requests that wait for their answer now. */
  waiting(): number;
  /** The most requests that waited for their answer at one time. */
  mostAtOnce(): number;
  close(): Promise<void>;
}

interface Planned {
  left: number;
  readonly answer: Answer;
  readonly matches: (request: RecordedRequest) => boolean;
}

/** @param upstreamUrl http only, e.g. `influx.url`; an upstream that cannot be reached makes a 502 */
export async function startHttpFault(upstreamUrl: string): Promise<HttpFault> {
  const requests: RecordedRequest[] = [];
  let plan: Planned[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;

  const answerOf = (request: RecordedRequest): Answer | undefined => {
    const planned = plan.find(({ matches }) => matches(request));
    if (planned === undefined) return undefined;
    planned.left -= 1;
    if (planned.left <= 0) plan = plan.filter((other) => other !== planned);
    return planned.answer;
  };
  const server = createServer((request, response) => {
    const at = performance.timeOrigin + performance.now();
    const record: RecordedRequest = { at, method: request.method ?? '', url: request.url ?? '', status: 0 };
    requests.push(record);
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    let open = true;
    const end = (): void => {
      if (open) atOnce -= 1;
      open = false;
    };
    response.once('finish', () => {
      record.status = response.statusCode;
      // Before the client can have all of the answer and ask again; `close` comes later on a busy machine.
      end();
    });
    response.once('close', end);
    const answer = answerOf(record);
    if (answer === undefined) {
      forward(request, response, upstreamUrl);
      return;
    }
    request.resume();
    response.writeHead(answer.status, { ...answer.headers }).end(answer.body);
  });
  const port = await freePort();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const destroy = (): void => {
    server.close();
    server.closeAllConnections();
  };
  const forget = watchForLeaks(`http fault on port ${port}`, () => true, destroy);

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    next: (count, answer, matches = () => true) => void plan.push({ left: count, answer, matches }),
    heal: () => (plan = []),
    waiting: () => atOnce,
    mostAtOnce: () => mostAtOnce,
    async close() {
      const closed = new Promise((resolve) => server.once('close', resolve));
      destroy();
      await closed;
      forget();
    },
  };
}

/** Passes bodies on unchanged. A connection that breaks upstream breaks the client's, so that no cut answer looks whole. */
function forward(request: IncomingMessage, response: ServerResponse, upstreamUrl: string): void {
  const { host: _host, connection: _connection, ...headers } = request.headers;
  const target = new URL(request.url ?? '/', upstreamUrl);
  const upstream = requestOf(target, { method: request.method ?? 'GET', headers, agent: false });
  upstream.once('response', (answer) => {
    const { connection: _ended, 'keep-alive': _kept, ...answerHeaders } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, answerHeaders);
    pipeline(answer, response).catch(() => response.destroy());
  });
  upstream.once('error', (error) => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502, { 'Content-Type': 'text/plain' }).end(String(error));
  });
  response.once('close', () => upstream.destroy());
  pipeline(request, upstream).catch(() => upstream.destroy());
}
