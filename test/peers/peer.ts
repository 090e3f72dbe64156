import type { Instant, Microseconds } from '../../src/core/instant.ts';
import type { Platform } from '../bench/pull-once.ts';
import type { Dataset } from '../bench/dataset.ts';
import type { Rig } from '../bench/rig.ts';

/** The past that a peer fetches: all of the dataset, out of an InfluxDB, into rows of the PostgreSQL of `rig`. */
export interface HistoryJob {
  readonly rig: Rig;
  readonly platform: Platform;
  readonly dataset: Dataset;
  /** Readings of a window. */
  readonly windowReadings: number;
}

/** The present that a peer follows: `targets` targets of a plant with a grid, once a second each. */
export interface PollsJob {
  readonly rig: Rig;
  readonly plant: string;
  readonly targets: number;
}

/** A peer at work. */
export interface Running {
  /** CPU of its own process so far, and of all that works for it, s. */
  cpu(): { readonly own: number; readonly all: number };
  /** Its main process. */
  pid(): number;
  kill9(): Promise<void>;
  startAgain(): Promise<void>;
  /** Calls `visit` with each point that it has stored durably: sensor, instant in µs, value. */
  stored(visit: Visit): Promise<void>;
  stop(): Promise<void>;
}

export type Visit = (sensor: string, at: Instant, value: number) => void;

/** A running job that has an end. */
export interface RunningHistory extends Running {
  /** Begins the work; its process runs and waits, where it can. */
  begin(): Promise<void>;
  /** Whether all is stored. */
  done(): Promise<boolean>;
}

/** A program that does the work. */
export interface Peer {
  readonly name: string;
  /** The program and its version. */
  readonly version: string;
  /** How it is set up here, in a sentence. */
  readonly setup: string;
  /** Fetches a past; a text says why it cannot. */
  readonly history: ((job: HistoryJob) => Promise<RunningHistory>) | string;
  polls(job: PollsJob): Promise<Running>;
  /** Removes what was installed for it. */
  close(): Promise<void>;
}

/** What the two programs that are no bridge get told, as environment. */
export interface Told {
  readonly platform: Platform;
  readonly database: string;
  readonly measurements: readonly string[];
  /** The first instant that is wanted. */
  readonly from: Instant;
  /** The end of what is wanted; undefined: the present. */
  readonly to?: Instant;
  readonly window: Microseconds;
}

/** The sensor of a target of the small plant, as series key of InfluxDB. */
export const targetName = (number: number): string => `source-${number}`;
export const targetSensor = (number: number): string => `${targetName(number)},unit=1`;
