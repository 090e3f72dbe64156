import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isLoopback } from './addresses.ts';

/** The proxy for requests to platforms and their authorisation servers. */
export interface ProxySettings {
  /** `http://` or `https://`, host and port, with user and password where the proxy asks for them. */
  readonly url: string;
  /**
   * Targets that are asked directly: a name (with all names below it), `.name` or `*.name` (those below it only), an address, a
   * network like `10.0.0.0/8`, each also with a port, or `*` for all.
   */
  readonly exceptions: readonly string[];
}

/** A host and port that a request goes to. */
export interface Target {
  /** A name or an address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/**
 * Whether requests to a target go through the proxy. The rules are those of Go and, except for networks, of curl: this machine
 * itself is always asked directly, and names are not resolved to compare them with addresses.
 */
export function goesThrough({ exceptions }: ProxySettings, { host, port }: Target): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (name === 'localhost' || (isIP(name) !== 0 && isLoopback(name))) return false;
  return !exceptions.some((entry) => excepts(entry.toLowerCase(), name, port));
}

function excepts(entry: string, host: string, port: number): boolean {
  const { name, only } = partsOf(entry);
  if (only !== undefined && only !== port) return false;
  if (name === '*') return true;
  if (isIP(host) === 0) {
    const below = name.replace(/^\*?\./, '');
    return host.endsWith(`.${below}`) || (below === name && host === name);
  }
  return holdsAddress(name, host);
}

/** An IPv6 address with a port stands in brackets. */
function partsOf(entry: string): { name: string; only: number | undefined } {
  const found = /^\[(.+)\](?::(\d+))?$/.exec(entry) ?? /^([^:]+):(\d+)$/.exec(entry);
  if (found === null) return { name: entry, only: undefined };
  return { name: found[1] ?? '', only: found[2] === undefined ? undefined : Number(found[2]) };
}

function holdsAddress(network: string, address: string): boolean {
  const parsed = ipaddr.process(address);
  if (ipaddr.isValid(network)) return ipaddr.process(network).toString() === parsed.toString();
  if (!ipaddr.isValidCIDR(network)) return false;
  const [base, bits] = ipaddr.parseCIDR(network);
  return base.kind() === parsed.kind() && parsed.match(base, bits);
}

/** The proxy in messages: without user and password. */
export const nameOf = ({ url }: ProxySettings): string => new URL(url).origin;
