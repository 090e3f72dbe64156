import { expect, test } from 'vitest';
import { parseInstant } from '../core/instant.ts';
import { csvLine, readingCells } from './reading-rows.ts';
import { readingDocument } from '../core/reading.ts';

const reading = {
  sensorId: 'pump,unit=1',
  valueName: 'flow',
  at: parseInstant('2026-11-21T08:15:30.123456Z') as number,
  value: 1e-7,
  precision: undefined,
  labels: ['bar', 'hall "3"'],
};

test('cells with a comma, a quote, a line break or a space at an end are quoted, and no other cells', () => {
  expect(csvLine(['plain', 'a,b', 'say "x"', 'two\nlines', 'cr\r', ' edge', '', null, undefined, 0, -1.5])).toBe(
    'plain,"a,b","say ""x""","two\nlines","cr\r"," edge",,,,0,-1.5\n',
  );
});

test('a row of CSV holds the microseconds and the exact value of a reading, and its labels joined', () => {
  expect(csvLine(readingCells(reading))).toBe(
    '"pump,unit=1",flow,2026-11-21T08:15:30.123456Z,1e-7,,"bar;hall ""3"""\n',
  );
});

test('a document leaves out a precision and labels that a reading does not have', () => {
  const { sensorId, valueName, value } = reading;
  const date = '2026-11-21T08:15:30.123456Z';
  expect(readingDocument(reading)).toEqual({ sensorId, valueName, date, value, labels: reading.labels });
  expect(readingDocument({ ...reading, precision: 0, labels: [] })).toEqual({
    sensorId,
    valueName,
    date,
    value,
    precision: 0,
  });
});
