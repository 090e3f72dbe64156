import type { PoolClient } from 'pg';
import type { Batch } from '../core/batch.ts';
import type { Coverage } from '../core/coverage.ts';
import type { NumberedColumn } from './rows.ts';

/** How many readings of a window were taken, by what the receiver already had. */
export interface Taken {
  readonly fresh: number;
  /** Same series, instant, value, precision and labels as before: nothing changed. */
  readonly duplicates: number;
  /** Same series and instant, other content: the newer one replaced the older. */
  readonly revised: number;
  /** Of the fresh ones those in time already covered: late data. */
  readonly late: number;
  /** Largest distance from a late reading's instant to now, µs. */
  readonly latenessUs: number;
}

/**
 * What accepts readings. Both ways happen inside the transaction that moves coverage (law 1).
 *
 * `statement` is SQL of a common table expression named `taken`. It reads `incoming` (series, at, value, precision,
 * labels), `covered_before` (ranges tstzmultirange) and `origin` (stream_id), and returns one row: fresh, revised, late, lateness_us.
 * One statement then carries a whole small window; most polls are one round trip.
 */
export interface Ingestion {
  readonly statement: string;
  /** Series and label sets of a batch as numbers, sorted by series. Happens before the transaction. */
  number(projectId: number, batch: Pick<Batch, 'columns'>): Promise<NumberedColumn[]>;
  /** Prepares the ground for readings between two instants (partitions). Happens before the transaction. */
  prepare(columns: readonly NumberedColumn[]): Promise<string>;
  /**
   * Takes many readings of one stream fast. `covered` is the covered time inside the window before it: only what lies
   * there can already be known.
   */
  takeMany(
    client: PoolClient,
    table: string,
    columns: readonly NumberedColumn[],
    of: { readonly streamId: number; readonly covered: Coverage },
  ): Promise<Taken>;
}
