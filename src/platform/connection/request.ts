import axios, { AxiosHeaders } from 'axios';
import type { InternalAxiosRequestConfig } from 'axios';
import { BridgeError, contractBroken } from '../../core/errors.ts';
import { isLoopback } from './addresses.ts';
import type { Conversation, PlatformRequest } from './layer.ts';
import { ACCEPTED_PACKING } from './unpack.ts';

/** An adapter's request as the layers take it. `config` has been through axios' own request transforms. */
export function requestOf(config: InternalAxiosRequestConfig, conversation: Conversation): PlatformRequest {
  const method = (config.method ?? 'get').toUpperCase();
  const url = urlOf(config);
  const headers = new AxiosHeaders(config.headers);
  // On loopback, packing costs more than it saves.
  headers.set('Accept-Encoding', isLoopback(url.hostname) ? 'identity' : ACCEPTED_PACKING, false);
  if (config.auth) {
    const { username, password } = config.auth;
    headers.set('Authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
  }
  const data: unknown = config.data;
  if (typeof data === 'object' && data !== null && 'pipe' in data) {
    throw new BridgeError(
      { code: 'bug' },
      `${method} ${url.origin}: a stream cannot be sent, because it cannot be repeated`,
    );
  }
  return { method, url, headers, data, expect: config.expect ?? [], conversation };
}

function urlOf(config: InternalAxiosRequestConfig): URL {
  const text = axios.getUri(config);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw contractBroken('a request was to go to an address that is not an http address', text);
  }
  // Credentials travel in the headers of `sign`, never in an address that a platform has handed out.
  url.username = '';
  url.password = '';
  return url;
}
