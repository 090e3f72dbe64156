import { contractBroken } from '../../../src/core/errors.ts';
import type { BridgeError } from '../../../src/core/errors.ts';
import { documents, notInflux } from './documents.ts';
import { busyForNow } from './failure.ts';

type Row = readonly unknown[];

/** Rows of one series, from one document; a long series comes in several blocks that follow each other. */
export interface Block {
  /** Which statement of the request it answers, from 0. */
  readonly statement: number;
  /** Of the measurement; "" in answers that have none. */
  readonly name: string;
  /** With GROUP BY, every tag of the measurement; "" for a tag that the series does not have. */
  readonly tags: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** The same rows read again, with integers beyond 2^53 as bigint. Slow. */
  readonly exactRows: () => readonly Row[];
}

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
  for await (const text of documents(stream)) {
    const document = parse(text);
    if (document.error !== undefined) throw failure(`${document.error}`);
    if (!Array.isArray(document.results)) throw unlike('results', text);
    for (const [index, result] of (document.results as RawResult[]).entries()) {
      if (result.error !== undefined) throw failure(`${result.error}`);
      const { statement_id: statement = 0, series = [] } = result;
      if (!Number.isInteger(statement) || statement < 0 || statement >= statements) throw unlike('statement_id', text);
      if (!Array.isArray(series)) throw unlike('series', text);
      for (const [position, raw] of series.entries()) yield blockOf(raw, { text, statement, index, position });
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
  readonly values?: readonly Row[];
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
  readonly text: string;
  readonly statement: number;
  readonly index: number;
  readonly position: number;
}

function blockOf(series: RawSeries, { text, statement, index, position }: Place): Block {
  const { name = '', tags = {}, columns = [], values = [] } = series;
  if (!Array.isArray(columns) || !Array.isArray(values)) throw unlike('columns and values', text);
  const exactRows = (): readonly Row[] => {
    const { results } = JSON.parse(text, exactly) as { results: readonly { series: readonly RawSeries[] }[] };
    return results[index]?.series[position]?.values ?? [];
  };
  return { statement, name, tags, columns, rows: values, exactRows };
}

/** Reads a large integer from its source text, because the parsed double has already lost the last digits. */
function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  const source = context?.source ?? '';
  return /^-?\d+$/.test(source) ? BigInt(source) : value;
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

const unlike = (what: string, text: string): BridgeError =>
  contractBroken(`InfluxDB: an answer without proper ${what}`, text.slice(0, 4_000));
