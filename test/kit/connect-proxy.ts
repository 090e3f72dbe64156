import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** An HTTP proxy that opens tunnels to this machine, whatever host it is asked for, so names resolve nowhere else. */
export interface ConnectProxy {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** The `host:port` of every tunnel it was asked for, refused ones included. */
  readonly asked: readonly string[];
  /** Requests that were no CONNECT. */
  readonly plain: () => number;
  /** From now on it refuses tunnels with this status; undefined: it opens them again. */
  refuse(status: number | undefined): void;
  close(): Promise<void>;
}

export async function startConnectProxy(credentials?: string): Promise<ConnectProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  let refusal: number | undefined;
  let plain = 0;
  const server = createServer((_request, response) => {
    plain += 1;
    response.writeHead(400).end();
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  server.on('connect', (request, client: Socket, head) => {
    asked.push(request.url ?? '');
    const isKnown =
      credentials === undefined ||
      request.headers['proxy-authorization'] === `Basic ${Buffer.from(credentials).toString('base64')}`;
    const status = refusal ?? (isKnown ? undefined : 407);
    if (status !== undefined) {
      client.end(`HTTP/1.1 ${status} No\r\nProxy-Authenticate: Basic realm="plant"\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const target = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      client.pipe(target).pipe(client);
    });
    target.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    client.once('close', () => target.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    plain: () => plain,
    refuse(status) {
      refusal = status;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
