import { isOfBridge, isPermanent, isUnanswered, isUnreadable } from './errors.ts';
import type { BridgeError } from './errors.ts';
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

/** The part of a stream that tells whose a fault is. */
interface Failing {
  readonly id: number;
  /** Failures in a row before this poll. */
  readonly failures: number;
}

/** What the fault of a stream says. */
interface Blame {
  readonly blame: 'source' | 'stream';
  /** Failures in a row of the source before the fault; 0 where its platform answered in this poll. */
  readonly failures: number;
  /** The platform has answered in this poll. */
  readonly answered: boolean;
}

/** How the streams of one poll fare. */
export interface PollOutcome {
  /** A window was read, or was too much and is asked for in parts. */
  read(): void;
  /** A stream met a fault. */
  fault(fault: BridgeError, stream: Failing): Blame;
  /**
   * Whether the source is well: its platform answered, or no stream failed and one was well before. A poll that was `cut` short left
   * streams unasked, so that none failed says nothing then.
   */
  isWell(cut: boolean): boolean;
}

/** `failures`: in a row of the source before the poll. */
export function pollOutcome(streams: readonly Failing[], failures: number): PollOutcome {
  let sourceFailures = failures;
  /** Answers of the platform, also unreadable ones. */
  let answers = 0;
  let hasRead = false;
  let hasFailed = false;
  /** Streams that were healthy before and failed in this poll, since the platform last answered. */
  let freshFailures = 0;
  const unread = new Set<number>();

  /** The platform is in no trouble. */
  function noteAnswer(): void {
    answers += 1;
    freshFailures = 0;
    sourceFailures = 0;
  }

  /** Another stream is not failing, as far as this poll and the ones before it know. */
  const areOthersWell = (stream: Failing): boolean =>
    answers > 0 || streams.filter((one) => one.id !== stream.id && one.failures === 0).length > freshFailures;

  /** Another stream can be read, as far as this poll and the ones before it know. */
  const areOthersRead = (stream: Failing): boolean =>
    hasRead || streams.some((one) => one.id !== stream.id && one.failures === 0 && !unread.has(one.id));

  /**
   * An answer that cannot be read says something about the platform where no stream can be read, for the second time. A permanent fault
   * says nothing about the others, so the source stops for it only where no other stream is well. So it is with a 5xx, a time-out or an
   * answer that broke off: one stream may be too heavy or broken while the platform serves the others, so the failure is its own until
   * a second stream fails that was healthy before. A stream that has been failing says nothing new while others are well. Where
   * the source is already in trouble, the poll is its probe, and one failure is enough.
   */
  function blameOf(fault: BridgeError, stream: Failing): 'source' | 'stream' {
    const isFirst = stream.failures === 0 && sourceFailures === 0;
    if (isUnreadable(fault)) return isFirst || areOthersRead(stream) ? 'stream' : 'source';
    if (!areOthersWell(stream)) return 'source';
    if (isPermanent(fault)) return 'stream';
    if (sourceFailures > 0) return 'source';
    return stream.failures === 0 && freshFailures > 0 ? 'source' : 'stream';
  }

  return {
    read() {
      noteAnswer();
      hasRead = true;
    },
    fault(fault, stream) {
      const before = { blame: blameOf(fault, stream), failures: sourceFailures };
      // The platform had answered when the window was to be stored.
      if (isOfBridge(fault)) noteAnswer();
      else if (isUnanswered(fault) || isPermanent(fault)) {
        hasFailed = true;
        if (stream.failures === 0) freshFailures += 1;
      } else if (isUnreadable(fault) && fault.code !== 'bug') {
        unread.add(stream.id);
        // An answer for one stream ends a trouble of the source. Where no stream can be read, that is its trouble.
        if (before.blame === 'stream') noteAnswer();
        else answers += 1;
      }
      return { ...before, answered: answers > 0 };
    },
    isWell: (cut) => answers > 0 || (!cut && !hasFailed && streams.some((one) => one.failures === 0)),
  };
}
