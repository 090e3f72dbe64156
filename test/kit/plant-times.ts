/** When the points of a series come; all cadences are strictly increasing in the index. */
export type Cadence =
  /** Evenly, all such series at the same instants, starting exactly at the start of the range. */
  | 'even'
  /** In pairs on edges of windows: exactly on a full hour, minute or second, and 1 µs before the next; ends 1 µs before the range does. */
  | 'edges'
  /** At a random µs of each slot. */
  | 'random'
  /** Sixteen points 1 to 7 µs apart, half of them before a full hour, minute or second and half after it; then a pause. */
  | 'bursts';

export interface Slots {
  /** Points the range has to hold, at most one per 1,000 µs. */
  readonly count: number;
  /** A multiple of one hour, µs. */
  readonly rangeUs: number;
}

const cellsUs = [3_600_000_000, 60_000_000, 1_000_000, 1_000];
const burstLength = 16;
const burstSpacingUs = 4;

/**
 * Microseconds from the start of the range to a point, in `[0, rangeUs)`.
 * @param random in [0, 1), the same at every call for this point
 */
export function timeOfPoint(cadence: Cadence, { count, rangeUs }: Slots, index: number, random: number): number {
  switch (cadence) {
    case 'even':
      return Math.floor((index * rangeUs) / count);
    case 'random':
      return Math.floor((index * rangeUs) / count) + Math.floor(random * Math.floor(rangeUs / count));
    case 'edges': {
      const pairs = Math.ceil(count / 2);
      const pair = Math.floor(index / 2);
      return index % 2 === 0 ? edge(pair, pairs, rangeUs) : edge(pair + 1, pairs, rangeUs) - 1;
    }
    case 'bursts': {
      const bursts = Math.ceil(count / burstLength);
      const middle = edge(Math.floor(index / burstLength) + 1, bursts + 1, rangeUs);
      const place = (index % burstLength) - burstLength / 2;
      return middle + place * burstSpacingUs + Math.floor(random * burstSpacingUs);
    }
  }
}

/** Start of the given one of `parts` nearly equal parts of the range, each starting on the roundest instant possible. */
function edge(part: number, parts: number, rangeUs: number): number {
  const cellUs = cellsUs.find((us) => rangeUs / us >= parts) ?? 1_000;
  return Math.floor((part * (rangeUs / cellUs)) / parts) * cellUs;
}
