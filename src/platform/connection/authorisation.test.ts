import { afterEach, describe, expect, it } from 'vitest';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SECOND } from '../../core/instant.ts';
import type { Authorisation, Grant } from '../contract.ts';
import { memoryTokens, newMeter } from './index.ts';
import {
  NOW,
  basic,
  bodyOf,
  inSeconds,
  json,
  openRig,
  refusal,
  serve,
  tidyUp,
} from '../../../test/kit/connection-rig.ts';

afterEach(tidyUp);

const credentials = { username: 'plant', password: 'open sesame' };

describe('credentials without a token', () => {
  it('sign every request', async () => {
    const url = await serve((request, response) => json(response, request.headers.authorization));
    expect((await openRig(url, { credentials, authorisation: basic }).http.get('/')).data).toBe(
      `Basic ${Buffer.from('plant:open sesame').toString('base64')}`,
    );
  });

  it('that are refused once and then accepted do not stop the source', async () => {
    let asked = 0;
    const url = await serve((_request, response) => json(response, { asked: (asked += 1) }, asked === 1 ? 401 : 200));
    expect((await openRig(url, { credentials, authorisation: basic }).http.get('/')).data).toEqual({ asked: 2 });
  });

  it('that are refused cost two attempts in all, although many callers ask many times', async () => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      json(response, { message: 'wrong password' }, 401);
    });
    const rig = openRig(url, { credentials, authorisation: basic });
    const errors = await Promise.all(Array.from({ length: 5 }, () => refusal(rig.http.get('/'))));
    errors.push(await refusal(rig.http.get('/later')));
    const other = rig.connection.http({ lane: 'history', signal: rig.abort.signal, meter: newMeter() });
    errors.push(await refusal(other.get('/')));
    for (const error of errors) expect(error.fault).toEqual({ code: 'credentials-rejected', right: false });
    expect(errors[0]?.message).toMatch(/401 Unauthorized: wrong password/);
    expect(errors[0]?.remedy).toMatch(/password/);
    expect(asked).toBe(2);
    expect(rig.slots.released).toBe(rig.slots.taken);
  });

  it('that worked and are refused later cost at most one more attempt than requests under way', async () => {
    let good = true;
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      json(response, {}, good ? 200 : 401);
    });
    const rig = openRig(url, { credentials, authorisation: basic });
    await rig.http.get('/');
    good = false;
    asked = 0;
    await Promise.all([1, 2, 3].map(() => refusal(rig.http.get('/'))));
    expect(asked).toBeLessThanOrEqual(4);
    asked = 0;
    await refusal(rig.http.get('/'));
    expect(asked).toBe(0);
  });

  it('sign requests side by side once they have worked', async () => {
    const waiting: ServerResponse[] = [];
    let proven = false;
    const url = await serve((_request, response) => {
      if (!proven) return json(response, 1);
      waiting.push(response);
      if (waiting.length === 3) for (const each of waiting) json(each, 2);
      return undefined;
    });
    const rig = openRig(url, { credentials, authorisation: basic });
    await rig.http.get('/');
    proven = true;
    expect((await Promise.all([1, 2, 3].map(() => rig.http.get('/')))).map(({ data }) => data as unknown)).toEqual([
      2, 2, 2,
    ]);
  });

  it('that lack a right are not tried again', async () => {
    let asked = 0;
    const url = await serve((_request, response) => json(response, { detail: 'no read' }, (asked += 1) && 403));
    const error = await refusal(openRig(url, { credentials, authorisation: basic }).http.get('/'));
    expect(error.fault).toEqual({ code: 'credentials-rejected', right: true });
    expect(asked).toBe(1);
  });
});

