/** Stand still at an instant, move on by a span, or run with the machine's clock again. */
export type ClockChange = { readonly nowMs: number } | { readonly advanceMs: number } | { readonly run: true };

/** The simulator's clock. A test moves it instead of waiting for a token to expire or a late point to show up. */
export class SimulatedClock {
  #frozenMs: number | null;
  #aheadMs = 0;

  constructor(frozenMs: number | null = null) {
    this.#frozenMs = frozenMs;
  }

  /** Whole milliseconds since 1970. */
  nowMs(): number {
    return this.#frozenMs ?? Date.now() + this.#aheadMs;
  }

  /** Throws if the change is not one of the three of {@link ClockChange}. */
  change(change: unknown): void {
    const { nowMs, advanceMs, run } = Object(change) as Record<string, unknown>;
    if (Number.isSafeInteger(nowMs)) this.#frozenMs = nowMs as number;
    else if (Number.isSafeInteger(advanceMs) && this.#frozenMs === null) this.#aheadMs += advanceMs as number;
    else if (Number.isSafeInteger(advanceMs)) this.#frozenMs = this.nowMs() + (advanceMs as number);
    else if (run === true) [this.#frozenMs, this.#aheadMs] = [null, 0];
    else throw new Error('a clock change is {nowMs}, {advanceMs} (whole milliseconds) or {run: true}');
  }
}
