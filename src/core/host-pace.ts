import type { Pace } from './pace.ts';

/** Requests a second that a host may get from all sources together, by its name, or its name and port. */
export type HostPaces = ReadonlyMap<string, number>;

/** A host with its port, where one is written: a name or an IPv4 address, or an IPv6 address in brackets. */
const ENTRY = /^([\p{L}\p{N}._-]+(?::\d{1,5})?|\[[\da-f:.]+\](?::\d{1,5})?)=(\d+(?:\.\d+)?)$/iu;

/** More is none: one host of this bridge sends less. */
const MOST = 10_000;

/** A slower pace is written as an interval of the sources. */
const LEAST = 0.01;

/** `historian.plant.example=10, 10.0.0.5:8086=2.5`. Undefined where an entry is none, or a host is named twice. */
export function parseHostPaces(text: string): HostPaces | undefined {
  const paces = new Map<string, number>();
  for (const entry of text.split(',').map((one) => one.trim())) {
    const [, host, number] = ENTRY.exec(entry) ?? [];
    const perSecond = Number(number);
    if (host === undefined || !(perSecond >= LEAST && perSecond <= MOST)) return undefined;
    // As an address is normalised: lower case, in ASCII, an IPv6 address at its shortest.
    if (!URL.canParse(`http://${host}`)) return undefined;
    const { hostname } = new URL(`http://${host}`);
    const port = /:(\d+)$/.exec(host.replace(/^\[.*\]/, ''))?.[1];
    const key = port === undefined ? hostname : `${hostname}:${Number(port)}`;
    if (paces.has(key)) return undefined;
    paces.set(key, perSecond);
  }
  return paces;
}

const USUAL_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** The pace of the host that an address leads to: that of its name and port, otherwise that of its name, over all ports. */
export function paceOfHost(paces: HostPaces, url: URL): { readonly host: string; readonly pace: Pace } | undefined {
  if (paces.size === 0) return undefined;
  const { hostname, port, protocol } = url;
  const host = [`${hostname}:${port || USUAL_PORTS[protocol]}`, hostname].find((key) => paces.has(key));
  if (host === undefined) return undefined;
  const requestsPerSecond = paces.get(host) ?? 0;
  // Evenly, because the sources of a host have bursts of their own.
  return { host, pace: { requestsPerSecond, burst: 1, concurrency: Infinity, quietHours: [] } };
}
