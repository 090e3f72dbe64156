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

/** As many readings as the bridge gives at once. */
const MOST = 1_000_000;
/** Rows that wait as texts until the browser takes them into the file, which need not be in memory. */
const LOT = 20_000;

/**
 * Reads the readings and hands them to the browser as a file. Returns how many it has, and whether there may be more of them than the
 * bridge gives at once. Throws `Refusal`.
 */
export async function downloadCsv(
  { params, query }: Given<'readReadings'>,
  name: string,
): Promise<{ readonly rows: number; readonly isCut: boolean }> {
  const parts: Blob[] = [];
  let lot = [`${COLUMNS.map(cell).join(',')}\r\n`];
  let rows = 0;
  for await (const line of lines('readReadings', { params, query: { ...query, limit: MOST } })) {
    rows += 1;
    if (lot.push(`${COLUMNS.map((column) => cell(line[column])).join(',')}\r\n`) < LOT) continue;
    parts.push(new Blob(lot));
    lot = [];
  }
  const url = URL.createObjectURL(new Blob([...parts, ...lot], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return { rows, isCut: rows >= MOST };
}
