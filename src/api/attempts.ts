import { isIPv6 } from 'node:net';

/** How often something may happen, for each of many keys. */
export interface Attempts {
  /** Counts one attempt of each key and returns 0; where one of them has none left, counts none and returns the wait in s. */
  take(...keys: string[]): number;
  /** The wait in s before the next attempt, 0 for none; counts nothing. */
  wait(...keys: string[]): number;
}

/** Keys remembered; the ones not used for the longest time are forgotten first. */
const REMEMBERED = 50_000;

const MINUTE_MS = 60_000;

/**
 * So many attempts a minute, all of them at once if need be. In the memory of this process: several processes together
 * allow as many times more.
 */
export function attemptsOf(perMinute: number, nowMs: () => number = () => performance.now()): Attempts {
  /** When all attempts of a key will be there again, ms; a key that is not here has all of them. */
  const fullAt = new Map<string, number>();
  const oneMs = MINUTE_MS / perMinute;

  const waitMs = (key: string): number => Math.max(0, (fullAt.get(key) ?? 0) - nowMs() + oneMs - MINUTE_MS);
  const wait = (...keys: string[]): number => Math.max(...keys.map(waitMs)) / 1000;
  return {
    wait,
    take(...keys) {
      const seconds = wait(...keys);
      if (seconds > 0) return seconds;
      for (const key of keys) {
        const next = Math.max(fullAt.get(key) ?? 0, nowMs()) + oneMs;
        fullAt.delete(key);
        if (fullAt.size >= REMEMBERED) fullAt.delete(fullAt.keys().next().value ?? '');
        fullAt.set(key, next);
      }
      return 0;
    },
  };
}

/** Who is one client as far as its address tells: of IPv6 a whole /64, which any single one may use as it likes. */
export function clientOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const before = head.split(':').filter(Boolean);
  const after = (tail ?? '').split(':').filter(Boolean);
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, 4).join(':');
}
