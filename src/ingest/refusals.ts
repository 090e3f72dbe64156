import type { Refusal } from '../core/batch.ts';
import { formatInstant } from '../core/instant.ts';
import type { RefusalReason } from '../core/reading.ts';

/** An application in a project keeps at most this many rows of refusals for each reason and hour. */
export const REFUSALS_KEPT_PER_HOUR = 1_000;

/** Names of refused points are cut, because they may have any length and an index row of PostgreSQL may not. */
const LONGEST_NAME = 256;

/** A refusal as the statements that keep refusals take it. */
export interface RefusalRow {
  readonly reason: RefusalReason;
  readonly sensor: string;
  readonly variable: string;
  /** ISO 8601; null where the instant could not be read. */
  readonly at: string | null;
  readonly raw: string;
  /** Its place among those of the same reason; the first is 1. */
  readonly place: number;
}

/** Examples of refusals as rows, in their order. */
export function refusalRows(examples: readonly Refusal[]): RefusalRow[] {
  const places = new Map<RefusalReason, number>();
  return examples.map((refusal) => {
    const place = (places.get(refusal.reason) ?? 0) + 1;
    places.set(refusal.reason, place);
    return {
      ...refusal,
      sensor: refusal.sensor.slice(0, LONGEST_NAME),
      variable: refusal.variable.slice(0, LONGEST_NAME),
      at: refusal.at === undefined ? null : formatInstant(refusal.at),
      place,
    };
  });
}
