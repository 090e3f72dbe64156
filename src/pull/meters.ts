import type { FaultCode } from '../core/errors.ts';
import type { DeliveryMeters } from '../delivery/meters.ts';
import type { SlotMeters } from '../pace/pacer.ts';
import type { Work } from '../queue/queue.ts';

/** A window for the counters. `platform` is the name of its adapter. */
export interface CountedWindow {
  readonly platform: string;
  readonly lane: 'live' | 'history';
}

/**
 * The counters of the poll path, of its slots and of the deliveries beside it. A process that nobody monitors has none. Each call is about
 * a window, a request or a step, never about one reading. Times in seconds.
 */
export interface PullMeters extends DeliveryMeters, SlotMeters {
  /** A window ended after `seconds`. */
  window(window: CountedWindow, outcome: 'stored' | 'halved' | FaultCode, seconds: number): void;
  /** A window was handed over: its points, its readings, and its time in each phase. */
  stored(
    window: CountedWindow & {
      readonly points: number;
      readonly fresh: number;
      readonly revised: number;
      readonly duplicates: number;
      /** Bytes of the answers, as they were packed. */
      readonly bytes: number;
      readonly refused: ReadonlyMap<string, number>;
      readonly waited: number;
      readonly asked: number;
      readonly normalised: number;
      readonly stored: number;
    },
  ): void;
  /** The planner gave due jobs to the queue. */
  planned(work: Work, jobs: number): void;
  /** The planner ended a step. */
  step(seconds: number): void;
}
