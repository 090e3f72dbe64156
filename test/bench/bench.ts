/** The options of a bench. */
export interface BenchOptions {
  /** Readings of the pull bench. */
  readonly points: number;
  /** How often each measurement of the pull bench is made; the middle one counts. */
  readonly runs: number;
  /** Measures only the load of this many sources; undefined: all loads. */
  readonly load: number | undefined;
  /** Measures only this queue; undefined: both. */
  readonly queue: QueueName | undefined;
  /** Fewer loads: for figures within five minutes. */
  readonly quick: boolean;
  /** How long the schedule, turns and hanging benches watch, and about how long the pace bench runs, s. */
  readonly seconds: number;
  /** Where the workers write CPU profiles; undefined: they write no profile. */
  readonly profile: string | undefined;
  /** Gets a line about each step. */
  readonly say: (message: string) => void;
}

export type QueueName = 'Redis' | 'PostgreSQL';

/** One line of the table. */
export interface Measure {
  /** The load that it is of: measures with loads are shown side by side, a column a load. */
  readonly of?: string;
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The wanted value. A missed aim is marked; it does not fail the bench. */
  readonly aim?: { readonly atLeast: number } | { readonly atMost: number };
  /** Explains the number. */
  readonly note?: string;
}

export type Bench = (options: BenchOptions) => Promise<Measure[]>;

/** The stored readings are not the sent ones, so no speed means anything and the whole run fails. */
export class WrongData extends Error {
  override readonly name = 'WrongData';
}

/** The value below which `share` (0..1) of the values lie; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);
