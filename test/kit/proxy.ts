import { connect, createServer, type Server, type Socket } from 'node:net';
import { type Faults, type Line, passOn, toClient, toServer, whileStalled } from './faulty-pipe.ts';
import { freePort } from './free-port.ts';
import { watchForLeaks } from './leaks.ts';

/** A TCP proxy on loopback whose faults can be switched while it runs. It passes bytes, also those of TLS. */
export interface Proxy {
  readonly host: '127.0.0.1';
  readonly port: number;
  /** Replaces all faults, for present and future connections. `set({})` heals; data held back then flow on. */
  set(faults: Faults): Promise<void>;
  /** Ends all present connections in good order (FIN). */
  cut(): void;
  /** Resets all present connections (RST): clients see ECONNRESET. */
  reset(): void;
  /** Connections accepted so far, those reset at once included. */
  opened(): number;
  /** Connections open now. */
  open(): number;
  /** Bytes passed to clients so far. */
  bytesToClients(): number;
  close(): Promise<void>;
}

export interface ProxyTarget {
  /** Default 127.0.0.1 */
  readonly host?: string;
  readonly port: number;
}

interface Connection {
  cut(): void;
  reset(): void;
}

/** Starts a proxy before a server. The server need not be there: its clients are then reset after being accepted. */
export async function startProxy(target: ProxyTarget): Promise<Proxy> {
  const port = await freePort();
  const connections = new Set<Connection>();
  const line: Line = { faults: {}, changed: Promise.withResolvers(), bytesToClients: 0 };
  let opened = 0;
  let listener: Server | undefined;

  const accept = (client: Socket): void => {
    opened += 1;
    const connection = carry(client, target, line);
    connections.add(connection);
    client.once('close', () => connections.delete(connection));
    if (line.faults.connections === 'reset') connection.reset();
  };
  const listen = async (): Promise<void> => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, accept);
    listener = server;
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  };
  const refuse = (): void => {
    listener?.close();
    listener = undefined;
  };
  const change = (faults: Faults): void => {
    const { changed } = line;
    line.faults = faults;
    line.changed = Promise.withResolvers();
    changed.resolve();
  };
  const destroy = (): void => {
    refuse();
    for (const connection of connections) connection.reset();
    change({});
  };

  await listen();
  const forget = watchForLeaks(`proxy on port ${port}`, () => true, destroy);
  return {
    host: '127.0.0.1',
    port,
    async set(faults) {
      change(faults);
      if (faults.connections === 'refuse') refuse();
      else if (listener === undefined) await listen();
    },
    cut: () => connections.forEach((connection) => connection.cut()),
    reset: () => connections.forEach((connection) => connection.reset()),
    opened: () => opened,
    open: () => connections.size,
    bytesToClients: () => line.bytesToClients,
    async close() {
      const closed = listener && new Promise((resolve) => listener?.once('close', resolve));
      destroy();
      await closed;
      forget();
    },
  };
}

/** Joins one client to the server. */
function carry(client: Socket, target: ProxyTarget, line: Line): Connection {
  let server: Socket | undefined;
  let cutOff = false;
  const cut = (): void => {
    cutOff = true;
    client.end();
    server?.destroy();
  };
  const reset = (): void => {
    client.resetAndDestroy();
    server?.destroy();
  };
  const join = async (): Promise<void> => {
    await whileStalled(line, client);
    if (!client.writable) return;
    server = connect({ host: target.host ?? '127.0.0.1', port: target.port, allowHalfOpen: true, noDelay: true });
    server.on('error', () => undefined);
    await Promise.all([
      forward(client, server, toServer(server, line)),
      forward(server, client, toClient(client, line, cut)),
    ]);
  };
  const forward = async (source: Socket, sink: Socket, deliver: (bytes: Buffer) => Promise<void>): Promise<void> => {
    await passOn(source, deliver, line);
    await whileStalled(line, sink);
    sink.end();
  };

  client.on('error', () => undefined).once('close', () => server?.destroy());
  join().catch(async () => {
    // A reset must not overtake data that are on their way to a client that was cut off.
    await whileStalled(line, client);
    if (!cutOff) reset();
  });
  return { cut, reset };
}
