import { Axios, AxiosHeaders } from 'axios';
import type { InternalAxiosRequestConfig } from 'axios';
import { BridgeError, contractBroken } from '../../core/errors.ts';
import { isLoopback } from './addresses.ts';
import type { Conversation, PlatformRequest } from './layer.ts';
import { ACCEPTED_PACKING } from './unpack.ts';

/** An adapter's request as the layers take it. `config` has been through axios' own request transforms, and is this request's own. */
export function requestOf(config: InternalAxiosRequestConfig, conversation: Conversation): PlatformRequest {
  const method = (config.method ?? 'get').toUpperCase();
  const url = urlOf(config);
  const headers = AxiosHeaders.from(config.headers);
  // On loopback, packing costs more than it saves.
  if (!headers.has('Accept-Encoding')) {
    headers.set('Accept-Encoding', isLoopback(url.hostname) ? 'identity' : ACCEPTED_PACKING);
  }
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

/** Without settings, because axios would merge all of them once more for each address. */
const addresses = new Axios({});

function urlOf({ baseURL, url: path, allowAbsoluteUrls, params, paramsSerializer }: InternalAxiosRequestConfig): URL {
  const text = addresses.getUri({
    ...(baseURL !== undefined && { baseURL }),
    ...(path !== undefined && { url: path }),
    ...(allowAbsoluteUrls !== undefined && { allowAbsoluteUrls }),
    ...(params !== undefined && { params: params as unknown }),
    ...(paramsSerializer !== undefined && { paramsSerializer }),
  });
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw contractBroken('a request was to go to an address that is not an http address', text);
  }
  // Credentials travel in the headers of `sign`, never in an address that a platform has handed out.
  if (url.username !== '' || url.password !== '') {
    url.username = '';
    url.password = '';
  }
  return url;
}
