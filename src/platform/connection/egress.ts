import { lookup as systemLookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import type { BridgeError } from '../../core/errors.ts';
import { whyBlocked } from './addresses.ts';
import { unavailable } from './unreachable.ts';

/**
 * Hosts that connections may go to, authorisation servers included; undefined: any. Each is a name, an address, or
 * `*.example.com` for all names below it.
 */
export type AllowedHosts = readonly string[] | undefined;

/** Decides where connections may go. A connection goes to the very address that was checked. */
export interface Guard {
  /** Why no connection may go to a host (a name or an address), or undefined. A name still goes through `lookup`. */
  check(host: string): BridgeError | undefined;
  /** Resolves a name to those of its addresses that a connection may go to. */
  readonly lookup: LookupFunction;
  /**
   * Why no proxy may be asked for a host, or undefined. The proxy resolves the name itself, so the addresses that this machine
   * knows for it are judged; a name that it does not know is left to the proxy.
   */
  checkForProxy(host: string): Promise<BridgeError | undefined>;
}

/** A name server that is silent for longer knows no address; many plants resolve no public name. */
const LOOKUP_MS = 2_000;

/** `resolve` is the resolver of the system (hosts file, then DNS), except in tests. */
export function guardEgress(allowHosts: AllowedHosts, resolve: LookupFunction = systemLookup): Guard {
  const allowed = allowHosts?.map((host) => host.toLowerCase());

  function check(host: string): BridgeError | undefined {
    const name = host.toLowerCase().replace(/\.$/, '');
    if (allowed && !allowed.some((entry) => covers(entry, name))) {
      return unavailable(
        'blocked',
        `connecting to ${host}: the host is not among the allowed hosts`,
        `correct the address, or add ${name} to DATABRIDGE_EGRESS_HOSTS on every host of the bridge and restart it`,
      );
    }
    const why = isIP(name) === 0 ? undefined : whyBlocked(name);
    return why === undefined ? undefined : forbidden(host, why);
  }

  /** The addresses of a name as far as this machine knows them. */
  function known(host: string): Promise<readonly string[]> {
    const found = Promise.withResolvers<readonly string[]>();
    const late = setTimeout(() => found.resolve([]), LOOKUP_MS);
    resolve(host, { all: true }, (error, addresses) => {
      clearTimeout(late);
      const list = typeof addresses === 'string' ? [addresses] : (addresses ?? []).map(({ address }) => address);
      found.resolve(error ? [] : list);
    });
    return found.promise;
  }

  return {
    check,
    async checkForProxy(host) {
      const error = check(host);
      if (error !== undefined || isIP(host) !== 0) return error;
      // One of several is enough, because the proxy chooses among them.
      const why = (await known(host)).map(whyBlocked).find((reason) => reason !== undefined);
      return why === undefined ? undefined : forbidden(host, why);
    },
    lookup(hostname, options, callback) {
      resolve(hostname, { ...options, all: true }, (error, found, family) => {
        if (error) return callback(error, '');
        const addresses: LookupAddress[] =
          typeof found === 'string' ? [{ address: found, family: family ?? 4 }] : found;
        const open = addresses.filter(({ address }) => whyBlocked(address) === undefined);
        const [first] = open;
        if (first === undefined) {
          return callback(forbidden(hostname, whyBlocked(addresses[0]?.address ?? '') ?? 'not an address'), '');
        }
        return options.all === true ? callback(null, open) : callback(null, first.address, first.family);
      });
    },
  };
}

const covers = (entry: string, host: string): boolean =>
  entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : entry === host;

const forbidden = (host: string, why: string): BridgeError =>
  unavailable('blocked', `connecting to ${host}: it is ${why}, which is always blocked`);
