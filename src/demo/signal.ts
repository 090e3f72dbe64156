import { DAY } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { Window } from '../core/window.ts';

/** One value of a simulated plant. Every point it ever had or will have follows from these numbers; none is stored. */
export interface Signal {
  /** What it is fetched with: a measurement of InfluxDB, the id of a device of ThingsBoard. */
  readonly group: string;
  /** What the plant calls the sensor and its value. */
  readonly sensor: string;
  readonly field: string;
  /** What its readings are to be called. */
  readonly sensorId: string;
  readonly valueName: string;
  /** A point at every whole multiple of this since 1970. */
  readonly every: Microseconds;
  /** Around `middle`, `swing` up and down over a day, `ripple` from point to point. */
  readonly middle: number;
  readonly swing: number;
  readonly ripple: number;
  /** Says these words in turn instead of numbers: none of them may become a reading. */
  readonly words?: readonly string[];
  /** Every so many points one appears only this long after its own instant. */
  readonly late?: { readonly every: number; readonly by: Microseconds };
}

export interface Point {
  readonly at: Instant;
  readonly value: number | string;
  /** From when on the plant shows it: its own instant, or later. */
  readonly appearsAt: Instant;
}

/** The truth: all points of a signal in a window, oldest first, whether or not the plant shows them yet. Pure. */
export function* pointsOf(signal: Signal, { from, to }: Window): Generator<Point> {
  for (let index = Math.ceil(from / signal.every); index * signal.every < to; index += 1) {
    const at = index * signal.every;
    const isLate = signal.late !== undefined && index % signal.late.every === 0;
    yield { at, value: valueOf(signal, index), appearsAt: isLate ? at + signal.late.by : at };
  }
}

/** About the golden angle, in radians: neighbouring points are never near each other on the circle. */
const STRIDE = 2.4;

function valueOf({ every, middle, swing, ripple, words }: Signal, index: number): number | string {
  if (words !== undefined) return words[index % words.length] as string;
  const day = ((index * every) % DAY) / DAY;
  const value = middle + swing * Math.sin(2 * Math.PI * day) + ripple * Math.sin(STRIDE * index);
  // Adding 0 turns -0 into 0, as which it would be stored.
  return Math.round(value * 100) / 100 + 0;
}