/** A platform with tokens: POST /login and /renew give `t1`, `t2`, …; it gives data only for tokens in `valid`. */
async function tokenPlatform(behaviour: { login?: number; renew?: number; accept?: boolean } = {}) {
  const state = {
    issued: 0,
    logins: 0,
    renewals: 0,
    asked: 0,
    valid: new Set<string>(),
    authorisations: [] as unknown[],
  };
  const issue = (response: ServerResponse): void => {
    state.issued += 1;
    const token = `t${state.issued}`;
    if (behaviour.accept !== false) state.valid.add(token);
    json(response, { token });
  };
  const url = await serve((request: IncomingMessage, response) => {
    if (request.url === '/login' || request.url === '/renew') {
      const login = request.url === '/login';
      state[login ? 'logins' : 'renewals'] += 1;
      state.authorisations.push(request.headers.authorization);
      const status = login ? behaviour.login : behaviour.renew;
      void bodyOf(request).then(() =>
        status === undefined ? issue(response) : json(response, { error: 'no' }, status),
      );
      return;
    }
    state.asked += 1;
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    json(response, { token }, state.valid.has(token) ? 200 : 401);
  });
  return { state, url, behaviour };
}

const lifetime = 600;

function tokens(given: { expires?: boolean } = {}): Authorisation {
  const grantOf = (token: string): Grant => ({
    token,
    expiresAt: given.expires === false ? undefined : inSeconds(lifetime),
    renewal: `r-${token}`,
  });
  return {
    sign: (_credentials, token) => ({ Authorization: `Bearer ${token}` }),
    obtain: async (http, { username, password }) =>
      grantOf((await http.post<{ token: string }>('/login', { username, password })).data.token),
    renew: async (http, { renewal }) => grantOf((await http.post<{ token: string }>('/renew', { renewal })).data.token),
  };
}

