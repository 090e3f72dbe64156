import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type Point, sortPoints } from './point.ts';

export interface InfluxUser {
  readonly username: string;
  readonly password: string;
}

interface InfluxSeries {
  readonly name: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  readonly values: readonly (readonly (string | number | boolean | null)[])[];
}

type Precision = 'ns' | 'u' | 'ms' | 's';

/** The tests' own access to an InfluxDB, past the bridge. Every failure throws, also one inside an HTTP 200. */
export interface InfluxClient {
  /** Runs InfluxQL (POST, so that it may change things) and returns the series of all its statements; times in µs. */
  query(influxql: string, database?: string): Promise<InfluxSeries[]>;
  /** Writes line protocol, 10,000 lines per request. */
  write(lines: readonly string[] | string, database: string, precision: Precision): Promise<void>;
  /** Every value in `[fromUs, toUs)`, as the server streams it: by measurement and tags, by time, by field. */
  points(database: string, fromUs: number, toUs: number): AsyncGenerator<Point>;
  /** The same as an array, sorted by series and time. */
  readAll(database: string, fromUs: number, toUs: number): Promise<Point[]>;
}

const linesPerRequest = 10_000;

/** @param certificate PEM of the authority to trust, for https */
export function influxClient(url: string, user: InfluxUser, certificate?: string): InfluxClient {
  const send = async (path: string, parameters: Record<string, string>, body: string): Promise<IncomingMessage> => {
    const target = new URL(`${path}?${new URLSearchParams(parameters)}`, url);
    const options = { method: 'POST', auth: `${user.username}:${user.password}`, agent: false as const };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request =
        target.protocol === 'https:'
          ? httpsRequest(target, { ...options, ...(certificate === undefined ? {} : { ca: certificate }) }, resolve)
          : httpRequest(target, options, resolve);
      request.once('error', reject);
      if (path === '/query') request.setHeader('Content-Type', 'application/x-www-form-urlencoded');
      request.end(body);
    });
    if (response.statusCode !== 200 && response.statusCode !== 204) {
      throw new Error(`InfluxDB ${path}: ${response.statusCode} ${await textOf(response)}`);
    }
    return response;
  };

  async function* stream(influxql: string, database: string): AsyncGenerator<InfluxSeries> {
    const parameters = { db: database, epoch: 'u', chunked: 'true', chunk_size: '10000' };
    const response = await send('/query', parameters, new URLSearchParams({ q: influxql }).toString());
    let rest = '';
    for await (const text of response.setEncoding('utf8')) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield* seriesOf(line);
    }
    if (rest !== '') throw new Error('InfluxDB cut its answer short');
  }

  const query = async (influxql: string, database = ''): Promise<InfluxSeries[]> =>
    await listOf(stream(influxql, database));

  async function* points(database: string, fromUs: number, toUs: number): AsyncGenerator<Point> {
    const [measurements] = await query('SHOW MEASUREMENTS', database);
    for (const [measurement] of measurements?.values ?? []) {
      const range = `time >= ${fromUs}u AND time < ${toUs}u`;
      const influxql = `SELECT * FROM ${quoteName(String(measurement))} WHERE ${range} GROUP BY *`;
      for await (const series of stream(influxql, database)) yield* pointsOf(series);
    }
  }

  return {
    query,
    async write(lines, database, precision) {
      if (typeof lines === 'string') {
        (await send('/write', { db: database, precision }, lines)).resume();
        return;
      }
      for (let start = 0; start < lines.length; start += linesPerRequest) {
        const body = lines.slice(start, start + linesPerRequest).join('\n');
        (await send('/write', { db: database, precision }, body)).resume();
      }
    },
    points,
    readAll: async (database, fromUs, toUs) => sortPoints(await listOf(points(database, fromUs, toUs))),
  };
}

/** An identifier of InfluxQL: measurement, tag, field, user or database. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

/** A string literal of InfluxQL. */
export function quoteText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}

function seriesOf(json: string): InfluxSeries[] {
  const answer = JSON.parse(json) as {
    error?: string;
    results?: { error?: string; series?: InfluxSeries[] }[];
  };
  const error = answer.error ?? answer.results?.find((result) => result.error !== undefined)?.error;
  if (error !== undefined) throw new Error(`InfluxDB: ${error}`);
  return (answer.results ?? []).flatMap((result) => result.series ?? []);
}

function* pointsOf({ name, tags: allTags, columns, values }: InfluxSeries): Generator<Point> {
  // GROUP BY * names every tag of the measurement; "" stands for one this series does not have.
  const tags = Object.fromEntries(Object.entries(allTags ?? {}).filter(([, value]) => value !== ''));
  for (const [at, ...fields] of values) {
    for (const [index, value] of fields.entries()) {
      if (value === null) continue;
      yield { measurement: name, tags, field: columns[index + 1] ?? '', at: Number(at), value };
    }
  }
}

async function listOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
}
