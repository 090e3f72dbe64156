/**
 * No setting lets an access token live longer, so a signing key is needed at most this long after its last signature.
 */
export const LONGEST_TOKEN_SECONDS = 86_400;

/** Below this load tokens live longest, because the usual ups and downs must not change their lifetime. */
const CALM = 0.5;

/**
 * How long an access token issued now may be used, in whole seconds: `maxSeconds` up to half load, from there falling
 * evenly to `minSeconds` at full load. `load` is 0..1; NaN counts as full load.
 */
export function lifetimeFor(
  load: number,
  { minSeconds, maxSeconds }: { readonly minSeconds: number; readonly maxSeconds: number },
): number {
  const busy = Number.isNaN(load) ? 1 : Math.min(Math.max((load - CALM) / (1 - CALM), 0), 1);
  return Math.round(maxSeconds - busy * (maxSeconds - minSeconds));
}
