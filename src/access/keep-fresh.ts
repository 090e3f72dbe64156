import type { Instant, Microseconds } from '../core/instant.ts';

/**
 * What `load` answered, never older than `maxAge`. Whoever asks while it is being loaded shares that load; a load that
 * fails fails those who wait for it, and the next one tries again.
 */
export function keepFresh<T>(load: () => Promise<T>, maxAge: Microseconds, now: () => Instant): () => Promise<T> {
  let kept: { readonly value: T; readonly asked: Instant } | undefined;
  let loading: Promise<T> | undefined;

  async function renew(): Promise<T> {
    const asked = now();
    try {
      const value = await load();
      kept = { value, asked };
      return value;
    } finally {
      loading = undefined;
    }
  }

  return async () => {
    // A clock that was set back makes an age negative; that is no reason to keep a value for longer.
    if (kept !== undefined && Math.abs(now() - kept.asked) < maxAge) return kept.value;
    return await (loading ??= renew());
  };
}
