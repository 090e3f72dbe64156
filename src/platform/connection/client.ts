import axios, { Axios } from 'axios';
import type { AxiosAdapter, AxiosInstance, AxiosRequestConfig, AxiosResponse } from 'axios';
import type { BridgeError } from '../../core/errors.ts';
import type { Http } from '../contract.ts';

/** What an http of a connection needs. */
export interface ClientSettings {
  readonly baseUrl: string;
  readonly userAgent: string;
  readonly adapter: AxiosAdapter;
  readonly cleanError: (error: unknown) => BridgeError;
}

const ACCEPT = 'application/json, text/plain, */*';

/**
 * An http. `axios.create` would copy some forty settings for each, which takes as long as a third of a small request, and there
 * is one http for each window.
 */
export function lightHttp(settings: ClientSettings): Http {
  const client = new Client(settings);
  // As what `axios.create` makes, it can also be called itself.
  const call = (given: string | AxiosRequestConfig, config?: AxiosRequestConfig): Promise<AxiosResponse> =>
    typeof given === 'string' ? client.request({ ...config, url: given }) : client.request(given);
  return Object.setPrototypeOf(call, client) as AxiosInstance;
}

class Client extends Axios {
  // Not `#`, because an http only inherits from its client.
  private readonly cleanError: ClientSettings['cleanError'];

  constructor({ baseUrl, userAgent, adapter, cleanError }: ClientSettings) {
    super({
      baseURL: baseUrl,
      headers: { common: { Accept: ACCEPT }, 'User-Agent': userAgent } as AxiosRequestConfig['headers'] & object,
      responseType: 'json',
      transformRequest: axios.defaults.transformRequest ?? [],
      transformResponse: [],
      adapter,
    });
    this.cleanError = cleanError;
  }

  override async request<T, R, D, P>(
    config: AxiosRequestConfig<D, P>,
  ): ReturnType<typeof Axios.prototype.request<T, R, D, P>> {
    try {
      return await super.request<T, R, D, P>(config);
    } catch (error) {
      throw this.cleanError(error);
    }
  }

  create(config: AxiosRequestConfig = {}): AxiosInstance {
    return axios.create({ ...this.defaults, ...config } as Parameters<typeof axios.create>[0]);
  }
}
