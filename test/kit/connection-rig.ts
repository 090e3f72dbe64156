import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createRawServer } from 'node:net';
import type { AddressInfo, LookupFunction, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BridgeError } from '../../src/core/errors.ts';
import { SECOND } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import type { Authorisation, Http } from '../../src/platform/contract.ts';
import { memoryAccount, memoryTokens, newMeter, openConnection } from '../../src/platform/connection/index.ts';
import type { Connection, ConnectionParts, ConnectionSettings, Meter } from '../../src/platform/connection/index.ts';

/** Real servers on loopback and a pacer that counts: the ground of the unit tests of the connection. */

export const NOW: Instant = Date.UTC(2026, 10, 21, 8) * 1000;

const cleanups: (() => Promise<void> | void)[] = [];

/** For `afterEach`: closes all servers and files that the test opened, the newest first. */
export async function tidyUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
}

async function listening(server: Server, protocol: string): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export const serve = (handler: RequestListener): Promise<string> =>
  listening(createServer({ keepAliveTimeout: 60_000 }, handler), 'http');

/** A server on loopback that answers raw bytes. */
export const serveRaw = (onSocket: (socket: Socket) => void, protocol = 'http'): Promise<string> =>
  listening(createRawServer(onSocket), protocol);

/** Answers every connection with the given bytes as soon as its first data arrive, then ends it. */
export const serveBytes = (bytes: string | Buffer): Promise<string> =>
  serveRaw((socket) => socket.once('data', () => socket.end(bytes)));

export const serveTls = (certificate: Certificate, handler: RequestListener): Promise<string> =>
  listening(createSecureServer(certificate, handler), 'https');

export const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

export async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Makes a certificate that `issuer` signed, or itself; with `expired` one whose validity ended in 2020. */
export function makeCertificate(names: string, expired = false, issuer?: Certificate): Certificate {
  const directory = mkdtempSync(join(tmpdir(), 'databridge-certificate-'));
  const at = (file: string): string => join(directory, file);
  const openssl = (...args: string[]): unknown => execFileSync('openssl', args, { stdio: 'ignore' });
  try {
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', at('key.pem'));
    openssl(
      'req',
      '-new',
      '-key',
      at('key.pem'),
      '-subj',
      issuer ? '/CN=platform' : '/CN=authority',
      '-out',
      at('request.pem'),
    );
    writeFileSync(at('index.txt'), '');
    writeFileSync(at('ca.cnf'), authorityOf(directory, names));
    const [from, to] = expired ? ['20200101000000Z', '20200102000000Z'] : ['20200101000000Z', '20500101000000Z'];
    if (issuer !== undefined) {
      writeFileSync(at('issuer-key.pem'), issuer.key);
      writeFileSync(at('issuer.pem'), issuer.cert);
    }
    const signer =
      issuer === undefined
        ? ['-selfsign', '-keyfile', at('key.pem')]
        : ['-keyfile', at('issuer-key.pem'), '-cert', at('issuer.pem')];
    const output = ['-startdate', from, '-enddate', to, '-notext', '-out', at('certificate.pem')];
    openssl('ca', '-batch', '-config', at('ca.cnf'), ...signer, '-in', at('request.pem'), ...output);
    return { key: readFileSync(at('key.pem'), 'utf8'), cert: readFileSync(at('certificate.pem'), 'utf8') };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** `openssl ca`, because no other command of openssl takes both ends of the validity. */
const authorityOf = (directory: string, names: string): string => `
[ca]
default_ca = own
[own]
database = ${directory}/index.txt
new_certs_dir = ${directory}
rand_serial = yes
default_md = sha256
policy = any
x509_extensions = extensions
[any]
commonName = supplied
[extensions]
subjectAltName = ${names}
basicConstraints = CA:true
`;

/** A resolver that gives every name these addresses. */
export const resolvesTo =
  (...addresses: string[]): LookupFunction =>
  (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

/** No credentials needed. */
export const open: Authorisation = { sign: () => ({}) };

export const basic: Authorisation = {
  sign: ({ username, password }) => ({
    Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
  }),
};

export interface Rig {
  readonly connection: Connection;
  readonly meter: Meter;
  readonly http: Http;
  readonly abort: AbortController;
  /** Slots handed out, slots given back, and until when the source was held. */
  readonly slots: { taken: number; released: number; held: Instant[] };
}

export function openRig(
  baseUrl: string,
  settings: Partial<ConnectionSettings> = {},
  parts: Partial<ConnectionParts> = {},
): Rig {
  const slots: Rig['slots'] = { taken: 0, released: 0, held: [] };
  const connection = openConnection(
    { baseUrl, credentials: {}, authorisation: open, allowHosts: undefined, ...settings },
    {
      pacer: {
        async slot() {
          slots.taken += 1;
          return {
            inDoubt: true,
            release() {
              slots.released += 1;
            },
          };
        },
        async hold(until) {
          slots.held.push(until);
        },
      },
      tokens: memoryTokens(),
      account: memoryAccount(),
      now: () => NOW,
      userAgent: 'databridge-test',
      ...parts,
    },
  );
  cleanups.push(() => connection.close());
  const abort = new AbortController();
  const meter = newMeter();
  return { connection, meter, abort, slots, http: connection.http({ lane: 'live', signal: abort.signal, meter }) };
}

/** The BridgeError that a promise is rejected with. Fails where it is fulfilled or rejected with another error. */
export async function refusal(promise: Promise<unknown>): Promise<BridgeError> {
  const error: unknown = await promise.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof BridgeError) return error;
  throw new Error('not a BridgeError', { cause: error });
}

export const inSeconds = (seconds: number): Instant => NOW + seconds * SECOND;
