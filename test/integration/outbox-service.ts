import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { watchForLeaks } from '../kit/leaks.ts';
import { tokensOfService } from './outbox-service-tokens.ts';
import type { ServiceTokens } from './outbox-service-tokens.ts';

/** A reading as the client sent it, with the fields that the seed allows. */
export interface Sent {
  readonly sensorId: string;
  readonly valueName?: string;
  readonly date: string;
  readonly value: number;
  readonly precision?: number;
  readonly labels?: readonly string[];
}

/** A fault that the service shows instead of its usual answer. */
export type Fault =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
    }
  /** Takes the request and never answers. */
  | { readonly kind: 'silence' }
  /** Stores the body and breaks the connection. */
  | { readonly kind: 'reset-after-storing' }
  /** Stores the body and sends half of its answer. */
  | { readonly kind: 'truncated' }
  /** Stores the body and answers that it took one reading less. */
  | { readonly kind: 'wrong-counts' }
  /** Stores and answers the body only after `until`, or ends it in another way. */
  | { readonly kind: 'held'; readonly until: Promise<void>; readonly end?: 'reset' | 'forbid' };

/** One request to the data endpoint. */
export interface Body {
  readonly readings: readonly Sent[];
  readonly gzip: boolean;
  readonly bytes: number;
  /** 0 while there is no answer. */
  status: number;
}

/** A service that takes readings as seed section 4 and decisions.md describe, and records all requests. */
export interface Service {
  readonly url: string;
  readonly tokens: ServiceTokens;
  readonly bodies: readonly Body[];
  /** Requests of the client that the contract forbids, in words. */
  readonly violations: readonly string[];
  /** The largest number of bodies that were under way at the same time. */
  mostAtOnce(): number;
  /** The next `count` bodies meet a fault. */
  fail(fault: Fault, count?: number): void;
  heal(): void;
  /** A larger body is answered 413. */
  limit(limits: { readings?: number; bytes?: number }): void;
  /** Refuses the readings for which `rule` returns a reason. */
  refuse(rule: (reading: Sent) => string | undefined): void;
  /** The stored readings, in the form and order of `truthOf`. The newest value of a reading counts. */
  stored(): string[];
  close(): Promise<void>;
}

export const ORGANISATION = 'remote-org';
export const PROJECT = 'remote-hall';
const PATH = `/v0/organisations/${ORGANISATION}/data/${PROJECT}`;
const LISTED = 1_000;

