import axios from 'axios';
import { expect, test } from 'vitest';
import { recognise } from './namespace.ts';

const at = async (baseURL: string, data: unknown): Promise<readonly [boolean, readonly string[]]> => {
  const asked: string[] = [];
  const http = axios.create({
    baseURL,
    adapter: async (config) => {
      asked.push(config.url ?? '');
      return { status: 200, statusText: '', headers: {}, config, data };
    },
  });
  return [await recognise(http), asked];
};

const document = { token_endpoint: 'https://euno.datahub.connect.aveva.com/identity/connect/token' };

test('a host of the regions that relays its identity service is the hub; no other host is asked', async () => {
  expect(await at('https://euno.datahub.connect.aveva.com', document)).toEqual([
    true,
    ['https://euno.datahub.connect.aveva.com/identity/.well-known/openid-configuration'],
  ]);
  expect((await at('https://euno.datahub.connect.aveva.com', '<html>'))[0]).toBe(false);
  expect(await at('https://datahub.connect.aveva.com.example', document)).toEqual([false, []]);
});
