import { parse } from 'csv-parse/sync';
import { contractBroken } from '../../../src/core/errors.ts';
import type { HttpJsonSettings } from './options.ts';

/**
 * The body of an answer as the document that expressions see: JSON as it is, the lines of NDJSON as a list, the rows of CSV as
 * objects of texts by the names in the first line. Otherwise `contract-broken`: HTML, a row with too few
 * cells, half a line. Text that is no JSON is a SyntaxError, which the connection judges.
 */
export function parsedBody(
  data: string,
  { body, delimiter }: Pick<HttpJsonSettings['answer'], 'body' | 'delimiter'>,
): unknown {
  if (body === 'json') return JSON.parse(data);
  try {
    if (body === 'csv') {
      const rows: unknown = parse(data, { columns: true, delimiter, bom: true, skip_empty_lines: true });
      return rows;
    }
    return data
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line): unknown => JSON.parse(line));
  } catch (error) {
    throw contractBroken(`an answer is not ${body.toUpperCase()}: ${(error as Error).message}`, data.slice(0, 2_000));
  }
}
