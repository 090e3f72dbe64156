import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { freePort } from '../kit/free-port.ts';
import { watchForLeaks } from '../kit/leaks.ts';
import { ACCOUNT } from './plant-simulator.ts';

/** A server that repeats each request in its answer, as careless proxies and debug pages do. */
export interface Mirror {
  readonly url: string;
  /** Texts that the bridge may neither store nor print. */
  readonly secrets: readonly string[];
  close(): Promise<void>;
}

const TOKEN = 'mirrored-access-token-4711';
const RENEWAL = 'mirrored-refresh-token-0815';

/** Answers a login as ThingsBoard does, refuses one below `/refusing`, and otherwise answers a page with the request. */
export async function startMirror(): Promise<Mirror> {
  const port = await freePort();
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const repeated = `you sent ${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`;
      if (request.url === '/api/auth/login') {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ token: TOKEN, refreshToken: RENEWAL }));
      } else if (request.url?.endsWith('/login')) {
        response.writeHead(401, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ status: 401, message: repeated, errorCode: 10 }));
      } else {
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`<html>${repeated} ${RENEWAL} ${ACCOUNT.password}</html>`);
      }
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const destroy = (): void => {
    server.close();
    server.closeAllConnections();
  };
  const forget = watchForLeaks(`mirror on port ${port}`, () => true, destroy);
  const { username, password } = ACCOUNT;
  return {
    url: `http://127.0.0.1:${port}`,
    secrets: [
      TOKEN,
      RENEWAL,
      password,
      encodeURIComponent(password),
      Buffer.from(password).toString('base64'),
      Buffer.from(`${username}:${password}`).toString('base64'),
    ],
    async close() {
      const closed = new Promise((resolve) => server.once('close', resolve));
      destroy();
      await closed;
      forget();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += String(piece);
  return text;
}
