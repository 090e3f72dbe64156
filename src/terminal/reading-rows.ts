import { formatInstant } from '../core/instant.ts';
import { labelsCell } from '../core/label-cell.ts';
import type { StoredReading } from '../core/reading.ts';
import type { Cell } from './output.ts';

/** The fields of a reading in the order of the `/v0` API, as heading of tables and CSV. */
export const READING_FIELDS = ['sensorId', 'valueName', 'date', 'value', 'precision', 'labels'] as const;

export const readingCells = ({ sensorId, valueName, at, value, precision, labels }: StoredReading): Cell[] => [
  sensorId,
  valueName,
  formatInstant(at),
  value,
  precision,
  labelsCell(labels),
];

/** One line of CSV as in RFC 4180, except that a line feed alone ends it, because Unix tools expect that. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\n`;

function csvCell(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  const text = String(cell);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
