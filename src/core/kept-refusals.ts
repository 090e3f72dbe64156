import type { Instant } from './instant.ts';
import type { RefusalReason } from './reading.ts';

/** A refused point that is stored, so that an operator can find it. */
export interface KeptRefusal {
  readonly reason: RefusalReason;
  readonly sensor: string;
  readonly variable: string;
  /** Null for an instant that could not be read. */
  readonly at: Instant | null;
  /** The value as the platform or the application sent it, shortened. */
  readonly raw: string;
  readonly notedAt: Instant;
}

/** Points refused for one reason. Every refusal is counted; refusals beyond an hourly limit are not kept. */
export interface RefusalCount {
  readonly reason: RefusalReason;
  readonly refused: number;
  readonly kept: number;
}

export interface HourlyRefusals extends RefusalCount {
  readonly hour: Instant;
}

/** The code of the project that a refused push was sent to. */
export interface OfProject {
  readonly project: string;
}
