import { contractBroken } from '../../../src/core/errors.ts';
import { parseInstant } from '../../../src/core/instant.ts';
import type { Instant } from '../../../src/core/instant.ts';
import type { Quality } from '../../../src/core/quality.ts';
import type { Samples } from '../../../src/platform/contract.ts';
import type { InsightsHubSettings } from './options.ts';

type Meanings = InsightsHubSettings['qualities'];

interface Column {
  readonly variable: string;
  readonly at: Instant[];
  readonly values: unknown[];
  readonly quality: Quality[];
}

const QUALITY_SUFFIX = '_qc';

/**
 * The records of one page as one column for each variable; a variable that has quality codes in some records only gets two. A value
 * that is null is absent, because a record that is written again sets null where it has no value (samples of the vendor).
 */
export function recordSamples(sensor: string, records: unknown, meanings: Meanings): readonly Samples[] {
  if (!Array.isArray(records)) throw broken(`records of ${sensor}: expected a list`, records);
  const columns = new Map<string, Column>();
  for (const record of records as readonly unknown[]) {
    if (!isObject(record)) throw broken(`records of ${sensor}: expected an object`, record);
    const time = record['_time'];
    const at = typeof time === 'string' ? parseInstant(time) : undefined;
    if (at === undefined) throw broken(`records of ${sensor}: \`_time\` is no instant`, record);
    for (const [variable, value] of Object.entries(record)) {
      if (variable === '_time' || variable.endsWith(QUALITY_SUFFIX) || value === null) continue;
      const code = record[`${variable}${QUALITY_SUFFIX}`] ?? undefined;
      const key = `${code === undefined ? 'plain' : 'judged'} ${variable}`;
      let column = columns.get(key);
      if (column === undefined) columns.set(key, (column = { variable, at: [], values: [], quality: [] }));
      column.at.push(at);
      column.values.push(value);
      if (code !== undefined) column.quality.push(qualityOf(code, meanings));
    }
  }
  return Array.from(columns.values(), ({ variable, at, values, quality }) => ({
    sensor,
    variable,
    at,
    values,
    ...(quality.length > 0 && { quality }),
  }));
}

/** By the two highest bits of an OPC UA status code; the fourth combination is reserved. */
const CATEGORIES = ['good', 'uncertain', 'bad'] as const;

/**
 * Codes are status codes of OPC UA (documentation.mindsphere.io, "Quality codes"), which clients send as a number or as its digits.
 * A code that is neither one nor in the options comes as it is, and the bridge refuses its value.
 */
function qualityOf(code: unknown, meanings: Meanings): Quality {
  const text = typeof code === 'string' ? code : JSON.stringify(code);
  if (Object.hasOwn(meanings, text)) return meanings[text] as Quality;
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return (number >>> 0 === number ? CATEGORIES[number >>> 30] : undefined) ?? text;
}

const isObject = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null && !Array.isArray(given);

const broken = (message: string, data: unknown) =>
  contractBroken(message, (JSON.stringify(data) ?? '').slice(0, 2_000));
