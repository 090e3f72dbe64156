/** No setting lets an access token live longer, so a key that signed one is needed no longer than this after it. */
export const LONGEST_TOKEN_SECONDS = 86_400;

/** Below this load the service counts as calm: the usual ups and downs do not change how long tokens live. */
const CALM = 0.5;

/**
 * How long an access token issued now may be used, in whole seconds: the ceiling while the service is calm, from half
 * load on less and less, the floor at full load (seed 5.4). `load` is 0..1; what is no number counts as full.
 */
export function lifetimeFor(
  load: number,
  { minSeconds, maxSeconds }: { readonly minSeconds: number; readonly maxSeconds: number },
): number {
  const busy = Number.isNaN(load) ? 1 : Math.min(Math.max((load - CALM) / (1 - CALM), 0), 1);
  return Math.round(maxSeconds - busy * (maxSeconds - minSeconds));
}
