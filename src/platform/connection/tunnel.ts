import http, { STATUS_CODES } from 'node:http';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { BridgeError } from '../../core/errors.ts';
import { nameOf } from './proxy.ts';
import type { ProxySettings, Target } from './proxy.ts';
import { unavailable, networkWords } from './unreachable.ts';

/** Longer than a request may take to connect, so it only ends tunnels that no request waits for any more. */
const LONGEST_MS = 60_000;

/**
 * Opens a connection to a target through the proxy by CONNECT (RFC 9110, 9.3.6). Everything that goes wrong here is a fault of the
 * proxy or of the way behind it: nothing was sent to the platform, so no answer of the proxy can pass as one of the platform.
 */
export async function openTunnel(proxy: ProxySettings, target: Target, signal: AbortSignal): Promise<Duplex> {
  const url = new URL(proxy.url);
  const secure = url.protocol === 'https:';
  const authority = `${isIPv6(target.host) ? `[${target.host}]` : target.host}:${target.port}`;
  const opened = Promise.withResolvers<Duplex>();
  const request = (secure ? https : http).request({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    method: 'CONNECT',
    path: authority,
    headers: { Host: authority, ...credentialsOf(url) },
    agent: false,
    timeout: LONGEST_MS,
    signal,
  });
  request.once('connect', (answer, socket, head) => {
    const isOpen = answer.statusCode !== undefined && answer.statusCode >= 200 && answer.statusCode < 300;
    // The client speaks first in HTTP and TLS, so bytes behind the head are no tunnel.
    if (isOpen && head.length === 0) return opened.resolve(socket);
    socket.destroy();
    opened.reject(isOpen ? notAProxy(proxy) : refusedTunnel(answer, proxy, authority));
  });
  request.once('timeout', () => request.destroy(proxyFault(`the proxy ${nameOf(proxy)}: no answer`, RUNS)));
  request.once('error', (error) => opened.reject(explained(error, proxy)));
  request.end();
  return await opened.promise;
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

const RUNS = 'check DATABRIDGE_EGRESS_PROXY, that the proxy runs, and that it takes connections of this machine';

const proxyFault = (message: string, remedy: string): BridgeError => unavailable('proxy', message, remedy);

const notAProxy = (proxy: ProxySettings): BridgeError =>
  proxyFault(
    `the proxy ${nameOf(proxy)}: its answer is not that of an HTTP proxy`,
    'check scheme and port in DATABRIDGE_EGRESS_PROXY; SOCKS is not supported',
  );

function explained(error: Error, proxy: ProxySettings): BridgeError {
  if (error instanceof BridgeError) return error;
  const words = networkWords(error);
  return words === undefined ? notAProxy(proxy) : proxyFault(`the proxy ${nameOf(proxy)}: ${words}`, RUNS);
}

function refusedTunnel(answer: IncomingMessage, proxy: ProxySettings, authority: string): BridgeError {
  const { statusCode: status = 0, headers } = answer;
  const said = `the proxy ${nameOf(proxy)} answers ${status} ${STATUS_CODES[status] ?? ''}`.trim();
  if (status === 407) {
    const scheme = /^[a-z]+/i.exec(String(headers['proxy-authenticate'] ?? ''))?.[0];
    return proxyFault(
      `${said} for ${authority}${scheme === undefined ? '' : ` and asks for ${scheme}`}`,
      'write user and password of the proxy before the host in DATABRIDGE_EGRESS_PROXY and restart the bridge; only Basic is supported, so where the proxy wants another scheme let it admit this machine without',
    );
  }
  if (status >= 500) {
    return proxyFault(
      `${said}: it does not reach ${authority}`,
      'check the address in the source, and in the log of the proxy why it cannot reach it; name a host of the own network in DATABRIDGE_EGRESS_NO_PROXY',
    );
  }
  return proxyFault(
    `${said} for ${authority}`,
    'let the administrator of the proxy allow tunnels (CONNECT) to this host and port, or name the host in DATABRIDGE_EGRESS_NO_PROXY',
  );
}
