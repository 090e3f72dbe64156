import { SECOND } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';

/** The rest of a quota, as the headers of an answer tell it. */
export interface Quota {
  /** Requests that the platform takes until the quota begins anew. */
  readonly remaining: number;
  /** In so many µs it does. */
  readonly reset: Microseconds;
}

/** A quota of a longer time is left to whoever agreed the pace: to spread a day's rest evenly would starve live. */
const LONGEST_RESET: Microseconds = 3_600 * SECOND;

/** Larger numbers are seconds since 1970; no quota lasts for thirty years. */
const EPOCH_FROM = 1e9;

/** Larger ones are ms since 1970. */
const EPOCH_MS_FROM = 1e11;

/**
 * The quota that `RateLimit-*` or `X-RateLimit-*` headers tell, in both forms of the drafts of the IETF: a header for each number, and
 * `RateLimit: "default";r=50;t=30`. Where several policies are named, the one that lasts for the fewest requests a second. Undefined
 * where a number is missing, none, negative or too large, and where the reset lies in the past or more than an hour ahead.
 * `valueOf` gives the value of a header by its name in small letters.
 */
export function quotaOf(valueOf: (name: string) => string | undefined, now: Instant): Quota | undefined {
  const structured = (valueOf('ratelimit') ?? '')
    .split(',')
    .map((item) => quota(field(item, 'r'), field(item, 't'), now));
  const named = ['ratelimit-', 'x-ratelimit-', 'x-rate-limit-'].map((prefix) =>
    quota(valueOf(`${prefix}remaining`), valueOf(`${prefix}reset`), now),
  );
  return [...structured, ...named]
    .filter((found) => found !== undefined)
    .toSorted((one, other) => one.remaining / one.reset - other.remaining / other.reset)[0];
}

/** The parameter of an item of a structured header. Quotes hold a name, which may look like one. */
const field = (item: string, name: string): string | undefined =>
  new RegExp(`;\\s*${name}\\s*=\\s*(\\d+(?:\\.\\d+)?)\\s*(?:;|$)`).exec(item.replaceAll(/"[^"]*"/g, ''))?.[1];

function quota(remaining: string | undefined, reset: string | undefined, now: Instant): Quota | undefined {
  const [left, at] = [numberOf(remaining), numberOf(reset)];
  if (left === undefined || at === undefined) return undefined;
  const wait = at >= EPOCH_MS_FROM ? at * 1_000 - now : at >= EPOCH_FROM ? at * SECOND - now : at * SECOND;
  return wait > 0 && wait <= LONGEST_RESET ? { remaining: left, reset: Math.ceil(wait) } : undefined;
}

/** Some platforms put parameters behind the number: `10;w=60`. */
function numberOf(text: string | undefined): number | undefined {
  const digits = /^\s*(\d{1,15}(?:\.\d{1,6})?)\s*(?:[;,]|$)/.exec(text ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}
