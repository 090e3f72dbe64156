import fc from 'fast-check';
import type { FaultKind } from './plant.ts';

/** What an operator, a plant or a machine does. Plain data, so that a failing history can be printed and shrunk. */
export type Deed =
  /** Workers do what is due, `rounds` times. `together`: at the same time, and each is given every job. */
  | { readonly deed: 'work'; readonly rounds: number; readonly together: boolean }
  | { readonly deed: 'wait'; readonly seconds: number }
  | { readonly deed: 'apply'; readonly change: Change }
  /** The operator changes the source while the plant gives an answer, after `answers` others. */
  | { readonly deed: 'apply-amid'; readonly change: Change; readonly answers: number }
  | { readonly deed: 'pause' | 'resume' | 'poll-now' }
  | { readonly deed: 'remove'; readonly change: Change }
  | { readonly deed: 'new-sensor' }
  /** The list of the plant leaves a sensor out, which goes on measuring; `returns`: only for one look. */
  | { readonly deed: 'hide-sensor'; readonly sensor: number; readonly returns: boolean }
  /** The plant gives a sensor another name: what it measures from now on, it measures as a new one. */
  | { readonly deed: 'rename-sensor'; readonly sensor: number }
  /** The gateway is cut off for `minutes`, in which it is polled, and uploads all it measured `held` minutes after its return. */
  | { readonly deed: 'cut-off'; readonly minutes: number; readonly held: number }
  | { readonly deed: 'backfill'; readonly minutes: number; readonly again: boolean }
  | {
      readonly deed: 'fault';
      readonly kind: FaultKind;
      readonly seconds: number;
      readonly sensor: number | undefined;
      /** Only a stretch of this many minutes before now, one minute long. */
      readonly minutesBack: number | undefined;
      readonly longerThanMinutes: number | undefined;
      readonly header: '0' | '7' | 'soon' | undefined;
    }
  /**
   * The plant changes the password, `amid`: while it gives an answer. The workers meet that; `corrected`: then the operator
   * applies the new one.
   */
  | { readonly deed: 'new-password'; readonly amid: boolean; readonly corrected: boolean }
  | { readonly deed: 'end-tokens' }
  /** The clock of the database is ahead while the workers do what is due. */
  | { readonly deed: 'clock-ahead'; readonly seconds: number }
  | { readonly deed: 'kill'; readonly worker: number; readonly statements: number; readonly done: boolean };

/** The part of a configuration that a deed changes. */
export interface Change {
  readonly scale?: number;
  readonly startMinutes?: number;
  readonly overlap?: number;
  readonly align?: number;
  readonly catchUp?: 'newest' | 'oldest';
  readonly maxWindow?: number;
  /** How many of the sensors are listed by name; 0: all, without a list. */
  readonly listed?: number;
  readonly renamed?: boolean;
  readonly rate?: number;
  readonly concurrency?: number;
}

const change: fc.Arbitrary<Change> = fc.record(
  {
    scale: fc.constantFrom(1, 0.5, 4),
    startMinutes: fc.constantFrom(5, 12, 20, 25),
    overlap: fc.constantFrom(60, 90),
    align: fc.constantFrom(1, 5, 10),
    catchUp: fc.constantFrom('newest', 'oldest'),
    maxWindow: fc.constantFrom(2, 5, 60),
    listed: fc.constantFrom(0, 1, 2),
    renamed: fc.boolean(),
    rate: fc.constantFrom(2, 10, 50),
    concurrency: fc.constantFrom(1, 2, 3),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Change>;

const rarely = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(some, { nil: undefined, freq: 2 });

const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      deed: fc.constant('work' as const),
      rounds: fc.integer({ min: 1, max: 3 }),
      together: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ deed: fc.constant('wait' as const), seconds: fc.constantFrom(1, 13, 70, 400) }) },
  { weight: 1, arbitrary: fc.record({ deed: fc.constant('apply' as const), change }) },
  {
    weight: 2,
    arbitrary: fc.record({ deed: fc.constant('apply-amid' as const), change, answers: fc.nat({ max: 2 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ deed: fc.constantFrom('pause' as const, 'resume' as const, 'poll-now' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ deed: fc.constant('remove' as const), change }) },
  { weight: 1, arbitrary: fc.record({ deed: fc.constant('new-sensor' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      deed: fc.constant('hide-sensor' as const),
      sensor: fc.nat({ max: 3 }),
      returns: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ deed: fc.constant('rename-sensor' as const), sensor: fc.nat({ max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      deed: fc.constant('cut-off' as const),
      minutes: fc.constantFrom(2, 4),
      held: fc.constantFrom(1, 3),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      deed: fc.constant('backfill' as const),
      minutes: fc.constantFrom(3, 10, 30),
      again: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      deed: fc.constant('fault' as const),
      kind: fc.constantFrom('status', 'retry-after', 'reset', 'time-out', 'broken-page', 'no-sensors', 'one-fails'),
      seconds: fc.constantFrom(5, 60, 900),
      sensor: rarely(fc.nat({ max: 3 })),
      minutesBack: rarely(fc.nat({ max: 20 })),
      longerThanMinutes: rarely(fc.constantFrom(1, 3)),
      header: fc.constantFrom('0', '7', 'soon', undefined),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      deed: fc.constant('new-password' as const),
      amid: fc.boolean(),
      corrected: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ deed: fc.constant('end-tokens' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ deed: fc.constant('clock-ahead' as const), seconds: fc.constantFrom(5, 60, 180) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      deed: fc.constant('kill' as const),
      worker: fc.nat({ max: 1 }),
      statements: fc.nat({ max: 40 }),
      done: fc.boolean(),
    }),
  },
) as fc.Arbitrary<Deed>;

/** How a history begins, and all that happens in it. */
export interface History {
  readonly seed: number;
  readonly sensors: number;
  /** The same workers poll another source, of a healthy plant. */
  readonly neighbour: boolean;
  /** How many sensors a read takes together. */
  readonly sensorsPerRead: number;
  /** How one sensor fails for ever. `status`: each read with it gets a 500. `one-fails`: the plant answers the other sensors of the read. */
  readonly broken: 'none' | 'status' | 'one-fails';
  /** Signs each request with the password; otherwise logs in for a token. */
  readonly basic: boolean;
  readonly first: Change;
  /** The operator reads everything again in the end, under the last configuration. */
  readonly readAgain: boolean;
  readonly deeds: readonly Deed[];
  /** Sensors have windows of thousands of readings, which are committed by `COPY`. */
  readonly dense: boolean;
}

export const histories: fc.Arbitrary<History> = fc.record({
  seed: fc.nat({ max: 9_999 }),
  sensors: fc.integer({ min: 1, max: 4 }),
  neighbour: fc.boolean(),
  sensorsPerRead: fc.constantFrom(1, 2),
  broken: fc.constantFrom('none', 'status', 'one-fails'),
  basic: fc.boolean(),
  first: change,
  readAgain: fc.boolean(),
  deeds: fc.array(deed, { minLength: 1, maxLength: 14 }),
  dense: fc.constantFrom(false, false, true),
});
