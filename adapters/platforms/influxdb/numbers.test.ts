import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { numberRows } from './numbers.ts';

const document = (values: string): Buffer =>
  Buffer.from(`{"results":[{"series":[{"name":"größe","columns":["time","a"],"values":${values}}]}]}`);

const columnsOf = (values: string): readonly (readonly number[])[] | undefined => numberRows(document(values))?.columns;

const asColumns = (rows: readonly (readonly unknown[])[]): unknown[][] =>
  (rows[0] ?? []).map((_, column) => rows.map((row) => (row[column] === null ? Number.NaN : row[column])));

const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !isBeyondDouble(JSON.stringify(value))),
  fc.integer({ min: -99_999_999, max: 99_999_999 }).map((value) => value / 1_000),
);

/** Whether a text is an integer that needs more digits than a double has. */
const isBeyondDouble = (text: string): boolean => /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));

describe('rows of numbers', () => {
  test('are those that JSON.parse finds', () => {
    const cell = fc.option(number, { nil: null, freq: 8 });
    const rows = fc
      .integer({ min: 1, max: 5 })
      .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }));
    fc.assert(
      fc.property(rows, (given) => {
        const values = JSON.stringify(given);
        const found = numberRows(document(values));
        expect(found?.columns).toEqual(asColumns(JSON.parse(values) as unknown[][]));
        expect(document(values).toString('utf8', found?.from, found?.to)).toBe(values);
      }),
    );
  });

  test.each(['0.1', '-0', '-0.0', '0', '1e-07', '1.5e+300', '4.9E-324', '0.00000000000000000000000012345', '1e21'])(
    'hold %s as JSON.parse reads it',
    (text) => {
      expect(columnsOf(`[[1,${text}]]`)).toEqual([[1], [Number(text)]]);
    },
  );

  test('hold numbers of many digits exactly', () => {
    for (const text of ['23.200000000000003', '9007199254740993.5', '0.30000000000000004', '123456789012345678.9']) {
      expect(columnsOf(`[[1,${text}],[2,-${text}]]`)).toEqual([
        [1, 2],
        [Number(text), -Number(text)],
      ]);
    }
  });

  test.each([
    ['an integer that a double does not hold', '[[1,9007199254740993]]'],
    ['a text', '[[1,2],[3,"4"]]'],
    ['a boolean', '[[1,true]]'],
    ['a word that begins as null does', '[[1,nul]]'],
    ['rows of different length', '[[1,2],[3]]'],
    ['rows of different length, the longer one last', '[[1],[2,3]]'],
    ['an empty row', '[[]]'],
    ['no row', '[]'],
    ['blanks', '[[1, 2]]'],
    ['a leading zero', '[[1,02]]'],
    ['a number that ends with its point', '[[1,2.]]'],
    ['a number that begins with its point', '[[1,.5]]'],
    ['a sign alone', '[[1,-]]'],
    ['a sign before null', '[[1,-null]]'],
    ['a plus', '[[1,+2]]'],
    ['an exponent without digits', '[[1,2e]]'],
    ['a comma behind the last row', '[[1,2],]'],
    ['two rows without a comma', '[[1,2][3,4]]'],
  ])('are not taken from %s', (_what, values) => {
    expect(numberRows(document(values))).toBeUndefined();
  });

  test('are not taken from a document that was cut or changed, unless JSON.parse finds the same', () => {
    const whole = document('[[1767225600000000,1.25],[1767225600000001,null],[1767225600000002,-3e-7]]');
    for (let place = 0; place < whole.length; place += 1) {
      const cut = numberRows(whole.subarray(0, place));
      if (cut !== undefined) expect(cut.to).toBeLessThanOrEqual(place);
      for (const byte of Buffer.from('0.-,[]"ne ')) {
        const changed = Buffer.from(whole);
        changed[place] = byte;
        const found = numberRows(changed);
        if (found === undefined) continue;
        const rows = JSON.parse(changed.toString('utf8', found.from, found.to)) as unknown[][];
        expect(found.columns, `${changed}`).toEqual(asColumns(rows));
      }
    }
  });
});
