import { isIPv6 } from 'node:net';
import type { SharedAttempts } from './shared-attempts.ts';

/** Limits how often something may happen, separately for each key. */
export interface Attempts {
  /** Counts one attempt of each key and returns 0. Where a key has no attempt left, counts nothing and returns the wait in s. */
  take(...keys: string[]): number;
  /** The wait in s until each key has an attempt left, 0 for none. Counts nothing. */
  wait(...keys: string[]): number;
  /** The attempts of a key that are left, and the whole seconds until it has all of them again. */
  left(key: string): { readonly left: number; readonly fullSeconds: number };
}

/** At most this many keys are remembered; the key whose last attempt is the oldest is forgotten first. */
const MOST_KEYS = 50_000;

const MINUTE_MS = 60_000;

/** How attempts are counted. */
export interface Counting {
  /** A clock, ms; that of the process unless told. */
  readonly nowMs?: (() => number) | undefined;
  /** A minute unless told. */
  readonly periodMs?: number;
  /** With whom they are counted, and what they are called there; undefined: this process counts alone. */
  readonly shared?: { readonly by: SharedAttempts; readonly name: string } | undefined;
}

/**
 * Allows each key `most` attempts in each period, all at once or one by one. Processes that share them allow those of about a second
 * more each.
 */
export function attemptsOf(most: number, counting: Counting = {}): Attempts {
  const { nowMs = () => performance.now(), periodMs = MINUTE_MS, shared } = counting;
  /** When a key has all its attempts again, ms; a key that is not here has all of them now. */
  const fullAt = new Map<string, number>();
  const msPerAttempt = periodMs / most;

  function set(key: string, at: number): void {
    fullAt.delete(key);
    if (fullAt.size >= MOST_KEYS) fullAt.delete(fullAt.keys().next().value ?? '');
    fullAt.set(key, at);
  }

  const waitMs = (key: string): number => Math.max(0, (fullAt.get(key) ?? 0) - nowMs() + msPerAttempt - periodMs);
  const wait = (...keys: string[]): number => Math.max(...keys.map(waitMs)) / 1000;
  return {
    wait,
    left(key) {
      const missingMs = Math.max(0, (fullAt.get(key) ?? 0) - nowMs());
      return {
        left: Math.floor((periodMs - missingMs) / msPerAttempt + 1e-6),
        fullSeconds: Math.ceil(missingMs / 1000),
      };
    },
    take(...keys) {
      const seconds = wait(...keys);
      if (seconds > 0) return seconds;
      for (const key of keys) {
        set(key, Math.max(fullAt.get(key) ?? 0, nowMs()) + msPerAttempt);
        shared?.by.note(`${shared.name} ${key}`, msPerAttempt, (leftMs) => {
          const together = nowMs() + leftMs;
          if (together > (fullAt.get(key) ?? 0)) set(key, together);
        });
      }
      return 0;
    },
  };
}

/** The client behind an address: the address itself, but of IPv6 its /64, because one client may use all of a /64. */
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
