import type { IncomingMessage } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { bodyOf, json, openRig, refusal, serve, tidyUp } from '../../../test/kit/connection-rig.ts';
import type { Authorisation } from '../contract.ts';

afterEach(tidyUp);

const credentials = { username: 'plant', password: 'open sesame' };

/** A platform that gives the tokens t1, t2, … and takes them in the body until they end. */
async function platform(ended: readonly string[] = []) {
  const seen: unknown[] = [];
  let issued = 0;
  const url = await serve((request: IncomingMessage, response) => {
    void bodyOf(request).then((text) => {
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      seen.push([request.url, body]);
      if (request.url === '/login') return json(response, { userToken: `t${(issued += 1)}` });
      const { token } = (body ?? {}) as { token?: string };
      const isOver = token === undefined || ended.includes(token);
      return json(response, isOver ? { statusCode: 'BadUserToken', errors: [`${token} is over`] } : { value: 5 });
    });
  });
  const authorisation: Authorisation = {
    sign: () => ({}),
    signBody: (token) => ({ token }),
    refusesToken: (text) => text.includes('"BadUserToken"'),
    obtain: async (http) => ({
      token: (await http.post<{ userToken: string }>('/login', {})).data.userToken,
      expiresAt: undefined,
    }),
  };
  return { seen, rig: openRig(url, { credentials, authorisation }) };
}

it('the token stands in each JSON body, beside the fields of the adapter', async () => {
  const { seen, rig } = await platform();
  expect((await rig.http.post('/data', { tags: ['a'] })).data).toEqual({ value: 5 });
  expect(seen).toEqual([
    ['/login', {}],
    ['/data', { tags: ['a'], token: 't1' }],
  ]);
});

it('an answer that refuses the token with status 200 leads to one new login', async () => {
  const { seen, rig } = await platform(['t1']);
  expect((await rig.http.post('/data', {})).data).toEqual({ value: 5 });
  expect(seen).toEqual([
    ['/login', {}],
    ['/data', { token: 't1' }],
    ['/login', {}],
    ['/data', { token: 't2' }],
  ]);
});

it('a second refusal is final, in words without the token', async () => {
  const { seen, rig } = await platform(['t1', 't2', 't3']);
  const error = await refusal(rig.http.post('/data', {}));
  expect(error.fault).toEqual({ code: 'credentials-rejected', right: false });
  expect(`${error.message} ${error.remedy}`).not.toMatch(/t\d/);
  expect(seen).toHaveLength(4);
  expect((await refusal(rig.http.post('/data', {}))).code).toBe('credentials-rejected');
  expect(seen).toHaveLength(4);
});

it('a body that cannot hold the token is a bug, and is not sent', async () => {
  const { seen, rig } = await platform();
  expect((await refusal(rig.http.post('/data', new URLSearchParams({ a: '1' })))).code).toBe('bug');
  expect(seen).toEqual([['/login', {}]]);
});
