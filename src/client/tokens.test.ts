import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { basicOf, formOf } from '../api/form.ts';
import { tidyUp } from '../../test/kit/connection-rig.ts';
import { openPushClient } from './index.ts';
import type { PushGrant, PushGrantStore } from './index.ts';
import { READING, failureOf, grant, problem, send, startService } from '../../test/kit/push-service.ts';
import type { TestService } from '../../test/kit/push-service.ts';

let service: TestService;

beforeEach(async () => {
  service = await startService();
});

afterEach(tidyUp);

const bearers = (): string[] => service.pushes.map(({ headers }) => String(headers.authorization));
const grantTypes = (): string[] => service.tokens.map(({ body }) => new URLSearchParams(body).get('grant_type') ?? '');

/** A clock that a test moves. */
function clock(): { nowMs: () => number; pass: (seconds: number) => void } {
  let now = Date.UTC(2026, 10, 21);
  return { nowMs: () => now, pass: (seconds) => void (now += seconds * 1000) };
}

const jwt = (claims: unknown): string =>
  ['{}', JSON.stringify(claims), 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.');

describe('the first token', () => {
  it('is created with the credentials as the token endpoint reads them, and used for later pushes', async () => {
    const client = service.client();
    for (let push = 0; push < 3; push += 1) await client.push('hall', [READING]);
    expect(service.tokens).toHaveLength(1);
    const { body, headers } = service.tokens[0]!;
    expect(formOf(body)).toEqual(new Map([['grant_type', 'client_credentials']]));
    expect(basicOf(headers.authorization)).toEqual({ id: 'app 1', secret: 's3cr:t+/ä%' });
    expect(bearers()).toEqual(['Bearer access-1', 'Bearer access-1', 'Bearer access-1']);
  });

  it('is created once for pushes that start together', async () => {
    const client = service.client();
    await Promise.all(Array.from({ length: 10 }, () => client.push('hall', [READING])));
    expect(service.tokens).toHaveLength(1);
    expect(service.pushes).toHaveLength(10);
  });
});

describe('a token whose expires_in has passed', () => {
  it('is renewed once before ten pushes, with the refresh token and without credentials', async () => {
    const { nowMs, pass } = clock();
    const client = service.client({ nowMs });
    await client.push('hall', [READING]);
    pass(3598);
    await client.push('hall', [READING]);
    pass(1);
    await Promise.all(Array.from({ length: 10 }, () => client.push('hall', [READING])));
    expect(service.tokens).toHaveLength(2);
    const { body, headers } = service.tokens[1]!;
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      grant_type: 'refresh_token',
      scope: 'data',
      refresh_token: 'refresh-1',
    });
    expect(headers.authorization).toBeUndefined();
    expect(bearers()).toEqual([...Array(2).fill('Bearer access-1'), ...Array(10).fill('Bearer access-2')]);
  });

  it('is replaced by a created token where the refresh token is refused, has expired or was never given', async () => {
    const { nowMs, pass } = clock();
    const client = service.client({ nowMs });
    service.onToken = (response, { body }, nth) => {
      if (nth === 4) return send(response, 200, grant(nth, { refresh_token: undefined }));
      return body.includes('refresh-1') && send(response, 400, { error: 'invalid_grant', error_description: 'used' });
    };
    await client.push('hall', [READING]);
    pass(3600);
    await client.push('hall', [READING]);
    expect(grantTypes()).toEqual(['client_credentials', 'refresh_token', 'client_credentials']);
    pass(86_400);
    await client.push('hall', [READING]);
    expect(grantTypes().slice(3)).toEqual(['client_credentials']);
    pass(3600);
    await client.push('hall', [READING]);
    expect(grantTypes().slice(4)).toEqual(['client_credentials']);
    expect(bearers().at(-1)).toBe('Bearer access-5');
  });
});

describe('a token without expires_in', () => {
  it('is replaced when its exp has passed', async () => {
    const { nowMs, pass } = clock();
    const token = jwt({ exp: nowMs() / 1000 + 60 });
    service.onToken = (response, _, nth) =>
      nth === 1 && send(response, 200, grant(1, { access_token: token, expires_in: undefined }));
    const client = service.client({ nowMs });
    await client.push('hall', [READING]);
    pass(58);
    await client.push('hall', [READING]);
    expect(service.tokens).toHaveLength(1);
    pass(2);
    await client.push('hall', [READING]);
    expect(bearers()).toEqual([`Bearer ${token}`, `Bearer ${token}`, 'Bearer access-2']);
  });

  it('is used until a 401 where it has no readable exp, or an exp that has passed already', async () => {
    for (const token of ['opaque', jwt({}), jwt({ exp: 1 }), jwt({ exp: 'soon' }), 'a.!.c']) {
      service.onToken = (response) =>
        send(response, 200, grant(1, { access_token: token, expires_in: undefined, refresh_token: undefined }));
      service.tokens.length = 0;
      const client = service.client();
      for (let push = 0; push < 3; push += 1) await client.push('hall', [READING]);
      expect(service.tokens, token).toHaveLength(1);
    }
  });
});

