import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { startApi, stopAttemptsClock } from './api-rig.ts';
import type { ApiUnderTest } from './api-rig.ts';

// A stranger that knows an application id, and no secret, must not stop that application or its neighbours.

const databases = useDatabases();
let api: ApiUnderTest;

const FAILURES = 5;
const TOKENS = 40;

beforeEach(async () => {
  stopAttemptsClock();
  api = await startApi(databases, {
    DATABRIDGE_API_TOKENS_PER_MINUTE: String(TOKENS),
    DATABRIDGE_API_FAILURES_PER_MINUTE: String(FAILURES),
    DATABRIDGE_API_TRUST_PROXY: '127.0.0.1',
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await api.close();
});

const HOME = '192.0.2.1';
const STRANGER = '198.51.100.1';

interface Asked {
  readonly from: string;
  /** Undefined: without credentials. */
  readonly secret?: string;
  readonly form: Readonly<Record<string, string>>;
}

/** The status of a token request, and the refresh token of its answer. */
async function ask({ from, secret, form }: Asked): Promise<{ status: number; refreshToken: string }> {
  const basic = Buffer.from(`${api.client.applicationId}:${secret}`).toString('base64');
  const answer = await fetch(`${api.url}/v0/oauth2/token`, {
    method: 'POST',
    headers: { 'x-forwarded-for': from, ...(secret !== undefined && { authorization: `Basic ${basic}` }) },
    body: new URLSearchParams(form),
  });
  const { refresh_token: refreshToken = '' } = (await answer.json()) as { refresh_token?: string };
  return { status: answer.status, refreshToken };
}

async function repeat(times: number, asked: Asked): Promise<number[]> {
  const statuses: number[] = [];
  for (let count = 0; count < times; count += 1) statuses.push((await ask(asked)).status);
  return statuses;
}

const of = (status: number, statuses: readonly number[]): number => statuses.filter((one) => one === status).length;

const create = (from: string): Asked => ({
  from,
  secret: api.client.secret,
  form: { grant_type: 'client_credentials' },
});

const GUESSED: Omit<Asked, 'from'> = { secret: 'guessed', form: { grant_type: 'client_credentials' } };
const WRONG_GRANT: Omit<Asked, 'from'> = { secret: 'guessed', form: { grant_type: 'password' } };

describe('a stranger with the id of an application', () => {
  it('spends nothing of its budget of tokens', async () => {
    const stranger = await repeat(2 * TOKENS, { from: STRANGER, ...WRONG_GRANT });
    expect(of(200, await repeat(30, create(HOME)))).toBe(30);
    // A wrong grant type is a failure, too, so most of these were refused unseen.
    expect(of(429, stranger)).toBeGreaterThan(TOKENS);
  });

  it('at many addresses does not stop an address that got a token before', async () => {
    expect((await ask(create(HOME))).status).toBe(200);
    const addresses = Array.from({ length: 30 }, (_, index) => `198.51.100.${index}`);
    const strangers = await Promise.all(addresses.map((from) => repeat(FAILURES, { from, ...GUESSED })));
    expect(of(200, await repeat(30, create(HOME)))).toBe(30);
    // No address had more failures than it may have, so the limit of the application refused these.
    expect(of(429, strangers.flat())).toBeGreaterThan(0);
  });

  it('at the same address does not stop a client that got a token there before', async () => {
    expect((await ask(create(HOME))).status).toBe(200);
    const stranger = await repeat(2 * TOKENS, { from: HOME, ...GUESSED });
    expect(of(429, stranger)).toBeGreaterThan(TOKENS);
    expect(of(200, await repeat(30, create(HOME)))).toBe(30);
  });
});

it('an application whose secret matched has a budget of its own', async () => {
  const statuses = await repeat(TOKENS + 5, create(HOME));
  expect(statuses.slice(0, TOKENS - 1)).toEqual(Array(TOKENS - 1).fill(200));
  expect(statuses).toContain(429);
});

it('a secret that no longer counts is no excuse, also where it counted before', async () => {
  expect((await ask(create(HOME))).status).toBe(200);
  await api.database.run('update application set revoked_at = now()');
  const statuses = await repeat(4 * FAILURES, create(HOME));
  expect(statuses[0]).toBe(401);
  expect(of(429, statuses)).toBeGreaterThan(FAILURES);
});

describe('clients behind one address', () => {
  const renew = (refreshToken: string): Asked => ({
    from: HOME,
    form: { grant_type: 'refresh_token', scope: 'data', refresh_token: refreshToken },
  });

  it('renew, however often a neighbour repeats a refresh token that is no longer valid', async () => {
    const { refreshToken } = await ask(create(HOME));
    expect(of(429, await repeat(8 * FAILURES, renew('stale')))).toBeGreaterThan(FAILURES);
    expect((await ask(renew(refreshToken))).status).toBe(200);
    expect((await ask(renew('stale, too'))).status).toBe(400);
  });

  it('renew a token that they got there, also beyond the limit of failures of the address', async () => {
    const { refreshToken } = await ask(create(HOME));
    const strangers = Array.from({ length: 20 * FAILURES }, (_, index) => renew(`drawn ${index}`));
    const statuses = await Promise.all(strangers.map(async (asked) => (await ask(asked)).status));
    const more = await Promise.all(strangers.map(async (asked) => (await ask(asked)).status));
    expect(of(429, [...statuses, ...more])).toBeGreaterThan(0);
    const renewed = await ask(renew(refreshToken));
    expect(renewed.status).toBe(200);
    expect((await ask(renew(renewed.refreshToken))).status).toBe(200);
  });
});

it('a bridge that may not know its proxy says so in its log', async () => {
  const warning = 'DATABRIDGE_API_TRUST_PROXY is not set';
  expect(api.log()).not.toContain(warning);
  await api.close();
  api = await startApi(databases, { DATABRIDGE_API_ALLOW_PLAIN: 'true' });
  expect(api.log()).toContain(warning);
});
