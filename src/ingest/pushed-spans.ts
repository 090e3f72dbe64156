import type { Instant } from '../core/instant.ts';
import type { NumberedColumn } from './rows.ts';

/** The stretches of time that some pushes write, series by series. */
export interface Spans {
  /** Whether these columns meet none of the stretches; then theirs are added. */
  claim(columns: readonly NumberedColumn[]): boolean;
}

/**
 * Keeps pushes that may hold the same reading out of one commit: each is then counted against what was committed before
 * it, exactly as if it had come alone. Stretches are compared, not instants; who meets needlessly waits one commit.
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
