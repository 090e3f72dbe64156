import { createHmac } from 'node:crypto';
import { SignJWT, UnsecuredJWT, exportJWK, generateKeyPair } from 'jose';
import type { CryptoKey } from 'jose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SECOND } from '../core/instant.ts';
import { accessTokensOf } from './access-tokens.ts';
import type { AccessTokens } from './access-tokens.ts';

const START = 1_900_000_000 * SECOND;
const HOLDER = { applicationId: 'app_1', organisationId: 'north', projects: null, generation: 1 };

let now = START;
let pairs: Record<'first' | 'second' | 'stranger', { publicKey: CryptoKey; privateKey: CryptoKey }>;
let published: Map<string, CryptoKey>;
let leastGeneration: Map<string, number>;
let tokens: AccessTokens;
let keyLookUps = 0;

beforeAll(async () => {
  const pair = () => generateKeyPair('EdDSA', { extractable: true });
  pairs = { first: await pair(), second: await pair(), stranger: await pair() };
});

beforeEach(() => {
  now = START;
  keyLookUps = 0;
  leastGeneration = new Map();
  published = new Map([
    ['first', pairs.first.publicKey],
    ['second', pairs.second.publicKey],
  ]);
  tokens = accessTokensOf({
    keys: {
      signer: () => Promise.resolve({ kid: 'first', key: pairs.first.privateKey }),
      verifier: (kid) => {
        keyLookUps += 1;
        return Promise.resolve(published.get(kid));
      },
      jwks: () => Promise.resolve({ keys: [] }),
    },
    leastGeneration: () => Promise.resolve(leastGeneration),
    clock: {
      now: () => now,
      adjust: () => Promise.resolve(),
      disagreement: () => undefined,
      setBacks: () => ({ count: 0, recent: undefined }),
    },
    issuer: 'https://bridge.example',
  });
});

interface Forged {
  readonly key?: CryptoKey;
  readonly header?: Record<string, unknown>;
  readonly claims?: Record<string, unknown>;
}

/** A token as this service issues it, with the key, header fields and claims that a test changes. */
const forge = async ({ key = pairs.first.privateKey, header = {}, claims = {} }: Forged): Promise<string> =>
  await new SignJWT({
    iss: 'https://bridge.example',
    aud: 'https://bridge.example',
    sub: 'app_1',
    org: 'north',
    scope: 'data',
    iat: START / SECOND,
    exp: START / SECOND + 60,
    jti: 'x',
    ...claims,
  })
    .setProtectedHeader({ alg: 'EdDSA', kid: 'first', ...header })
    .sign(key);

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const parts = (token: string): [header: string, payload: string, signature: string] =>
  token.split('.') as [string, string, string];

const invalid = { refused: 'invalid', reason: 'invalid', message: expect.any(String) as string };

describe('an issued token', () => {
  it('names its holder and is accepted', async () => {
    now += 400_000;
    const { token, expiresAt } = await tokens.issueAccessToken({ ...HOLDER, projects: ['pump-hall'] }, 60);
    expect(expiresAt).toBe(START + 61 * SECOND);
    const [header, payload] = parts(token);
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'EdDSA', kid: 'first', typ: 'JWT' });
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({
      iss: 'https://bridge.example',
      aud: 'https://bridge.example',
      sub: 'app_1',
      org: 'north',
      scope: 'data',
      gen: 1,
      projects: ['pump-hall'],
      iat: START / SECOND,
      exp: START / SECOND + 61,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
    const holder = { ...HOLDER, projects: ['pump-hall'], scope: 'data', expiresAt };
    expect(await tokens.verifyAccessToken(token)).toEqual(holder);
    expect(await tokens.verifyAccessToken(token)).toEqual(holder);
  });

  it.each([
    ['verified before', true],
    ['never verified', false],
  ])('is accepted until its last microsecond and expired afterwards, %s', async (_, isKnown) => {
    const { token, expiresAt } = await tokens.issueAccessToken(HOLDER, 60);
    if (isKnown) await tokens.verifyAccessToken(token);
    const expired = {
      refused: 'expired',
      reason: 'expired',
      applicationId: 'app_1',
      message: expect.any(String) as string,
    };
    now = expiresAt;
    expect(await tokens.verifyAccessToken(token)).toEqual(expired);
    now = expiresAt + SECOND;
    expect(await tokens.verifyAccessToken(token)).toEqual(expired);
    now = expiresAt - 1;
    expect(await tokens.verifyAccessToken(token)).toMatchObject({ applicationId: 'app_1' });
  });

  it('is refused once its application was revoked or its key withdrawn, even if it was verified before', async () => {
    const { token } = await tokens.issueAccessToken(HOLDER, 60);
    expect(await tokens.verifyAccessToken(token)).toMatchObject({ applicationId: 'app_1' });
    leastGeneration.set('app_1', Infinity);
    expect(await tokens.verifyAccessToken(token)).toEqual({ ...invalid, reason: 'revoked', applicationId: 'app_1' });
    leastGeneration.clear();
    expect(await tokens.verifyAccessToken(token)).toMatchObject({ applicationId: 'app_1' });
    published.delete('first');
    expect(await tokens.verifyAccessToken(token)).toEqual(invalid);
  });
});

