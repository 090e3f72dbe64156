import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Addresses at which clouds give secrets to any process on the machine: AWS and GCP over IPv6, Alibaba, Azure's wire
 * server, Oracle's classic address (that of AWS and most others over IPv4 is link-local). Source: each vendor's page on
 * instance metadata.
 */
const METADATA = new Set(['fd00:ec2::254', 'fd20:ce::254', '100.100.100.200', '168.63.129.16', '192.0.0.192']);

/** Ranges in which no platform of a plant lies. Private and loopback addresses are normal for one. */
const NEVER: Readonly<Record<string, string>> = {
  linkLocal: 'a link-local address',
  unspecified: 'the unspecified address',
  multicast: 'a multicast address',
  broadcast: 'the broadcast address',
};

/** Why no request may go to an IP address, or undefined where one may. Text that is not an address is blocked, too. */
export function whyBlocked(address: string): string | undefined {
  const bare = address.replace(/%.*$/, '');
  if (!ipaddr.isValid(bare)) return 'not an address';
  const parsed = ipaddr.parse(bare);
  for (const candidate of [parsed, ...embedded(parsed)]) {
    if (METADATA.has(candidate.toString())) return 'an address of cloud metadata';
    const why = NEVER[candidate.range()];
    if (why !== undefined) return candidate.toString() === '169.254.169.254' ? 'an address of cloud metadata' : why;
  }
  return undefined;
}

export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (bare === 'localhost') return true;
  if (isIPv4(bare)) return bare.startsWith('127.');
  return isIPv6(bare) && ipaddr.process(bare).range() === 'loopback';
}

/**
 * First 96 bits that precede an IPv4 address: compatible and mapped (RFC 4291), translated (2765), NAT64 (6052, 8215).
 */
const PREFIXES = ['0:0:0:0:0:0', '0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '64:ff9b:0:0:0:0', '64:ff9b:1:0:0:0'];

/** The IPv4 address that an IPv6 address stands for, where it does; also with 6to4 (RFC 3056). */
function embedded(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4[] {
  if (address instanceof ipaddr.IPv4 || address.range() === 'loopback') return [];
  const bytes = address.toByteArray();
  const leading = address.parts.slice(0, 6).map((part) => part.toString(16));
  if (PREFIXES.includes(leading.join(':'))) return [new ipaddr.IPv4(bytes.slice(12))];
  return address.parts[0] === 0x2002 ? [new ipaddr.IPv4(bytes.slice(2, 6))] : [];
}