describe('credentials with a token', () => {
  it('log in once for all callers, unsigned, with a slot of its own', async () => {
    const { state, url } = await tokenPlatform();
    const rig = openRig(url, { credentials, authorisation: tokens() });
    const answers = await Promise.all(Array.from({ length: 4 }, () => rig.http.get<{ token: string }>('/data')));
    expect(answers.map(({ data }) => data.token)).toEqual(['t1', 't1', 't1', 't1']);
    expect(state).toMatchObject({ logins: 1, asked: 4, authorisations: [undefined] });
    expect(rig.slots).toEqual({ taken: 5, released: 5, held: [] });
    expect(rig.meter.requests).toBe(5);
  });

  it('renew a refused token once for all callers, and repeat the requests', async () => {
    const { state, url } = await tokenPlatform();
    const rig = openRig(url, { credentials, authorisation: tokens() });
    await rig.http.get('/data');
    state.valid.clear();
    const answers = await Promise.all([1, 2, 3].map(() => rig.http.get<{ token: string }>('/data')));
    expect(answers.map(({ data }) => data.token)).toEqual(['t2', 't2', 't2']);
    expect(state).toMatchObject({ logins: 1, renewals: 1, authorisations: [undefined, undefined] });
  });

  it('log in again when the renewal is refused', async () => {
    const { state, url } = await tokenPlatform({ renew: 401 });
    const rig = openRig(url, { credentials, authorisation: tokens() });
    await rig.http.get('/data');
    state.valid.clear();
    expect((await rig.http.get<{ token: string }>('/data')).data.token).toBe('t2');
    expect(state).toMatchObject({ logins: 2, renewals: 1 });
  });

  it('do not log in again when the renewal failed without a refusal', async () => {
    const { state, url } = await tokenPlatform({ renew: 500 });
    const rig = openRig(url, { credentials, authorisation: tokens() });
    await rig.http.get('/data');
    state.valid.clear();
    expect((await refusal(rig.http.get('/data'))).fault).toEqual({ code: 'unavailable', why: 'status', status: 500 });
    expect(state).toMatchObject({ logins: 1, renewals: 1 });
  });

  it('are rejected when a fresh token is refused, and no more request is sent', async () => {
    const { state, url } = await tokenPlatform({ accept: false });
    const rig = openRig(url, { credentials, authorisation: tokens() });
    expect((await refusal(rig.http.get('/data'))).fault).toEqual({ code: 'credentials-rejected', right: false });
    expect(state).toMatchObject({ asked: 2, logins: 1, renewals: 1 });
    await refusal(rig.http.get('/data'));
    expect(state).toMatchObject({ asked: 2, logins: 1, renewals: 1 });
  });

  it.each([401, 403])('are rejected at once when the login answers %i', async (login) => {
    const { state, url } = await tokenPlatform({ login });
    const rig = openRig(url, { credentials, authorisation: tokens() });
    const errors = await Promise.all([1, 2, 3].map(() => refusal(rig.http.get('/data'))));
    for (const error of errors) expect(error.fault).toEqual({ code: 'credentials-rejected', right: login === 403 });
    await refusal(rig.http.get('/data'));
    expect(state).toMatchObject({ asked: 0, logins: 1 });
  });

  it('are rejected when OAuth refuses them with 400', async () => {
    const url = await serve((_request, response) => json(response, { error: 'invalid_client' }, 400));
    const error = await refusal(openRig(url, { credentials, authorisation: tokens() }).http.get('/data'));
    expect(error.fault).toEqual({ code: 'credentials-rejected', right: false });
  });

  it('stay valid when the login server is down or silent', async () => {
    const { state, url, behaviour } = await tokenPlatform({ login: 503 });
    const rig = openRig(url, { credentials, authorisation: tokens() });
    expect((await refusal(rig.http.get('/data'))).code).toBe('unavailable');
    delete behaviour.login;
    await rig.http.get('/data');
    expect(state.logins).toBe(2);
  });

  it.each([
    ['a long life: a minute before its end', lifetime - 61, lifetime - 60, lifetime],
    ['a short life: a fifth before its end', 79, 80, 100],
  ])('are renewed early in %s', async (_what, before, due, end) => {
    const { state, url } = await tokenPlatform();
    state.valid.add('kept');
    const kept = memoryTokens();
    await kept.replace(undefined, async () => ({ token: 'kept', expiresAt: inSeconds(end), renewal: 'r' }));
    let now = NOW;
    const rig = openRig(url, { credentials, authorisation: tokens() }, { tokens: kept, now: () => now });
    await rig.http.get('/data');
    now = NOW + before * SECOND;
    await rig.http.get('/data');
    expect(state.renewals).toBe(0);
    now = NOW + due * SECOND;
    expect((await rig.http.get<{ token: string }>('/data')).data.token).toBe('t1');
    expect(state).toMatchObject({ renewals: 1, logins: 0 });
  });

  it('log in where the renewal itself has expired', async () => {
    const { state, url } = await tokenPlatform();
    const kept = memoryTokens();
    await kept.replace(undefined, async () => ({ token: 'old', expiresAt: NOW, renewal: 'r', renewalExpiresAt: NOW }));
    await openRig(url, { credentials, authorisation: tokens() }, { tokens: kept }).http.get('/data');
    expect(state).toMatchObject({ renewals: 0, logins: 1 });
  });

  it('keep a token that has no end', async () => {
    const { state, url } = await tokenPlatform();
    const rig = openRig(url, { credentials, authorisation: tokens({ expires: false }) });
    await rig.http.get('/data');
    await rig.http.get('/data');
    expect(state).toMatchObject({ logins: 1, renewals: 0 });
  });

  it('log in for the other callers when the caller that began the login is cancelled', async () => {
    let logins = 0;
    let began = (): void => undefined;
    const beginning = new Promise<void>((resolve) => {
      began = resolve;
    });
    const url = await serve((request, response) => {
      if (request.url !== '/login') return json(response, {});
      logins += 1;
      if (logins === 1) began();
      else json(response, { token: 't' });
      return undefined;
    });
    const rig = openRig(url, { credentials, authorisation: tokens() });
    const first = new AbortController();
    const begun = refusal(rig.connection.http({ lane: 'live', signal: first.signal, meter: newMeter() }).get('/data'));
    await beginning;
    const second = rig.http.get('/data');
    first.abort();
    expect((await begun).fault).toEqual({ code: 'cancelled' });
    expect((await second).status).toBe(200);
    expect(logins).toBe(2);
  });

  it('end the wait of a caller that is cancelled during a login', async () => {
    const { url } = await tokenPlatform();
    let asked = (): void => undefined;
    const waits = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const never = { current: async () => undefined, replace: () => (asked(), new Promise<Grant>(() => undefined)) };
    const rig = openRig(url, { credentials, authorisation: tokens() }, { tokens: never });
    const waiting = refusal(rig.http.get('/data'));
    await waits;
    rig.abort.abort();
    expect((await waiting).fault).toEqual({ code: 'cancelled' });
  });
});
