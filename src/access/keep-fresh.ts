import type { Instant, Microseconds } from '../core/instant.ts';

/**
 * Returns a function that gives the value of `load`, never older than `maxAge`. Callers that come during a load share it.
 * A load that fails rejects for these callers; the next call loads again.
 */
export function keepFresh<T>(load: () => Promise<T>, maxAge: Microseconds, now: () => Instant): () => Promise<T> {
  let kept: { readonly value: T; readonly askedAt: Instant } | undefined;
  let loading: Promise<T> | undefined;

  async function renew(): Promise<T> {
    const askedAt = now();
    try {
      const value = await load();
      kept = { value, askedAt };
      return value;
    } finally {
      loading = undefined;
    }
  }

  return async () => {
    // The absolute value, because a clock that was set back makes the age negative and must not keep a value for longer.
    if (kept !== undefined && Math.abs(now() - kept.askedAt) < maxAge) return kept.value;
    return await (loading ??= renew());
  };
}
