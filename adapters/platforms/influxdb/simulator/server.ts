import { z } from 'zod';
import type { SimulatedAnswer, SimulatedPlatform, SimulatedRequest } from '../../../../src/simulator/contract.ts';
import type { PointEffect } from '../../../../src/simulator/faults.ts';
import { parseStatement } from './statements.ts';
import type { Select, Statement } from './statements.ts';

export const serverFields = {
  accounts: z
    .array(z.strictObject({ username: z.string(), password: z.string() }))
    .default([{ username: 'reader', password: 'reader-password' }]),
  /** The only database there is. Its only retention policy is `autogen`. */
  database: z.string().default('plant'),
};

/** The data of a simulated InfluxDB. */
export interface InfluxData {
  /** Every series, as SHOW SERIES writes it, in that order. */
  readonly seriesKeys: readonly string[];
  /** Name and type of every field of a measurement, by name; none if the measurement is unknown. */
  fieldsOf(measurement: string): readonly (readonly [field: string, type: string])[];
  /** The lines of a chunked answer to a SELECT, see `documentsOf`. `statement` is its position in the request. */
  select(question: SelectQuestion): Iterable<string | Uint8Array>;
}

export interface SelectQuestion extends Select {
  readonly statement: number;
  readonly rowsPerChunk: number;
  readonly effects: readonly PointEffect[];
}

/** A series of an answer. */
export interface WrittenSeries {
  readonly name?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  readonly values: readonly unknown[];
}

/** The parameters that a query must have. */
const parameters: Readonly<Record<string, RegExp>> = {
  db: /./,
  q: /./,
  epoch: /^u$/,
  chunked: /^true$/,
  chunk_size: /^[1-9]\d*$/,
};

/** A parameter of the form that is missing, not simulated, or has a value that is not simulated. */
const strangeIn = (form: URLSearchParams): string | undefined =>
  [...Object.keys(parameters), ...form.keys()].find((name) => !parameters[name]?.test(form.get(name) ?? ''));

/** Answers the requests of the bridge as InfluxDB 1.8 does, and refuses every other parameter and statement. */
export class SimulatedInfluxdb implements SimulatedPlatform {
  readonly #database: string;
  readonly #authorisations: ReadonlySet<string>;
  readonly #data: InfluxData;

  constructor(given: z.input<z.ZodObject<typeof serverFields>>, data: InfluxData) {
    const { accounts, database } = z.strictObject(serverFields).parse(given);
    const basic = accounts.map(({ username, password }) => Buffer.from(`${username}:${password}`).toString('base64'));
    this.#authorisations = new Set(basic.map((credentials) => `Basic ${credentials}`));
    this.#database = database;
    this.#data = data;
  }

  answer({ method, path, headers, body, pointEffects }: SimulatedRequest): SimulatedAnswer {
    const call = `${method} ${path}`;
    if (call === 'GET /ping') return { status: 204, body: '', headers: version };
    if (call !== 'POST /query') return { status: 404, body: '404 page not found', headers: version };
    if (!this.#authorisations.has(headers.authorization ?? '')) return refusal(401, 'authorization failed');
    const form = new URLSearchParams(body);
    const strange = strangeIn(form);
    if (strange !== undefined) return refusal(400, `not simulated: ${strange}=${form.get(strange)}`);
    const statements = (form.get('q') ?? '').split('; ').map(parseStatement);
    const unknown = statements.find((statement) => typeof statement === 'string');
    if (unknown !== undefined) return refusal(400, `error parsing query: not simulated: ${unknown}`);
    // A row has a single value for an instant, and a field has no value that is not of its type.
    const impossible = pointEffects.find(({ kind }) => kind !== 'lie' && kind !== 'future-dates');
    if (impossible) throw new Error(`InfluxDB cannot answer with ${impossible.kind}`);
    const how = { rowsPerChunk: Number(form.get('chunk_size')), effects: pointEffects };
    return { status: 200, body: this.#documents(statements as Statement[], how), headers: version };
  }

  errorAnswer(status: number): SimulatedAnswer {
    return refusal(status, status === 429 ? 'too many queries' : 'engine is busy');
  }

  invalidateTokens(): void {
    throw new Error('InfluxDB has no tokens');
  }

  state(): unknown {
    return {};
  }

  *#documents(statements: readonly Statement[], how: Pick<SelectQuestion, 'rowsPerChunk' | 'effects'>) {
    const missing = statements.findIndex(({ database }) => database !== this.#database);
    for (const [position, statement] of statements.entries()) {
      if (missing !== -1 && position >= missing) {
        const error = position === missing ? `database not found: ${statement.database}` : 'not executed';
        yield documentOf({ statement_id: position, error });
      } else if (statement.verb === 'SELECT') yield* this.#data.select({ ...statement, ...how, statement: position });
      else yield* documentsOf(position, this.#show(statement), how.rowsPerChunk);
    }
  }

  #show({ verb, measurements: named, limit }: Exclude<Statement, Select>): WrittenSeries[] {
    const keys = this.#data.seriesKeys.filter((key) => named.length === 0 || named.includes(measurementOf(key)));
    // The bench names measurements that no series announces.
    const measurements = named.length > 0 ? named : [...new Set(keys.map(measurementOf))];
    switch (verb) {
      case 'RETENTION POLICIES': {
        const columns = ['name', 'duration', 'shardGroupDuration', 'replicaN', 'default'];
        return [{ columns, values: [['autogen', '0s', '168h0m0s', 1, true]] }];
      }
      case 'MEASUREMENTS': {
        const values = measurements.slice(0, limit).map((name) => [name]);
        return [{ name: 'measurements', columns: ['name'], values }];
      }
      case 'FIELD KEYS': {
        const columns = ['fieldKey', 'fieldType'];
        return measurements.map((name) => ({ name, columns, values: this.#data.fieldsOf(name) }));
      }
      case 'SERIES':
        return [{ columns: ['key'], values: keys.map((key) => [key]) }];
    }
  }
}

const version = { 'x-influxdb-version': '1.8.10' };

const refusal = (status: number, error: string): SimulatedAnswer => ({
  status,
  body: JSON.stringify({ error }),
  headers: version,
});

const measurementOf = (key: string): string => key.split(',')[0] ?? '';

/** The lines of a chunked answer: a long series in pieces, `partial` where more of a series or of the statement follows. */
export function* documentsOf(
  statement: number,
  series: readonly WrittenSeries[],
  rowsPerChunk: number,
): Generator<string> {
  const last = series.findLastIndex(({ values }) => values.length > 0);
  if (last === -1) yield documentOf({ statement_id: statement });
  for (const [index, { values, ...head }] of series.entries()) {
    for (let row = 0; row < values.length; row += rowsPerChunk) {
      const isCut = row + rowsPerChunk < values.length;
      const piece = { ...head, values: values.slice(row, row + rowsPerChunk), ...(isCut && { partial: true }) };
      yield documentOf({ statement_id: statement, series: [piece], ...((isCut || index < last) && { partial: true }) });
    }
  }
}

const documentOf = (result: object): string => `${JSON.stringify({ results: [result] })}\n`;
