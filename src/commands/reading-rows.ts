import { formatInstant } from '../core/instant.ts';
import type { Reading } from '../ingest/stored-readings.ts';
import type { Cell } from './output.ts';

/** The fields of a reading in the order of seed 2.1, as heading of tables and CSV. */
export const READING_FIELDS = ['sensorId', 'valueName', 'date', 'value', 'precision', 'labels'] as const;

export const readingCells = ({ sensorId, valueName, at, value, precision, labels }: Reading): Cell[] => [
  sensorId,
  valueName,
  formatInstant(at),
  value,
  precision,
  labels.join(';'),
];

/** As it could be pushed to another bridge: what is not known is left out. */
export const readingDocument = ({
  sensorId,
  valueName,
  at,
  value,
  precision,
  labels,
}: Reading): Record<string, unknown> => ({
  sensorId,
  valueName,
  date: formatInstant(at),
  value,
  ...(precision === undefined ? {} : { precision }),
  ...(labels.length === 0 ? {} : { labels }),
});

/** One line of CSV (RFC 4180, but ended by a line feed alone, as Unix tools expect). Labels are joined by `;`. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\n`;

function csvCell(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  const text = String(cell);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
