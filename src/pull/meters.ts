import type { FaultCode } from '../core/errors.ts';
import type { RequestKind } from '../core/request-counts.ts';
import type { DeliveryMeters } from '../delivery/meters.ts';
import type { RequestEnd } from '../platform/connection/index.ts';
import type { Work } from '../queue/queue.ts';

/** A window for the counters. `platform` is the name of its adapter. */
export interface CountedWindow {
  readonly platform: string;
  readonly lane: 'live' | 'history';
}

/**
 * The counters of the poll path, and of the deliveries beside it. A process that nobody monitors has none. Each call is about a window, a request or a step, never
 * about one reading. Times in seconds.
 */
export interface PullMeters extends DeliveryMeters {
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
  /** A request gave its slot back. */
  slot(kind: RequestKind, ending: RequestEnd): void;
  /** A request waited for a slot; `got`: it has one. */
  waited(kind: RequestKind, seconds: number, got: boolean): void;
  /** The planner gave due jobs to the queue. */
  planned(work: Work, jobs: number): void;
  /** The planner ended a step. */
  step(seconds: number): void;
}
