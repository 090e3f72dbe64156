import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A server that passes requests on to a bridge, and does something else before one of them. */
interface Between {
  readonly url: string;
  /** Before the next request whose method and address hold `part`. */
  before(part: string, act: () => Promise<unknown>): void;
  close(): Promise<void>;
}

/** Starts one before the bridge at `target`. */
export async function startBetween(target: string): Promise<Between> {
  let awaited: { part: string; act: () => Promise<unknown> } | undefined;
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url = '', headers } = request;
      const body = await text(request);
      const { part, act } = awaited ?? {};
      if (part !== undefined && `${method} ${url}`.includes(part)) {
        awaited = undefined;
        await act?.();
      }
      const passed = ['authorization', 'content-type', 'if-match', 'if-none-match'].flatMap((name) =>
        typeof headers[name] === 'string' ? [[name, headers[name]] as [string, string]] : [],
      );
      const answer = await fetch(`${target}${url}`, { method, headers: passed, ...(body !== '' && { body }) });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(await answer.text());
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    before: (part, act) => void (awaited = { part, act }),
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
