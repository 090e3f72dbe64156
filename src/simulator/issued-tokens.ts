import { randomBytes } from 'node:crypto';
import type { SimulatedClock } from './clock.ts';

/** Opaque tokens of a simulator, each with an owner and an end on the simulator's clock. */
export class OpaqueTokens {
  readonly #clock: SimulatedClock;
  readonly #issued = new Map<string, { readonly owner: string; endsMs: number }>();

  constructor(clock: SimulatedClock) {
    this.#clock = clock;
  }

  issue(owner: string, seconds: number): string {
    const token = randomBytes(24).toString('base64url');
    this.#issued.set(token, { owner, endsMs: this.#clock.nowMs() + seconds * 1000 });
    return token;
  }

  /** The owner of a token; undefined if it was never issued, has ended or was taken back. */
  ownerOf(token: string): string | undefined {
    const found = this.#issued.get(token);
    return found !== undefined && this.#clock.nowMs() < found.endsMs ? found.owner : undefined;
  }

  /** Lets a token that has not ended live for this time from now on. */
  extend(token: string, seconds: number): void {
    const found = this.#issued.get(token);
    if (found !== undefined) found.endsMs = this.#clock.nowMs() + seconds * 1000;
  }

  revoke(token: string): void {
    this.#issued.delete(token);
  }

  revokeAll(): void {
    this.#issued.clear();
  }

  /** How many have not ended. */
  open(): number {
    return [...this.#issued.keys()].filter((token) => this.ownerOf(token) !== undefined).length;
  }
}