describe('401', () => {
  const refuseFirst = (): void => {
    service.onPush = (response, { headers }) =>
      headers.authorization === 'Bearer access-1' && send(response, 401, problem(401));
  };

  it('renews the token and sends the same body once more', async () => {
    refuseFirst();
    await expect(service.client().push('hall', [READING])).resolves.toMatchObject({ accepted: 1 });
    expect(grantTypes()).toEqual(['client_credentials', 'refresh_token']);
    expect(service.pushes.map(({ body }) => body)).toEqual(Array(2).fill(JSON.stringify([READING])));
  });

  it('of ten pushes at once costs one renewal', async () => {
    refuseFirst();
    const client = service.client();
    await Promise.all(Array.from({ length: 10 }, () => client.push('hall', [READING])));
    expect(service.tokens).toHaveLength(2);
  });

  it('for the new token too means credentials-rejected, and the push is not sent a third time', async () => {
    service.onPush = (response) => send(response, 401, problem(401));
    const error = await failureOf(service.client().push('hall', [READING]));
    expect(error.fault).toEqual({ code: 'credentials-rejected' });
    expect(error.problem).toEqual({ type: 'urn:databridge:problem:x', title: 'No', status: 401, detail: 'It is so.' });
    expect([service.tokens.length, service.pushes.length]).toEqual([2, 2]);
  });
});

describe('a token endpoint', () => {
  const cases: [name: string, status: number, body: unknown, headers: Record<string, string>, fault: unknown][] = [
    ['says invalid_client', 401, { error: 'invalid_client' }, {}, { code: 'credentials-rejected' }],
    ['says invalid_client as 400', 400, { error: 'invalid_client' }, {}, { code: 'credentials-rejected' }],
    ['answers 401 without a body', 401, '', {}, { code: 'credentials-rejected' }],
    ['is overloaded', 503, '', { 'retry-after': '7' }, { code: 'overloaded', status: 503, retryAfterMs: 7000 }],
    ['limits requests', 429, { error: 'slow_down' }, {}, { code: 'overloaded', status: 429, retryAfterMs: undefined }],
    ['fails', 500, { error: 'server_error' }, {}, { code: 'failed', status: 500 }],
    ['wants another scope', 400, { error: 'invalid_scope' }, {}, { code: 'rejected', status: 400 }],
    ['is a page', 200, '<!DOCTYPE html><p>Log in', { 'content-type': 'text/html' }, { code: 'not-a-bridge' }],
    ['is a page that says 401', 401, '<html>', { 'content-type': 'text/html' }, { code: 'not-a-bridge' }],
    ['gives no token', 200, { token_type: 'bearer' }, {}, { code: 'not-a-bridge' }],
    ['gives no bearer token', 200, grant(1, { token_type: 'mac' }), {}, { code: 'not-a-bridge' }],
    ['gives a token that no header can hold', 200, grant(1, { access_token: 'a\nb' }), {}, { code: 'not-a-bridge' }],
    ['answers 202', 202, grant(1), {}, { code: 'not-a-bridge' }],
    ['redirects', 302, '', { location: '/other' }, { code: 'not-a-bridge' }],
  ];
  it.each(cases)('that %s', async (_, status, body, headers, fault) => {
    service.onToken = (response) => send(response, status, body, headers);
    const error = await failureOf(service.client().push('hall', [READING]));
    expect(error.fault).toEqual(fault);
    expect([service.tokens.length, service.pushes.length]).toEqual([1, 0]);
  });

  it('that is overloaded during a renewal costs neither the refresh token nor a request with credentials', async () => {
    const { nowMs, pass } = clock();
    const client = service.client({ nowMs });
    await client.push('hall', [READING]);
    pass(4000);
    service.onToken = (response, _, nth) => nth === 2 && send(response, 503, '');
    expect((await failureOf(client.push('hall', [READING]))).fault).toMatchObject({ code: 'overloaded' });
    await client.push('hall', [READING]);
    expect(grantTypes()).toEqual(['client_credentials', 'refresh_token', 'refresh_token']);
  });
});

describe('grants kept elsewhere', () => {
  it('are used as the store gives them, and replaced only through the store', async () => {
    const kept: PushGrant = { accessToken: 'access-7', expiresAtMs: Date.now() + 60_000, refreshToken: 'refresh-7' };
    const stale: (PushGrant | undefined)[] = [];
    let current: PushGrant | undefined = kept;
    const grants: PushGrantStore = {
      current: () => Promise.resolve(current),
      async replace(old, obtain) {
        stale.push(old);
        return (current = await obtain(old));
      },
    };
    const client = openPushClient(service.remote, { grants });
    await client.push('hall', [READING]);
    expect([bearers(), service.tokens.length, stale.length]).toEqual([['Bearer access-7'], 0, 0]);
    service.onPush = (response, _, nth) => nth === 2 && send(response, 401, problem(401));
    await client.push('hall', [READING]);
    expect(stale).toEqual([kept]);
    expect(service.tokens[0]?.body).toContain('refresh-7');
    expect(current).toMatchObject({ accessToken: 'access-1', refreshToken: 'refresh-1' });
  });
});
