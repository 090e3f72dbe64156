import axios, { AxiosHeaders } from 'axios';
import type { AxiosAdapter, AxiosInstance, AxiosRequestConfig, InternalAxiosRequestConfig } from 'axios';
import { expect, test } from 'vitest';
import { asBridgeError } from '../../core/errors.ts';
import { lightHttp } from './client.ts';

const settings = { baseUrl: 'http://platform.test/api', userAgent: 'databridge', cleanError: asBridgeError };

/** What the adapter of axios is given for a request. */
async function givenFor(
  httpWith: (adapter: AxiosAdapter) => AxiosInstance,
  ask: (http: AxiosInstance) => Promise<unknown>,
): Promise<unknown> {
  let given: InternalAxiosRequestConfig | undefined;
  const http = httpWith(async (config) => {
    given = config;
    return { data: '', status: 200, statusText: '', headers: new AxiosHeaders(), config };
  });
  await ask(http);
  const { method, url, baseURL, data, params, headers, responseType, expect: expected } = given ?? {};
  return {
    method,
    url,
    baseURL,
    data: data as unknown,
    params: params as unknown,
    headers: { ...headers?.toJSON() },
    responseType,
    expected,
  };
}

const ours = (adapter: AxiosAdapter): AxiosInstance => lightHttp({ ...settings, adapter });

const ofAxios = (adapter: AxiosAdapter): AxiosInstance => {
  const headers = { Accept: 'application/json, text/plain, */*', 'User-Agent': 'databridge' };
  return axios.create({ baseURL: settings.baseUrl, headers, responseType: 'json', adapter });
};

const form = new URLSearchParams({ q: 'SELECT * FROM "m"' });
const json: AxiosRequestConfig = { headers: { 'Content-Type': 'application/json; charset=utf-16' } };

test.for<readonly [string, (http: AxiosInstance) => Promise<unknown>]>([
  ['get', (http) => http.get('/x', { params: { a: [1, 2] }, expect: [404] })],
  [
    'get with headers',
    (http) => http.get('/x', { headers: { accept: 'text/csv', 'X-One': '1' }, responseType: 'text' }),
  ],
  ['a form', (http) => http.post('/x', form, { responseType: 'stream' })],
  ['JSON', (http) => http.post('/x', { a: 1 })],
  ['JSON of another type', (http) => http.post('/x', { a: 1 }, json)],
  ['text', (http) => http.post('/x', 'a=b')],
  ['nothing', (http) => http.post('/x')],
  ['a put', (http) => http.put('/x', { a: 1 })],
  ['a call', (http) => http({ url: '/x' })],
  ['a call with an address', (http) => http('/x', { method: 'POST', data: [1] })],
  ['a setting of axios', (http) => http.get('/x', { timeout: 5 })],
  [
    'an interceptor',
    (http) => {
      http.interceptors.request.use((config) => Object.assign(config, { url: '/y' }));
      return http.get('/x');
    },
  ],
  [
    'a changed default',
    (http) => {
      http.defaults.headers['X-All'] = 'yes';
      return http.get('/x');
    },
  ],
])('a request with %s is put together as axios does it', async ([, ask]) => {
  expect(await givenFor(ours, ask)).toEqual(await givenFor(ofAxios, ask));
});
