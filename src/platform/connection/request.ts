import axios, { AxiosHeaders } from 'axios';
import type { InternalAxiosRequestConfig } from 'axios';
import { BridgeError, contractBroken } from '../../core/errors.ts';
import { isLoopback } from './addresses.ts';
import type { Conversation, PlatformRequest } from './layer.ts';
import { ACCEPTED_PACKING } from './unpack.ts';

/** What an adapter asks for, as the layers see it; `config` has been through axios' own request transforms. */
export function requestOf(config: InternalAxiosRequestConfig, conversation: Conversation): PlatformRequest {
  const method = (config.method ?? 'get').toUpperCase();
  const url = urlOf(config);
  const headers = new AxiosHeaders(config.headers);
  // Packing costs more than it saves where no network lies between.
  headers.set('Accept-Encoding', isLoopback(url.hostname) ? 'identity' : ACCEPTED_PACKING, false);
  if (config.auth) {
    const { username, password } = config.auth;
    headers.set('Authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
  }
  const data: unknown = config.data;
  if (typeof data === 'object' && data !== null && 'pipe' in data) {
    throw new BridgeError(
      { code: 'bug' },
      `${method} ${url.origin}: a stream cannot be sent, since it cannot be repeated`,
    );
  }
  return { method, url, headers, data, expect: config.expect ?? [], conversation };
}

function urlOf(config: InternalAxiosRequestConfig): URL {
  const text = axios.getUri(config);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw contractBroken('an address that is no http address was to be asked', text);
  }
  // Credentials travel in headers that the layers know, never in an address a platform handed out.
  url.username = '';
  url.password = '';
  return url;
}
