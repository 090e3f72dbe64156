import axios from 'axios';
import type { InternalAxiosRequestConfig } from 'axios';
import { BridgeError } from '../../src/core/errors.ts';
import type { Http } from '../../src/platform/contract.ts';

/** A request as it went out: `GET /path`, its query parameters and its parsed body. */
export interface Asked {
  readonly call: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** An answer in place of the server: a body (with status 200), or a status and a body. */
export type Answer = { readonly status: number; readonly body: unknown };

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const no = (status: number, errorCode: number, message = 'no'): Answer => ({
  status,
  body: { status, errorCode, message, timestamp: '2026-01-01T00:00:00.000+0000' },
});

/** An `http` that answers from memory, for unit tests. Unexpected error statuses are `unavailable`, as the layers make them. */
export function canned(server: (asked: Asked) => Answer): { readonly http: Http; readonly asked: readonly Asked[] } {
  const asked: Asked[] = [];
  const http = axios.create({
    baseURL: 'http://thingsboard.test/base',
    adapter: async (config: InternalAxiosRequestConfig) => {
      await Promise.resolve();
      const url = new URL(axios.getUri(config));
      const body: unknown = typeof config.data === 'string' ? JSON.parse(config.data) : undefined;
      const call = `${(config.method ?? '').toUpperCase()} ${url.pathname.replace('/base', '')}`;
      const question = { call, query: url.searchParams, body };
      asked.push(question);
      if (asked.length > 100) throw new Error('asked in circles');
      const { status, body: data } = server(question);
      const response = { status, statusText: '', headers: {}, config, data };
      if (status < 400 || config.expect?.includes(status)) return response;
      const fault = { code: 'unavailable', why: 'status', status } as const;
      throw new BridgeError(fault, `HTTP ${status}`);
    },
  });
  return { http, asked };
}

/** All values that an async iterable yields. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
