import { afterEach, describe, expect, it } from 'vitest';
import type { ConnectionParts } from './index.ts';
import { SECOND } from '../../core/instant.ts';
import type { Instant } from '../../core/instant.ts';
import type { Authorisation, Grant } from '../contract.ts';
import { memoryTokens } from './index.ts';
import { NOW, json, openRig, serve, tidyUp } from '../../../test/kit/connection-rig.ts';

afterEach(tidyUp);

/** A platform whose tokens are granted by `grant` and always accepted; it answers with the token. */
async function platform(grant: (login: number, now: Instant) => Grant) {
  const state = { now: NOW, logins: 0 };
  const url = await serve((request, response) => json(response, request.headers['x-token']));
  const authorisation: Authorisation = {
    sign: (_credentials, token) => ({ 'X-Token': token ?? '' }),
    obtain: async () => grant((state.logins += 1), state.now),
  };
  const open = (parts: Partial<ConnectionParts> = {}, source?: string) =>
    openRig(url, { authorisation, ...(source !== undefined && { source }) }, { now: () => state.now, ...parts }).http;
  return { state, open };
}

describe('a token whose life is given in seconds', () => {
  const grant = (login: number): Grant => ({ token: `t${login}`, expiresAt: undefined, expiresInSeconds: 100 });

  it('ends by the clock of the bridge, and is replaced in the last fifth of its life', async () => {
    const { state, open } = await platform(grant);
    const http = open();
    const at = async (seconds: number): Promise<unknown> => {
      state.now = NOW + seconds * SECOND;
      return (await http.get('/')).data;
    };
    expect([await at(0), await at(79), await at(80), await at(159), await at(160)]).toEqual([
      't1',
      't1',
      't2',
      't2',
      't3',
    ]);
  });

  it('is replaced at the same time by a process that sees it late', async () => {
    const { state, open } = await platform(grant);
    const tokens = memoryTokens();
    await open({ tokens }).get('/');
    state.now = NOW + 80 * SECOND;
    expect((await open({ tokens }).get('/')).data).toBe('t2');
  });

  it('is replaced at a time that follows from the name of the source, so that many that end together are not', async () => {
    const { state, open } = await platform(grant);
    const sources = Array.from({ length: 40 }, (_, number) => ({ source: `hall-${number}`, tokens: memoryTokens() }));
    const loginsAt = async (seconds: number): Promise<number> => {
      state.now = NOW + seconds * SECOND;
      const before = state.logins;
      for (const { source, tokens } of sources) {
        // Two processes renew it at the same time.
        for (const process of [1, 2].map(() => open({ tokens }, source))) await process.get('/');
      }
      return state.logins - before;
    };
    expect(await loginsAt(0)).toBe(40);
    expect(await loginsAt(59)).toBe(0);
    const spread = [await loginsAt(65), await loginsAt(70), await loginsAt(75), await loginsAt(80)];
    expect(spread.reduce((sum, logins) => sum + logins, 0)).toBe(40);
    expect(Math.max(...spread)).toBeLessThan(20);
  });

  it('that the server gives again until it ends costs few logins', async () => {
    const { state, open } = await platform((_login, now) => ({
      token: 'same',
      expiresAt: undefined,
      expiresInSeconds: (NOW + 1000 * SECOND - now) / SECOND,
    }));
    const http = open();
    await http.get('/');
    for (let second = 900; second < 1000; second += 5) {
      state.now = NOW + second * SECOND;
      await http.get('/');
    }
    expect(state.logins).toBeLessThanOrEqual(5);
  });
});

it('the strategy knows the options of the source, and what it kept with the last grant', async () => {
  const seen: unknown[] = [];
  const url = await serve((_request, response) => json(response, {}, seen.length > 3 ? 200 : 401));
  const authorisation: Authorisation = {
    sign: (_credentials, token, options) => (seen.push(['sign', token, options]), {}),
    obtain: async (_http, _credentials, context) => {
      seen.push(['obtain', context]);
      return { token: 'first', expiresAt: undefined, renewal: 'r', keep: { tokenUrl: 'found' } };
    },
    renew: async (_http, { keep }, options) => {
      seen.push(['renew', keep, options]);
      return { token: 'second', expiresAt: undefined };
    },
  };
  const tokens = memoryTokens();
  const options = { scope: 'read' };
  await openRig(url, { authorisation, options }, { tokens }).http.get('/');
  const kept = { tokenUrl: 'found' };
  expect(seen).toEqual([
    ['obtain', { options, kept: undefined }],
    ['sign', 'first', options],
    ['renew', kept, options],
    ['sign', 'second', options],
  ]);
  await tokens.replace(await tokens.current(), async (previous) => ({ ...previous, token: 'third', expiresAt: NOW }));
  await openRig(url, { authorisation, options }, { tokens }).http.get('/');
  expect(seen[4]).toEqual(['obtain', { options, kept }]);
});

describe('a token that has to be given back', () => {
  async function used(parts: Partial<ConnectionParts>, status = 200) {
    const asked: string[] = [];
    const url = await serve((request, response) => {
      asked.push(`${request.method} ${request.url} ${String(request.headers['x-token'])}`);
      json(response, {}, request.method === 'POST' ? status : 200);
    });
    const authorisation: Authorisation = {
      sign: (_credentials, token) => ({ 'X-Token': token ?? '' }),
      obtain: async () => ({ token: 'mine', expiresAt: undefined }),
      revoke: async (http, { token }) =>
        void (await http.post('/revoke', undefined, { headers: { 'X-Token': token } })),
    };
    const { connection, http } = openRig(url, { authorisation }, parts);
    await http.get('/');
    await connection.close();
    return asked;
  }

  it.each([200, 500])('is given back once, when the connection that alone has it ends: %i', async (status) => {
    expect(await used({}, status)).toEqual(['GET / mine', 'POST /revoke mine']);
  });

  it('stays where other processes share it', async () => {
    const { drop: _drop, ...shared } = memoryTokens();
    expect(await used({ tokens: shared })).toEqual(['GET / mine']);
  });
});
