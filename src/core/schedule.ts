import type { Instant, Microseconds } from './instant.ts';

/**
 * The offset in its interval at which a source polls, from 0 to `every`. It is the same on every host and after every
 * restart. It comes from a hash of the name, so that a thousand sources do not all ask at the full minute.
 */
export const phaseOf = (sourceName: string, every: Microseconds): Microseconds =>
  Math.floor((hash(sourceName) / 2 ** 32) * every);

/** The first instant after `after` at which the source is due. Due times that were missed are not made up for. */
export function nextDue(sourceName: string, every: Microseconds, after: Instant): Instant {
  const phase = phaseOf(sourceName, every);
  return phase + (Math.floor((after - phase) / every) + 1) * every;
}

/**
 * FNV-1a, then the finaliser of MurmurHash3, because FNV alone gives names that differ in the last letter close
 * hashes.
 */
function hash(text: string): number {
  let bits = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) bits = Math.imul(bits ^ text.charCodeAt(index), 0x01000193);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
