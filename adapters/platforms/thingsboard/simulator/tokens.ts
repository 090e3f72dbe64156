import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { SimulatedClock } from '../../../../src/simulator/clock.ts';
import { authenticationFailed, tokenExpired } from './replies.ts';

type Use = 'access' | 'refresh';

interface Issued {
  readonly username: string;
  readonly use: Use;
  /** Seconds since 1970. */
  readonly expires: number;
  readonly isValid: boolean;
}

/** Issues and checks the JWTs (HS256). Their claims name the user, the authority and the seconds they live. */
export class IssuedTokens {
  readonly #secret = randomBytes(64);
  readonly #clock: SimulatedClock;
  readonly #lifetimeSeconds: Record<Use, number>;
  readonly #issued = new Map<string, Issued>();

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

  /** The user of a token. Throws 401/11 if it has expired or was invalidated, 401/10 if it was never issued for `use`. */
  check(token: string, use: Use): string {
    const issued = this.#issued.get(token);
    if (issued?.use !== use) throw authenticationFailed();
    if (this.#clock.nowMs() >= issued.expires * 1000 || !issued.isValid) throw tokenExpired();
    return issued.username;
  }

  invalidate(which: 'all' | 'access'): void {
    for (const [token, issued] of this.#issued) {
      if (which === 'all' || issued.use === which) this.#issued.set(token, { ...issued, isValid: false });
    }
  }

  #issue(sub: string, use: Use, authority: string): string {
    const iat = Math.floor(this.#clock.nowMs() / 1000);
    const exp = iat + this.#lifetimeSeconds[use];
    const parts = [
      { alg: 'HS256', typ: 'JWT' },
      { sub, use, scopes: [authority], iat, exp, jti: randomUUID() },
    ];
    const unsigned = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const token = `${unsigned}.${createHmac('sha256', this.#secret).update(unsigned).digest('base64url')}`;
    this.#issued.set(token, { username: sub, use, expires: exp, isValid: true });
    return token;
  }
}
