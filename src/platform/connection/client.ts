import axios, { Axios, AxiosHeaders } from 'axios';
import type { AxiosAdapter, AxiosInstance, AxiosRequestConfig, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type { BridgeError } from '../../core/errors.ts';
import type { Http } from '../contract.ts';
import { cancelled } from './layer.ts';

/** What an http of a connection needs. */
export interface ClientSettings {
  readonly baseUrl: string;
  readonly userAgent: string;
  readonly adapter: AxiosAdapter;
  readonly cleanError: (error: unknown) => BridgeError;
}

const ACCEPT = 'application/json, text/plain, */*';

/**
 * An http, which has its client as prototype. There is one for each window, and `axios.create` would copy some forty settings for
 * each, which takes as long as a third of a small request.
 */
export function lightHttp({ baseUrl, userAgent, adapter, cleanError }: ClientSettings): Http {
  // As what `axios.create` makes, it can also be called itself.
  const http = Object.assign(
    (given: string | AxiosRequestConfig, config?: AxiosRequestConfig): Promise<AxiosResponse> =>
      (http as unknown as Client).request(typeof given === 'string' ? { ...config, url: given } : given),
    {
      defaults: {
        baseURL: baseUrl,
        headers: { common: { Accept: ACCEPT, 'User-Agent': userAgent } },
        responseType: 'json',
        transformRequest: axios.defaults.transformRequest,
        transformResponse: [],
        adapter,
      },
      cleanError,
    },
  );
  return Object.setPrototypeOf(http, Client.prototype) as AxiosInstance;
}

class Client extends Axios {
  declare readonly cleanError: ClientSettings['cleanError'];
  /** Made when an adapter asks for them. */
  declare intercepted: Axios['interceptors'] | undefined;

  override async request<T, R, D, P>(
    config: AxiosRequestConfig<D, P>,
  ): ReturnType<typeof Axios.prototype.request<T, R, D, P>> {
    try {
      const plain = plainConfig(this, config);
      return await (plain === undefined ? super.request<T, R, D, P>(config) : (send(plain) as never));
    } catch (error) {
      throw this.cleanError(error);
    }
  }

  override get<T, R, D, P>(
    url: string,
    config?: AxiosRequestConfig<D, P>,
  ): ReturnType<typeof Axios.prototype.get<T, R, D, P>> {
    return this.request({ ...config, method: 'get', url });
  }

  override post<T, R, D, P>(
    url: string,
    data?: D,
    config?: AxiosRequestConfig<D, P>,
  ): ReturnType<typeof Axios.prototype.post<T, R, D, P>> {
    return this.request({ ...config, method: 'post', url, ...(data !== undefined && { data }) });
  }

  create(config: AxiosRequestConfig = {}): AxiosInstance {
    return axios.create({ ...this.defaults, ...config } as Parameters<typeof axios.create>[0]);
  }
}

Object.defineProperty(Client.prototype, 'interceptors', {
  get(this: Client) {
    return (this.intercepted ??= new Axios().interceptors);
  },
});

const DEFAULTS: ReadonlySet<string> = new Set([
  'baseURL',
  'headers',
  'responseType',
  'transformRequest',
  'transformResponse',
  'adapter',
]);

const PLAIN: ReadonlySet<string> = new Set([
  'method',
  'url',
  'data',
  'params',
  'paramsSerializer',
  'headers',
  'responseType',
  'expect',
  'signal',
]);

/**
 * A request as axios would hand it to its adapter. Undefined where an interceptor, or a setting that few requests have, has to do
 * with it: axios then puts it together, which takes longer than all layers of a small request.
 */
function plainConfig(
  { defaults, intercepted }: Client,
  given: AxiosRequestConfig,
): InternalAxiosRequestConfig | undefined {
  if (intercepted !== undefined) return undefined;
  const { headers: ofEvery, ...rest } = defaults;
  const isPlain =
    Object.keys(ofEvery).length === 1 &&
    [rest.transformResponse ?? []].flat().length === 0 &&
    Object.keys(rest).every((name) => DEFAULTS.has(name)) &&
    Object.keys(given).every((name) => PLAIN.has(name));
  if (!isPlain) return undefined;
  const headers = new AxiosHeaders(ofEvery.common as Record<string, string>);
  if (given.headers) headers.set(given.headers as Record<string, string>);
  return { ...rest, ...given, method: (given.method ?? 'get').toLowerCase(), headers };
}

/** As axios does it; an http has no transforms of answers. */
async function send(config: InternalAxiosRequestConfig): Promise<AxiosResponse> {
  const { adapter, headers, method = '', signal } = config;
  if (signal?.aborted) throw cancelled('cancelled');
  for (const transform of [config.transformRequest ?? []].flat()) {
    config.data = transform.call(config, config.data, headers) as unknown;
  }
  if (['post', 'put', 'patch'].includes(method)) {
    headers.setContentType('application/x-www-form-urlencoded', false);
  }
  const answer = await (adapter as AxiosAdapter)(config);
  if (signal?.aborted) throw cancelled('cancelled');
  return answer;
}
