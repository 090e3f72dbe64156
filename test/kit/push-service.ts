import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { serve } from './connection-rig.ts';
import { PushError, openPushClient } from '../../src/client/index.ts';
import type { PushClient, PushClientOptions, PushProblem, Remote } from '../../src/client/index.ts';

/** A request as the service saw it. */
export interface Seen {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A service on loopback. It answers as a databridge does, unless a test gives another answer. */
export interface TestService {
  readonly url: string;
  readonly remote: Remote;
  /** Token requests and pushes, in order of arrival. */
  readonly tokens: Seen[];
  readonly pushes: Seen[];
  /** Answers the n-th (from 1) token request or push in place of the service; returns whether it did. */
  onToken: (response: ServerResponse, seen: Seen, nth: number) => boolean;
  onPush: (response: ServerResponse, seen: Seen, nth: number) => boolean;
  client(options?: PushClientOptions): PushClient;
}

export const REMOTE = { organisation: 'default', applicationId: 'app 1', applicationSecret: 's3cr:t+/ä%' } as const;

export const READING = { sensorId: 'pump-7', date: '2026-11-21T08:15:30Z', value: 4.25 } as const;

export async function startService(): Promise<TestService> {
  const service: Omit<TestService, 'url' | 'remote' | 'client'> = {
    tokens: [],
    pushes: [],
    onToken: () => false,
    onPush: () => false,
  };
  const url = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const body = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
      const seen = { url: request.url ?? '', headers: request.headers, body };
      const isToken = seen.url.endsWith('/v0/oauth2/token');
      const list = isToken ? service.tokens : service.pushes;
      list.push(seen);
      if ((isToken ? service.onToken : service.onPush)(response, seen, list.length)) return;
      if (isToken) send(response, 200, grant(list.length));
      else send(response, 200, taken((JSON.parse(body) as unknown[]).length));
    });
  });
  const remote = { baseUrl: url, ...REMOTE };
  return Object.assign(service, {
    url,
    remote,
    client: (options?: PushClientOptions) => openPushClient(remote, { timeoutMs: 5_000, ...options }),
  });
}

export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): true {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  return true;
}

/** The n-th grant: `access-1` and `refresh-1`, good for an hour and a day. */
export const grant = (nth: number, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  access_token: `access-${nth}`,
  token_type: 'bearer',
  expires_in: 3600,
  refresh_token: `refresh-${nth}`,
  refresh_token_expires_in: 86_400,
  ...more,
});

export const taken = (accepted: number): Record<string, unknown> => ({
  accepted,
  duplicates: 0,
  revised: 0,
  refused: [],
  refusedCount: 0,
  unknownFields: 0,
  unknownFieldNames: [],
});

export const problem = (status: number, detail = 'It is so.'): PushProblem & { errors: unknown[] } => ({
  type: 'urn:databridge:problem:x',
  title: 'No',
  status,
  detail,
  errors: [],
});

/** The PushError that a push is rejected with. Fails where it is fulfilled or rejected with another error. */
export async function failureOf(promise: Promise<unknown>): Promise<PushError> {
  const error: unknown = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (error instanceof PushError) return error;
  throw new Error('not a PushError', { cause: error });
}
