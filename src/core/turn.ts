import type { Instant } from './instant.ts';

/** The part of a stream that its turn depends on. */
export interface StreamTurn {
  readonly id: number;
  /** When live asked for it last, whatever the answer was; null where it never did. */
  readonly askedAt: Instant | null;
  /** It waits until then, because its last windows failed. */
  readonly retryAt: Instant | null;
}

/**
 * The streams that a poll asks at `now`, in order: the stream that was asked longest ago is first. A poll that ends early
 * therefore leaves the head of the next one to the streams that it did not reach, on any host and after a restart.
 */
export const inTurn = <Stream extends StreamTurn>(streams: readonly Stream[], now: Instant): Stream[] =>
  streams
    .filter(({ retryAt }) => (retryAt ?? -Infinity) <= now)
    .toSorted((one, other) => (one.askedAt ?? -Infinity) - (other.askedAt ?? -Infinity) || one.id - other.id);

/** A stream that got a 5xx or no answer, seen beside the other streams of its poll. */
export interface FailedTurn {
  /** Another stream is not failing: the platform answered in this poll, or a stream was answered when it was asked last. */
  readonly othersWell: boolean;
  /** Failures in a row of the source, before this one; 0 where its platform answered in this poll. */
  readonly sourceFailures: number;
  /** Failures in a row of this stream, before this one. */
  readonly streamFailures: number;
  /** Streams that were healthy before and failed in this poll, counted since the platform last answered. */
  readonly freshFailures: number;
}

/**
 * Whose failure a request without an answer is: a 5xx, a time-out or an answer that broke off. One stream may be too heavy or
 * broken while the platform serves the others, so the failure is its own until a second stream fails that was healthy before,
 * or no other stream is well. A stream that has been failing says nothing new about the platform while others are well. Where
 * the source is already in trouble, the poll is its probe, and one failure is enough.
 */
export function blameFor({
  othersWell,
  sourceFailures,
  streamFailures,
  freshFailures,
}: FailedTurn): 'source' | 'stream' {
  if (!othersWell || sourceFailures > 0) return 'source';
  if (streamFailures > 0) return 'stream';
  return freshFailures > 0 ? 'source' : 'stream';
}
