import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 250;

/**
 * Looks until `check` returns something other than undefined and false; an error counts as "not yet". The bound is so generous
 * that only a test meets it whose event never comes; the error holds the answer of `state`, which says how far the bridge got.
 */
export async function eventually<T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = 900_000, state }: { withinMs?: number; state?: () => Promise<string> | string } = {},
): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  let trouble = '';
  for (;;) {
    try {
      const found = await check();
      if (found !== undefined && found !== false) return found;
      trouble = '';
    } catch (error) {
      trouble = String(error);
    }
    if (performance.now() > giveUpAt) {
      const dump = await Promise.resolve(state?.()).catch(String);
      throw new Error(`not within ${withinMs} ms: ${what}\n${trouble}\n${dump ?? ''}`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}
