import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Segment } from '../core/batch.ts';
import { cut } from './cut.ts';
import type { NumberedColumn } from './rows.ts';

/** A reading by itself, as a row of the table has it. */
interface Row {
  readonly series: number;
  readonly at: number;
  readonly value: number;
  readonly precision: number | undefined;
  readonly labels: readonly string[];
  readonly labelSet: number | null;
}

/** Every reading by itself, in order. */
const rowsOf = (columns: readonly NumberedColumn[]): Row[] =>
  columns.flatMap(({ series, column, labelSets }) =>
    column.segments.flatMap(({ at, value, precision, labels }, place) =>
      at.map((instant, index) => ({
        series,
        at: instant,
        value: value[index] as number,
        precision: precision?.[index],
        labels,
        labelSet: labelSets[place] ?? null,
      })),
    ),
  );

const segment: fc.Arbitrary<Segment> = fc
  .record({
    values: fc.array(fc.double({ noNaN: true }), { maxLength: 9 }),
    graded: fc.boolean(),
    labels: fc.constantFrom<readonly string[]>([], ['x'], ['x', 'y']),
  })
  .map(({ values, graded, labels }) => ({
    at: values.map((_, index) => index),
    value: values,
    precision: graded ? values.map((_, index) => index) : undefined,
    labels,
  }));

const column = fc
  .record({ series: fc.integer({ min: 1, max: 5 }), segments: fc.array(segment, { maxLength: 4 }) })
  .map(({ series, segments }) => ({
    series,
    column: { sensorId: `s${series}`, valueName: 'value', segments },
    labelSets: segments.map(({ labels }) => (labels.length === 0 ? null : labels.length)),
  }));

describe('cutting columns', () => {
  it('keeps every reading with its content and order, and fills each part but the last', () => {
    fc.assert(
      fc.property(fc.array(column, { maxLength: 6 }), fc.integer({ min: 1, max: 12 }), (columns, most) => {
        const parts = [...cut(columns, most)].map(rowsOf);
        const rows = rowsOf(columns);
        const expected: Row[][] = [];
        for (let from = 0; from < rows.length; from += most) expected.push(rows.slice(from, from + most));
        expect(parts).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('passes a column on uncut where it fits', () => {
    const one = { series: 1, column: { sensorId: 'a', valueName: 'v', segments: [] }, labelSets: [] };
    const other: NumberedColumn = {
      series: 2,
      column: { sensorId: 'b', valueName: 'v', segments: [{ at: [1], value: [1], precision: undefined, labels: [] }] },
      labelSets: [null],
    };
    const [part] = [...cut([one, other], 10)];
    expect(part?.[0]).toBe(other);
    expect([...cut([], 10)]).toEqual([]);
  });
});
