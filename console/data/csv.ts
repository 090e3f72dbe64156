/** Readings as a file for a spreadsheet. */
import { lines } from '../client/api.ts';
import type { Given } from '../client/api.ts';

/** A cell (RFC 4180). A text that a program would take for a formula begins with an apostrophe. */
const cell = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
};

const COLUMNS = ['date', 'sensorId', 'valueName', 'value'] as const;

/** Reads the readings and hands them to the browser as a file. Throws `Refusal`. */
export async function downloadCsv(given: Given<'readReadings'>, name: string): Promise<void> {
  const parts = [`${COLUMNS.map(cell).join(',')}\r\n`];
  for await (const line of lines('readReadings', given))
    parts.push(`${COLUMNS.map((column) => cell(line[column])).join(',')}\r\n`);
  const url = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
