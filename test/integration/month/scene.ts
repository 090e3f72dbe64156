import { DAY, HOUR, MINUTE } from '../../../src/core/instant.ts';
import type { Instant, Microseconds } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';

/** How dense the month is. */
export interface Size {
  readonly name: 'small' | 'large';
  /** Sensors of the main source. Every third one is a switch, whose values are true and false. */
  readonly sensors: number;
  /** Sensors that a stream has. */
  readonly sensorsPerRead: number;
  /** The time between two points of a sensor. */
  readonly rhythm: Microseconds;
  /** The time between two points of the archive, which holds the year before. */
  readonly archived: Microseconds;
  readonly every: Microseconds;
  /** The limit of the year's backfill. */
  readonly requestsPerDay: number;
}

export const SIZES: Readonly<Record<Size['name'], Size>> = {
  small: {
    name: 'small',
    sensors: 3,
    sensorsPerRead: 3,
    rhythm: 5 * MINUTE,
    archived: 30 * MINUTE,
    every: HOUR,
    requestsPerDay: 150,
  },
  large: {
    name: 'large',
    sensors: 12,
    sensorsPerRead: 4,
    rhythm: MINUTE,
    archived: 5 * MINUTE,
    every: 5 * MINUTE,
    requestsPerDay: 450,
  },
};

/** A month of autumn: the clocks of Berlin are put back on its 21st day. */
export const BEGIN: Instant = Date.UTC(2026, 9, 5) * 1_000;
export const MONTH: Microseconds = 30 * DAY;

/** The year before, which only a backfill asks for. */
export const YEAR: Window = { from: BEGIN - 365 * DAY, to: BEGIN };

export const ZONE = 'Europe/Berlin';

export const MILL = 'mill';
/** The source of a platform that knows local times only. */
export const CLOCKS = 'clocks';

export const OVERLAP: Microseconds = HOUR;
/** How late the bridge looks for points. No point of the month comes later, and no value changes later. */
export const LOOK_BACK: Microseconds = 2 * DAY;
/** After the month nothing more happens; until then every point was looked at at the age of `LOOK_BACK`, in steps of its fourth. */
export const TAIL: Microseconds = LOOK_BACK + LOOK_BACK / 4 + 2 * HOUR;

/** Low, so that a request without a slot of its own shows. */
export const PACE = { requestsPerSecond: 1, burst: 2, concurrency: 1 } as const;