export async function startService(): Promise<Service> {
  const stored = new Map<string, string>();
  const bodies: Body[] = [];
  const violations: string[] = [];
  const tokens = tokensOfService(violations);
  let plan: { left: number; readonly fault: Fault }[] = [];
  let limits: { readings?: number; bytes?: number } = {};
  let rule: (reading: Sent) => string | undefined = () => undefined;
  let underWay = 0;
  let mostAtOnce = 0;

  /** Stores a body and returns the answer that the contract describes. */
  function take(readings: readonly Sent[]): { status: number; answer: Record<string, unknown> } {
    const counts = { accepted: 0, duplicates: 0, revised: 0 };
    const refused: unknown[] = [];
    let refusedCount = 0;
    const last = new Map(readings.map((reading) => keyAndContent(reading)));
    for (const [index, reading] of readings.entries()) {
      const [ownKey, ownContent] = keyAndContent(reading);
      const reason = rule(reading) ?? (last.get(ownKey) === ownContent ? undefined : 'same-instant');
      if (reason !== undefined) {
        refusedCount += 1;
        if (refused.length < LISTED)
          refused.push({ index, pointer: `/${index}/value`, reason, message: `said of ${reading.sensorId}` });
        continue;
      }
      const [key, content] = keyAndContent(reading);
      const before = stored.get(key);
      counts[before === undefined ? 'accepted' : before === content ? 'duplicates' : 'revised'] += 1;
      stored.set(key, content);
    }
    const status = refusedCount > 0 && refusedCount === readings.length ? 422 : 200;
    return { status, answer: { ...counts, refused, refusedCount, unknownFields: 0, unknownFieldNames: [] } };
  }

  async function data(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await buffer(request);
    const gzip = request.headers['content-encoding'] === 'gzip';
    const unpacked = gzip ? gunzipSync(raw) : raw;
    const readings = JSON.parse(unpacked.toString('utf8')) as Sent[];
    if (!request.headers['content-type']?.startsWith('application/json')) violations.push('content type of a body');
    for (const reading of readings) checkReading(reading, violations);
    const body: Body = { readings, gzip, bytes: unpacked.length, status: 0 };
    bodies.push(body);
    const say = (status: number, text: string, headers: Record<string, string> = {}): void => {
      body.status = status;
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    };
    const planned = plan[0];
    if (planned !== undefined && (planned.left -= 1) === 0) plan.shift();
    const fault = planned?.fault;
    if (fault?.kind === 'silence') return;
    if (fault?.kind === 'answer') return say(fault.status, fault.body ?? '', fault.headers);
    if (fault?.kind === 'held') await fault.until;
    if (fault?.kind === 'held' && fault.end === 'forbid') return say(403, problem(403, 'not any more'), PROBLEM);
    if (request.url !== PATH) return say(404, problem(404, 'no such project'), PROBLEM);
    if (!tokens.isGood(request.headers.authorization)) {
      // Quotes the token, as careless services do.
      return say(401, problem(401, `invalid: ${request.headers.authorization}`), {
        ...PROBLEM,
        'www-authenticate': 'Bearer error="invalid_token"',
      });
    }
    if (readings.length > (limits.readings ?? Infinity) || unpacked.length > (limits.bytes ?? Infinity)) {
      return say(413, problem(413, 'too much'), PROBLEM);
    }
    const { status, answer } = take(readings);
    if (fault?.kind === 'reset-after-storing' || (fault?.kind === 'held' && fault.end === 'reset')) {
      response.socket?.resetAndDestroy();
    } else if (fault?.kind === 'truncated') {
      const text = JSON.stringify(answer);
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length });
      response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
    } else if (fault?.kind === 'wrong-counts')
      say(200, JSON.stringify({ ...answer, accepted: Number(answer['accepted']) - 1 }));
    else say(status, JSON.stringify(answer));
  }

  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    if (request.url === '/v0/oauth2/token') return void tokens.answer(request, response);
    if (!request.url?.startsWith('/v0/organisations/')) {
      request.resume();
      return void response.writeHead(404, PROBLEM).end(problem(404, 'there is nothing here'));
    }
    underWay += 1;
    mostAtOnce = Math.max(mostAtOnce, underWay);
    response.once('close', () => (underWay -= 1));
    data(request, response).catch((error: unknown) => violations.push(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const destroy = (): void => {
    server.close();
    server.closeAllConnections();
  };
  const forget = watchForLeaks(`service on port ${port}`, () => server.listening, destroy);
  return {
    url: `http://127.0.0.1:${port}`,
    tokens,
    bodies,
    violations,
    mostAtOnce: () => mostAtOnce,
    fail: (fault, count = 1) => void plan.push({ left: count, fault }),
    heal: () => (plan = []),
    limit: (given) => (limits = given),
    refuse: (given) => (rule = given),
    stored: () => [...stored].map(([key, content]) => `${key} ${content}`).toSorted(),
    async close() {
      const closed = new Promise((resolve) => server.once('close', resolve));
      destroy();
      await closed;
      forget();
    },
  };
}

const PROBLEM = { 'content-type': 'application/problem+json' };

export const problem = (status: number, detail: string): string =>
  JSON.stringify({ type: 'about:blank', title: 'Problem', status, detail, errors: [] });

const FIELDS = ['sensorId', 'valueName', 'date', 'value', 'precision', 'labels'];
const DATE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:Z|\+00:00)$/;

function checkReading(reading: Sent, violations: string[]): void {
  const { sensorId, valueName = 'none', date, value, precision = 0, labels = [] } = reading;
  const right =
    Object.keys(reading).every((field) => FIELDS.includes(field)) &&
    typeof sensorId === 'string' &&
    /^[A-Za-z0-9_]+$/.test(valueName) &&
    DATE.test(date) &&
    Number.isFinite(value) &&
    Number.isInteger(precision) &&
    Array.isArray(labels);
  if (!right) violations.push(`reading ${JSON.stringify(reading)}`);
}

function keyAndContent({ sensorId, valueName = 'none', date, value, precision, labels = [] }: Sent): [string, string] {
  const [, seconds = '', fraction = ''] = DATE.exec(date) ?? [];
  const key = `${sensorId} ${valueName} ${seconds}.${fraction.padEnd(6, '0')}`;
  return [key, `${value} ${precision ?? '-'} [${labels.toSorted().join(',')}]`];
}
