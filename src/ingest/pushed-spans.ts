import type { Instant } from '../core/instant.ts';
import type { NumberedColumn } from './rows.ts';

/** The stretches of time that the pushes of one commit write, for each series. */
export interface Spans {
  /** Adds the stretches of these columns, if they meet none that is here. @returns whether they were added */
  claim(columns: readonly NumberedColumn[]): boolean;
}

/**
 * Keeps pushes that may hold the same reading out of one commit. Each push is then counted against the commits before
 * it, exactly as if it had come alone. Stretches are compared, not instants: a push may wait one commit needlessly.
 */
export function spansOf(): Spans {
  const claimed = new Map<number, { readonly first: Instant; readonly last: Instant }[]>();
  return {
    claim(columns) {
      const meets = columns.some(({ series, column }) => {
        const own = spanOf(column.segments);
        return claimed.get(series)?.some(({ first, last }) => own.first <= last && first <= own.last);
      });
      if (meets) return false;
      for (const { series, column } of columns) {
        const spans = claimed.get(series);
        if (spans === undefined) claimed.set(series, [spanOf(column.segments)]);
        else spans.push(spanOf(column.segments));
      }
      return true;
    },
  };
}

/** From the first to the last instant of a column, both inclusive. */
export function spanOf(segments: NumberedColumn['column']['segments']): {
  readonly first: Instant;
  readonly last: Instant;
} {
  const last = segments[segments.length - 1]?.at;
  return { first: segments[0]?.at[0] ?? Infinity, last: last?.[last.length - 1] ?? -Infinity };
}
