import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { SimulatedClock } from '../../../../src/simulator/clock.ts';
import { authenticationFailed, tokenExpired } from './replies.ts';

type Use = 'access' | 'refresh';

interface Claims {
  readonly sub: string;
  readonly use: Use;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
}

/** Issues and checks the JWTs (HS256). Their claims name the user, the authority and the seconds they live. */
export class IssuedTokens {
  readonly #secret = randomBytes(64);
  readonly #clock: SimulatedClock;
  readonly #lifetimeSeconds: Record<Use, number>;
  readonly #live: Record<Use, Set<string>> = { access: new Set(), refresh: new Set() };

  constructor(clock: SimulatedClock, lifetimeSeconds: Record<Use, number>) {
    this.#clock = clock;
    this.#lifetimeSeconds = lifetimeSeconds;
  }

  /** The answer to a login or a renewal: two new tokens. */
  issuePair(username: string, authority: string): { token: string; refreshToken: string } {
    return {
      token: this.#issue(username, 'access', authority),
      refreshToken: this.#issue(username, 'refresh', authority),
    };
  }

  /** The user a token was issued to. Throws 401/11 if it has expired or was invalidated, 401/10 if this simulator did not issue it. */
  check(token: string, use: Use): string {
    const [header = '', payload = '', signature = '', ...rest] = token.split('.');
    const given = Buffer.from(signature, 'base64url');
    const right = this.#sign(`${header}.${payload}`);
    if (rest.length > 0 || given.length !== right.length || !timingSafeEqual(given, right))
      throw authenticationFailed();
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
    if (claims.use !== use) throw authenticationFailed();
    if (this.#clock.nowMs() >= claims.exp * 1000 || !this.#live[use].has(claims.jti)) throw tokenExpired();
    return claims.sub;
  }

  invalidate(which: 'all' | 'access'): void {
    this.#live.access.clear();
    if (which === 'all') this.#live.refresh.clear();
  }

  #issue(sub: string, use: Use, authority: string): string {
    const iat = Math.floor(this.#clock.nowMs() / 1000);
    const jti = randomUUID();
    const claims = { sub, use, scopes: [authority], iat, exp: iat + this.#lifetimeSeconds[use], jti };
    this.#live[use].add(jti);
    const unsigned = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) => encode(JSON.stringify(part))).join('.');
    return `${unsigned}.${this.#sign(unsigned).toString('base64url')}`;
  }

  #sign(unsigned: string): Buffer {
    return createHmac('sha256', this.#secret).update(unsigned).digest();
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
