import type { Pacer } from '../../../src/platform/connection/index.ts';

/** Gives slots at once, at most `most` at a time, and counts them. */
export interface CountingPacer extends Pacer {
  /** Slots given so far. */
  readonly given: number;
  /** Slots that are held. */
  readonly held: number;
  /** At most this many slots are held at a time. */
  limit(most: number): void;
}

export function countingPacer(): CountingPacer {
  let [given, held, most] = [0, 0, Infinity];
  const waiting: (() => void)[] = [];
  return {
    get given() {
      return given;
    },
    get held() {
      return held;
    },
    limit(next) {
      most = next;
    },
    async slot() {
      while (held >= most) await new Promise<void>((free) => waiting.push(free));
      given += 1;
      held += 1;
      let isHeld = true;
      return {
        inDoubt: true,
        release() {
          if (isHeld) held -= 1;
          isHeld = false;
          waiting.shift()?.();
        },
      };
    },
    hold: () => Promise.resolve(),
  };
}
