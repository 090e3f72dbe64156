import { readFileSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';
import http from 'node:http';
import type { ClientRequestArgs } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { createSecureContext, getCACertificates } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { configInvalid } from '../../core/errors.ts';
import type { Guard } from './egress.ts';

/** How the certificate of a platform is checked. The check cannot be turned off. */
export interface Tls {
  /** Certificates to trust besides the public ones: PEM text, or the absolute path of a PEM file. */
  readonly ca?: string;
  /** The name in the certificate of `baseUrl`, where it differs from the host. */
  readonly serverName?: string;
}

/** The kept connections of one source. */
export interface Agents {
  readonly http: http.Agent;
  readonly https: https.Agent;
  /** Closes the connections that serve no request. */
  dropIdle(): void;
  /** Closes all connections. */
  destroy(): void;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

type Connected = (error: Error | null, stream: Duplex) => void;

/** An idle connection is kept this long, or shorter where the platform says so in `Keep-Alive`. */
const IDLE_MS = 60_000;

/**
 * One of several addresses may take this long before the next is tried, too; node's 250 ms are too short for a plant.
 */
const NEXT_ADDRESS_MS = 1000;

/** The check for a host written as an address, which never reaches `lookup`. */
function refuse(guard: Guard, args: ClientRequestArgs, connected: Connected | undefined): boolean {
  const error = guard.check(args.host ?? 'localhost');
  if (error === undefined) return false;
  process.nextTick(() => (connected as (error: Error) => void)(error));
  return true;
}

class PlainAgent extends http.Agent {
  readonly #guard: Guard;

  constructor(options: http.AgentOptions, guard: Guard) {
    super(options);
    this.#guard = guard;
  }

  override createConnection(args: ClientRequestArgs, connected?: Connected): Duplex | null | undefined {
    return refuse(this.#guard, args, connected) ? undefined : super.createConnection(args, connected);
  }
}

class SecureAgent extends https.Agent {
  readonly #guard: Guard;
  readonly #name: { baseHost: string; serverName: string | undefined };

  constructor(options: https.AgentOptions, guard: Guard, name: { baseHost: string; serverName: string | undefined }) {
    super(options);
    this.#guard = guard;
    this.#name = name;
  }

  override createConnection(args: https.RequestOptions, connected?: Connected): Duplex | null | undefined {
    if (refuse(this.#guard, args, connected)) return undefined;
    const { baseHost, serverName } = this.#name;
    const named = serverName !== undefined && args.host === baseHost;
    return super.createConnection(named ? { ...args, servername: serverName } : args, connected);
  }
}

export function openAgents(guard: Guard, baseHost: string, tls: Tls): Agents {
  const options = {
    keepAlive: true,
    timeout: IDLE_MS,
    lookup: guard.lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  };

  const secureContext = tls.ca === undefined ? undefined : trusting(tls.ca);
  // Each is made at first use, because there are many sources and nearly each of them needs only one.
  let plain: PlainAgent | undefined;
  let secure: SecureAgent | undefined;
  return {
    get http() {
      return (plain ??= new PlainAgent(options, guard));
    },
    get https() {
      return (secure ??= new SecureAgent(secureContext ? { ...options, secureContext } : options, guard, {
        baseHost,
        serverName: tls.serverName,
      }));
    },
    dropIdle() {
      for (const agent of [plain, secure]) {
        for (const idle of Object.values(agent?.freeSockets ?? {})) for (const socket of idle ?? []) socket.destroy();
      }
    },
    destroy() {
      plain?.destroy();
      secure?.destroy();
    },
  };
}

/** Made once for all connections, because parsing the public certificates takes milliseconds. */
function trusting(ca: string): SecureContext {
  const remedy = 'give the absolute path of a PEM file, or the PEM text itself';
  let text: string;
  try {
    text = ca.startsWith('/') ? readFileSync(ca, 'utf8') : ca;
  } catch {
    throw configInvalid(`the certificate file ${ca} cannot be read`, remedy, 'tls.ca');
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw configInvalid('tls.ca holds no PEM certificate', remedy, 'tls.ca');
  }
  try {
    // OpenSSL ignores a damaged certificate without an error, so each one is parsed here.
    for (const certificate of text.match(CERTIFICATE) ?? []) new X509Certificate(certificate);
    return createSecureContext({ ca: [...getCACertificates('default'), text] });
  } catch {
    throw configInvalid('the certificate in tls.ca is damaged', remedy, 'tls.ca');
  }
}
