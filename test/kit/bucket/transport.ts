import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from './faults.ts';
import { type Arrived, decode } from './signature.ts';
import type { Answer } from './store.ts';

/** @throws Refusal where a header is there twice that is not a list, or the query is none */
export function arrivedOf(request: IncomingMessage): { readonly arrived: Arrived; readonly place: string } {
  const headers = new Map<string, string>();
  for (const [name, values] of Object.entries(request.headersDistinct)) headers.set(name, (values ?? []).join(','));
  const [path = '', query] = (request.url ?? '').split(/\?(.*)/s);
  const pairs = (query ?? '')
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) =>
      pair
        .split(/=(.*)/s)
        .slice(0, 2)
        .map((text) => decode(text)),
    )
    .map(([name = '', value = '']) => [name, value] as const);
  return { arrived: { method: request.method ?? '', path, query: pairs, headers }, place: path };
}

/** The bucket and the key that a request names. */
export function placeOf(path: string, host: string, style: string): { readonly name: string; readonly key: string } {
  const [, label] = /^([^:]+)\.localhost(?::\d+)?$/.exec(host) ?? [];
  if (label !== undefined && style.includes('host')) return { name: label, key: decode(path.slice(1)) };
  if (label !== undefined || !style.includes('path')) return { name: '', key: decode(path.slice(1)) };
  const [, name = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
  return { name: decode(name), key: decode(key) };
}

/** Resets the connection of a request. */
export function reset(request: IncomingMessage): void {
  try {
    request.socket.resetAndDestroy();
  } catch {
    // A connection with TLS cannot be reset, only cut.
    request.socket.destroy();
  }
}

/** The whole body. @throws where the connection ends before, also by `resetAfter` bytes */
export async function bodyOf(
  request: IncomingMessage,
  hold: (bytes: number) => void,
  resetAfter = Infinity,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size >= resetAfter) {
      reset(request);
      throw new Error('reset');
    }
    hold(part.length);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Sends an answer, as far as the fault lets it. */
export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  {
    answer,
    hold,
    fault,
  }: { readonly answer: Answer; readonly hold: (bytes: number) => void; readonly fault: Fault | undefined },
): Promise<void> {
  const body = Buffer.from(answer.body ?? '');
  const bodiless = answer.status === 204 || answer.status === 304;
  response.writeHead(answer.status, {
    ...answer.headers,
    'x-amz-request-id': randomBytes(8).toString('hex').toUpperCase(),
    ...(!bodiless && { 'content-length': String(body.length) }),
  });
  if (request.method === 'HEAD') return void response.end();
  hold(body.length);
  const until = Math.min(fault?.cutDownloadAfter ?? Infinity, fault?.resetDownloadAfter ?? Infinity, body.length);
  for (let place = 0; place < until; place += 65_536) {
    if (!response.write(body.subarray(place, Math.min(place + 65_536, until)))) await once(response, 'drain');
  }
  if (fault?.resetDownloadAfter !== undefined) reset(request);
  else if (fault?.cutDownloadAfter !== undefined) request.socket.end();
  else response.end();
}
