import { readFileSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';
import http from 'node:http';
import type { ClientRequestArgs } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { createSecureContext, getCACertificates } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { asBridgeError, configInvalid } from '../../core/errors.ts';
import type { Guard } from './egress.ts';
import { goesThrough, nameOf } from './proxy.ts';
import type { ProxySettings, Target } from './proxy.ts';
import { openTunnel } from './tunnel.ts';

/** How the certificate of a platform is checked. The check cannot be turned off. */
export interface Tls {
  /** Certificates to trust besides the public ones: PEM text, or the absolute path of a PEM file. */
  readonly ca?: string;
  /** The name in the certificate of `baseUrl`, where it differs from the host. */
  readonly serverName?: string;
}

/** Kept connections. */
export interface Agents {
  readonly http: http.Agent;
  readonly https: https.Agent;
  /** The name of the proxy that requests to an address go through. */
  proxyOf(url: URL): string | undefined;
  /** Closes the connections to the host of an address that serve no request. */
  dropIdle(url: URL): void;
  /** Closes all connections. */
  destroy(): void;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

type Connected = (error: Error | null, stream: Duplex) => void;

/** An idle connection is kept this long, or shorter where the platform says so in `Keep-Alive`. */
const IDLE_MS = 60_000;

/** Above so many open connections an agent closes each one after its answer, because every host of the bridge may have thousands of sources. */
const MOST_KEPT = 4_000;

/** The kernel asks after a silent connection this late. */
const PROBE_MS = 60_000;

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

/** The guard and the proxy, where there is one. */
export interface Egress {
  readonly guard: Guard;
  readonly proxy: ProxySettings | undefined;
}

/** `givenUp`: aborted when the request waits for a tunnel no longer, because node ends such a request with its connection only. */
export interface TunnelOptions {
  readonly givenUp?: AbortSignal | undefined;
}

/** The host, without brackets, and the port of an address. */
const targetAt = ({ hostname, port, protocol }: URL): Target => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
});

const targetOf = ({ host, port }: ClientRequestArgs): Target => ({ host: host ?? 'localhost', port: Number(port) });

/**
 * Opens a tunnel where the target lies behind the proxy. @returns whether it does; `connected` is then called with `over` of the
 * tunnel.
 */
function tunnelled(
  { guard, proxy }: Egress,
  args: ClientRequestArgs & TunnelOptions,
  connected: Connected | undefined,
  over: (tunnel: Duplex) => Duplex,
): boolean {
  const target = targetOf(args);
  if (proxy === undefined || !goesThrough(proxy, target)) return false;
  const { givenUp = new AbortController().signal } = args;
  const opened = Promise.withResolvers<Duplex>();
  givenUp.addEventListener('abort', () => opened.reject(givenUp.reason), { once: true });
  async function open(given: ProxySettings): Promise<Duplex> {
    const error = await guard.checkForProxy(target.host);
    if (error !== undefined) throw error;
    givenUp.throwIfAborted();
    return over(await openTunnel(given, target, givenUp));
  }
  const failed = connected as (error: Error) => void;
  open(proxy).then(opened.resolve, opened.reject);
  opened.promise.then(
    (stream) => connected?.(null, stream),
    (error: unknown) => failed(asBridgeError(error)),
  );
  return true;
}

/** Node counts the open connections of an agent, and says by an answer whether it may keep one; its types know neither. */
const openOf = (agent: http.Agent): number => (agent as unknown as { totalSocketCount: number }).totalSocketCount;
const keeps = (answer: unknown): boolean => answer as boolean;

class PlainAgent extends http.Agent {
  readonly #egress: Egress;

  constructor(options: http.AgentOptions, egress: Egress) {
    super(options);
    this.#egress = egress;
  }

  override createConnection(args: ClientRequestArgs, connected?: Connected): Duplex | null | undefined {
    if (refuse(this.#egress.guard, args, connected)) return undefined;
    if (tunnelled(this.#egress, args, connected, (tunnel) => tunnel)) return undefined;
    return super.createConnection(args, connected);
  }

  override keepSocketAlive(socket: Duplex): boolean {
    return openOf(this) <= MOST_KEPT && keeps(super.keepSocketAlive(socket));
  }
}

class SecureAgent extends https.Agent {
  readonly #egress: Egress;
  readonly #name: { baseHost: string; serverName: string | undefined };

  constructor(options: https.AgentOptions, egress: Egress, name: { baseHost: string; serverName: string | undefined }) {
    super(options);
    this.#egress = egress;
    this.#name = name;
  }

  override createConnection(args: https.RequestOptions, connected?: Connected): Duplex | null | undefined {
    if (refuse(this.#egress.guard, args, connected)) return undefined;
    const { baseHost, serverName } = this.#name;
    const named = serverName !== undefined && args.host === baseHost ? { ...args, servername: serverName } : args;
    const secured = (socket: Duplex): Duplex => super.createConnection({ ...named, socket } as typeof named) as Duplex;
    return tunnelled(this.#egress, args, connected, secured) ? undefined : super.createConnection(named, connected);
  }

  override keepSocketAlive(socket: Duplex): boolean {
    return openOf(this) <= MOST_KEPT && keeps(super.keepSocketAlive(socket));
  }
}

/** Kept connections that sources with the same settings of TLS share. */
export interface AgentPool {
  /** For requests to `baseHost` and those that it leads to. Throws `config-invalid` for a certificate that is not valid. */
  take(baseHost: string, tls: Tls): Agents;
  /** The last one to give agents back closes their connections. */
  giveBack(agents: Agents): void;
}

export function agentPool(egress: Egress): AgentPool {
  const shared = new Map<string, { readonly agents: Agents; users: number }>();
  return {
    take(baseHost, tls) {
      // Another name than that of the host is expected of this host only.
      const key = JSON.stringify([tls.ca, tls.serverName, tls.serverName === undefined ? undefined : baseHost]);
      const taken = shared.get(key) ?? { agents: openAgents(egress, baseHost, tls), users: 0 };
      shared.set(key, taken);
      taken.users += 1;
      return taken.agents;
    },
    giveBack(agents) {
      for (const [key, taken] of shared) {
        if (taken.agents !== agents || (taken.users -= 1) > 0) continue;
        shared.delete(key);
        agents.destroy();
      }
    },
  };
}

export function openAgents(egress: Egress, baseHost: string, tls: Tls): Agents {
  const options = {
    keepAlive: true,
    keepAliveMsecs: PROBE_MS,
    timeout: IDLE_MS,
    maxCachedSessions: MOST_KEPT,
    lookup: egress.guard.lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  };

  const secureContext = tls.ca === undefined ? undefined : trusting(tls.ca);
  // Each is made at first use, because there are many sources and nearly each of them needs only one.
  let plain: PlainAgent | undefined;
  let secure: SecureAgent | undefined;
  return {
    get http() {
      return (plain ??= new PlainAgent(options, egress));
    },
    get https() {
      return (secure ??= new SecureAgent(secureContext ? { ...options, secureContext } : options, egress, {
        baseHost,
        serverName: tls.serverName,
      }));
    },
    proxyOf(url) {
      const { proxy } = egress;
      return proxy !== undefined && goesThrough(proxy, targetAt(url)) ? nameOf(proxy) : undefined;
    },
    dropIdle(url) {
      const { host, port } = targetAt(url);
      const agent = url.protocol === 'https:' ? secure : plain;
      for (const [name, idle] of Object.entries(agent?.freeSockets ?? {})) {
        // Node names them by host and port, and then by the settings of their connection.
        if (name.startsWith(`${host}:${port}:`)) for (const socket of idle ?? []) socket.destroy();
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