describe('a forged token', () => {
  it('is accepted where nothing in it is wrong', async () => {
    expect(await tokens.verifyAccessToken(await forge({}))).toMatchObject({ applicationId: 'app_1' });
  });

  it.each<[what: string, make: () => Promise<string>]>([
    ['signed with another key', () => forge({ key: pairs.stranger.privateKey })],
    ['the id of another of our keys', () => forge({ header: { kid: 'second' } })],
    ['an unknown key', () => forge({ header: { kid: 'stranger' }, key: pairs.stranger.privateKey })],
    ['no key id', () => forge({ header: { kid: undefined } })],
    ['a key id that is SQL', () => forge({ header: { kid: "' or 1=1 --\0" } })],
    ['a key id that every object has', () => forge({ header: { kid: '__proto__' } })],
    [
      'a key of its own in the header',
      async () => forge({ key: pairs.stranger.privateKey, header: { jwk: await exportJWK(pairs.stranger.publicKey) } }),
    ],
    ['another issuer', () => forge({ claims: { iss: 'https://other.example' } })],
    ['another audience', () => forge({ claims: { aud: 'https://other.example' } })],
    ['another scope', () => forge({ claims: { scope: 'admin' } })],
    ['no scope', () => forge({ claims: { scope: undefined } })],
    ['no organisation', () => forge({ claims: { org: undefined } })],
    ['no expiry', () => forge({ claims: { exp: undefined } })],
    ['projects that are no list', () => forge({ claims: { projects: 'all' } })],
    ['not valid before tomorrow', () => forge({ claims: { nbf: START / SECOND + 86_400 } })],
    [
      'alg none',
      () => Promise.resolve(new UnsecuredJWT({ sub: 'app_1', org: 'north', scope: 'data' }).setJti('x').encode()),
    ],
    [
      'alg none with our key id and a signature',
      async () => {
        const [, payload, signature] = parts(await forge({}));
        return `${encoded({ alg: 'none', kid: 'first' })}.${payload}.${signature}`;
      },
    ],
    [
      'HS256 with the public key as its secret',
      async () => {
        const [, payload] = parts(await forge({}));
        const secret = JSON.stringify(await exportJWK(pairs.first.publicKey));
        const signed = `${encoded({ alg: 'HS256', kid: 'first' })}.${payload}`;
        return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
      },
    ],
    [
      'a changed payload',
      async () => {
        const [header, payload, signature] = parts(await forge({}));
        const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
        return `${header}.${encoded({ ...claims, org: 'south' })}.${signature}`;
      },
    ],
    ['a changed signature', async () => (await forge({})).replace(/.{6}$/, 'AAAAAA')],
    ['no signature', async () => (await forge({})).replace(/[^.]+$/, '')],
  ])('is refused: %s', async (_, make) => {
    expect(await tokens.verifyAccessToken(await make())).toEqual(invalid);
  });

  it.each(['', '.', '..', 'a.b.c', '\0', 'x'.repeat(100_000), `${encoded({ alg: 'EdDSA' })}.e30.`, 'null.null.null'])(
    'is refused without a look-up of a key where it is no token: %.20j',
    async (nonsense) => {
      expect(await tokens.verifyAccessToken(nonsense)).toEqual(invalid);
      expect(keyLookUps).toBe(0);
    },
  );

  it('is called expired only where nothing else is wrong with it', async () => {
    const past = { exp: START / SECOND - 1 };
    expect(await tokens.verifyAccessToken(await forge({ claims: past }))).toMatchObject({ refused: 'expired' });
    const stranger = await forge({ claims: past, key: pairs.stranger.privateKey });
    expect(await tokens.verifyAccessToken(stranger)).toEqual(invalid);
  });
});

it('a database that is away is an error, not an invalid token', async () => {
  const { token } = await tokens.issueAccessToken(HOLDER, 60);
  const away = accessTokensOf({
    keys: {
      signer: () => Promise.reject(new Error('away')),
      verifier: () => Promise.reject(new Error('away')),
      jwks: () => Promise.reject(new Error('away')),
    },
    leastGeneration: () => Promise.resolve(leastGeneration),
    clock: {
      now: () => now,
      adjust: () => Promise.resolve(),
      disagreement: () => undefined,
      setBacks: () => ({ count: 0, recent: undefined }),
    },
    issuer: 'https://bridge.example',
  });
  await expect(away.verifyAccessToken(token)).rejects.toThrow('away');
  await expect(away.assertCanIssue()).rejects.toThrow('away');
});

it('a key that cannot verify is a fault of this service, not of the token', async () => {
  const { token } = await tokens.issueAccessToken(HOLDER, 60);
  published.set('first', (await generateKeyPair('ES256')).publicKey);
  await expect(tokens.verifyAccessToken(token)).rejects.toThrow(TypeError);
});
