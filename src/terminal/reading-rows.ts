import { formatInstant } from '../core/instant.ts';
import type { StoredReading } from '../core/reading.ts';
import type { Cell } from './output.ts';

/** The fields of a reading in the order of seed 2.1, as heading of tables and CSV. */
export const READING_FIELDS = ['sensorId', 'valueName', 'date', 'value', 'precision', 'labels'] as const;

/** Labels in one cell, with `;` between; `\;` and `\\` stand for a `;` and a `\` of a label itself. */
export const labelsCell = (labels: readonly string[]): string =>
  labels.map((label) => label.replaceAll(/[\\;]/g, String.raw`\$&`)).join(';');

/** The reverse. A `\` before anything else is itself. */
export const labelsIn = (cell: string): string[] =>
  Array.from(cell.matchAll(/(?:^|;)((?:\\[\\;]|[^;])*)/g), ([, label = '']) => label.replaceAll(/\\([\\;])/g, '$1'));

export const readingCells = ({ sensorId, valueName, at, value, precision, labels }: StoredReading): Cell[] => [
  sensorId,
  valueName,
  formatInstant(at),
  value,
  precision,
  labelsCell(labels),
];

/** As it could be pushed to another bridge: what is not known is left out. */
export const readingDocument = ({
  sensorId,
  valueName,
  at,
  value,
  precision,
  labels,
}: StoredReading): Record<string, unknown> => ({
  sensorId,
  valueName,
  date: formatInstant(at),
  value,
  ...(precision === undefined ? {} : { precision }),
  ...(labels.length === 0 ? {} : { labels }),
});

/** One line of CSV (RFC 4180, but ended by a line feed alone, as Unix tools expect). */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\n`;

function csvCell(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  const text = String(cell);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
