import { contractBroken } from '../../../src/core/errors.ts';
import type { BridgeError } from '../../../src/core/errors.ts';
import { documents, notInflux } from './documents.ts';
import { busyForNow } from './failure.ts';
import { numberRows } from './numbers.ts';

type Row = readonly unknown[];

/**
 * Rows of one series, from one document; a long series comes in several blocks that follow each other. `rows` and `exactRows` read
 * the document, so they are good until the next block is asked for.
 */
export interface Block {
  /** Which statement of the request it answers, from 0. */
  readonly statement: number;
  /** Of the measurement; "" in answers that have none. */
  readonly name: string;
  /** With GROUP BY, every tag of the measurement; "" for a tag that the series does not have. */
  readonly tags: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  readonly rowCount: number;
  /** The columns of rows that hold nothing but numbers and nulls, which are NaN; undefined where they hold anything else. */
  readonly numbers: NumberColumns | undefined;
  /** The rows as they were answered. Slow where there are `numbers`. */
  readonly rows: () => readonly Row[];
  /** The same rows read again, with integers beyond 2^53 as bigint. Slow. */
  readonly exactRows: () => readonly Row[];
}

type NumberColumns = readonly (readonly number[])[];

/**
 * The blocks of a chunked answer to `statements` statements. The answer is complete only when the last document of each
 * statement has no `partial`, neither in its result nor in its series. An `error` in any document is thrown as
 * `failure` translates it, because InfluxDB has sent its HTTP 200 before.
 */
export async function* blocks(
  stream: AsyncIterable<Uint8Array>,
  statements: number,
  failure: (said: string) => BridgeError,
): AsyncGenerator<Block> {
  const complete = new Set<number>();
  for await (const line of documents(stream)) {
    const { document, numbers } = parseNumbers(line) ?? { document: parse(line.toString('utf8')), numbers: undefined };
    if (document.error !== undefined) throw failure(`${document.error}`);
    if (!Array.isArray(document.results)) throw unlike('results', line);
    for (const [index, result] of (document.results as RawResult[]).entries()) {
      if (result.error !== undefined) throw failure(`${result.error}`);
      const { statement_id: statement = 0, series = [] } = result;
      if (!Number.isInteger(statement) || statement < 0 || statement >= statements) throw unlike('statement_id', line);
      if (!Array.isArray(series)) throw unlike('series', line);
      for (const [position, raw] of series.entries()) yield blockOf(raw, { line, statement, index, position, numbers });
      if (result.partial === true || series.some(({ partial }) => partial === true)) complete.delete(statement);
      else complete.add(statement);
    }
  }
  if (complete.size < statements) throw busyForNow('InfluxDB: the answer ended before it was complete', 'reset');
}

interface RawSeries {
  readonly name?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly columns?: readonly string[];
  /** Null where `parseNumbers` cut them out. */
  readonly values?: readonly Row[] | null;
  readonly partial?: boolean;
}

interface RawResult {
  readonly statement_id?: number;
  readonly series?: readonly RawSeries[];
  readonly error?: string;
  readonly partial?: boolean;
}

interface RawDocument {
  readonly results?: unknown;
  readonly error?: string;
}

interface Place {
  readonly line: Buffer;
  readonly statement: number;
  readonly index: number;
  readonly position: number;
  readonly numbers: NumberColumns | undefined;
}

function blockOf(series: RawSeries, { line, statement, index, position, numbers }: Place): Block {
  const { name = '', tags = {}, columns = [], values = [] } = series;
  const read = (reviver?: typeof exactly): readonly Row[] => {
    const text = line.toString('utf8');
    const { results } = JSON.parse(text, reviver) as { results: readonly { series: readonly RawSeries[] }[] };
    return results[index]?.series[position]?.values ?? [];
  };
  const exactRows = (): readonly Row[] => read(exactly);
  const block = { statement, name, tags, columns, exactRows };
  if (numbers !== undefined) return { ...block, rowCount: numbers[0]?.length ?? 0, numbers, rows: () => read() };
  if (!Array.isArray(columns) || !Array.isArray(values)) throw unlike('columns and values', line);
  return { ...block, rowCount: values.length, numbers, rows: () => values };
}

/** Reads a large integer from its source text, because the parsed double has already lost the last digits. */
function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  const source = context?.source ?? '';
  return /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** A document with one series whose rows are numbers: nearly every one with points. Undefined for any other. */
function parseNumbers(line: Buffer): { readonly document: RawDocument; readonly numbers: NumberColumns } | undefined {
  const rows = numberRows(line);
  if (rows === undefined) return undefined;
  let document: RawDocument;
  try {
    document = parse(`${line.toString('utf8', 0, rows.from)}null${line.toString('utf8', rows.to)}`);
  } catch {
    return undefined;
  }
  const [result, ...results] = Array.isArray(document.results) ? (document.results as RawResult[]) : [];
  const [series, ...others] = Array.isArray(result?.series) ? result.series : [];
  if (results.length > 0 || others.length > 0 || series?.values !== null) return undefined;
  const fits = Array.isArray(series.columns) && series.columns.length === rows.columns.length;
  return fits ? { document, numbers: rows.columns } : undefined;
}

function parse(text: string): RawDocument {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw notInflux(text);
  }
  if (typeof document !== 'object' || document === null) throw notInflux(text);
  return document;
}

const unlike = (what: string, line: Buffer): BridgeError =>
  contractBroken(`InfluxDB: an answer without proper ${what}`, line.toString('utf8').slice(0, 4_000));
