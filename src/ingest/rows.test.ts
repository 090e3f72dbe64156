import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LAST_INSTANT } from '../core/instant.ts';
import { decodeArrays, decodeCopy } from '../../test/kit/rows-decoder.ts';
import type { DecodedRow } from '../../test/kit/rows-decoder.ts';
import { countRows, encodeArrays, encodeCopy } from './rows.ts';
import type { NumberedColumn } from './rows.ts';

const YEAR_2000 = Date.UTC(2000, 0, 1) * 1000;
const EDGES = [0, -1, 1, YEAR_2000, YEAR_2000 - 1, YEAR_2000 + 1, YEAR_2000 + 2 ** 32, YEAR_2000 - 2 ** 32];

const instant = fc.oneof(
  fc.constantFrom(...EDGES, LAST_INSTANT, -LAST_INSTANT),
  fc.integer({ min: -LAST_INSTANT, max: LAST_INSTANT }),
);
const number = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const value = fc.oneof(fc.constantFrom(0, 0.1, -1e-320, Number.MAX_VALUE), fc.double({ noNaN: true }));

const segment = fc
  .record({
    points: fc.array(fc.tuple(instant, value, fc.integer({ min: 0, max: 100 })), { maxLength: 5 }),
    graded: fc.boolean(),
    labelSet: fc.option(number),
  })
  .map(({ points, graded, labelSet }) => ({
    labelSet,
    segment: {
      at: points.map(([at]) => at),
      value: points.map(([, single]) => single),
      precision: graded ? points.map(([, , grade]) => grade) : undefined,
      labels: [],
    },
  }));

const columns: fc.Arbitrary<NumberedColumn[]> = fc.array(
  fc.record({ series: number, parts: fc.array(segment, { maxLength: 4 }) }).map(({ series, parts }) => ({
    series,
    column: { sensorId: 's', valueName: 'v', segments: parts.map((part) => part.segment) },
    labelSets: parts.map((part) => part.labelSet),
  })),
  { maxLength: 5 },
);

const rowsOf = (given: readonly NumberedColumn[]): DecodedRow[] =>
  given.flatMap(({ series, column, labelSets }) =>
    column.segments.flatMap((part, position) =>
      part.at.map((at, index) => ({
        series,
        at: BigInt(at),
        value: part.value[index] ?? null,
        precision: part.precision?.[index] ?? null,
        labels: labelSets[position] ?? null,
      })),
    ),
  );

describe('readings in the binary formats of PostgreSQL', () => {
  it('are the same after a COPY stream, in the same order', () =>
    fc.assert(
      fc.property(columns, (given) => {
        expect(decodeCopy(Buffer.concat([...encodeCopy(given)]))).toStrictEqual(rowsOf(given));
      }),
      { numRuns: 1_000 },
    ));

  it('are the same after a COPY stream of several pieces', () => {
    const at = Array.from({ length: 20_001 }, (_, index) => index);
    const segments = [
      { at, value: at, precision: undefined, labels: [] },
      { at, value: at, precision: at.map((index) => index % 101), labels: [] },
    ];
    const given = [{ series: 7, column: { sensorId: 's', valueName: 'v', segments }, labelSets: [null, 3] }];
    const pieces = [...encodeCopy(given)];
    expect(pieces.length).toBeGreaterThan(4);
    expect(decodeCopy(Buffer.concat(pieces))).toStrictEqual(rowsOf(given));
  });

  it('are the same after five arrays, in the same order', () =>
    fc.assert(
      fc.property(columns, (given) => {
        expect(decodeArrays(encodeArrays(given))).toStrictEqual(rowsOf(given));
      }),
      { numRuns: 1_000 },
    ));

  it('are as many as countRows says', () =>
    fc.assert(
      fc.property(columns, (given) => {
        expect(countRows(given)).toBe(rowsOf(given).length);
      }),
    ));
});
