import { MICROSECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import type { Account, Answer, AnswerTo } from './plant-server.ts';
import { shownPoints } from './plants.ts';
import type { Plant } from './plants.ts';
import type { Signal } from './signal.ts';

export const DATABASE = 'plant';
/** The tag whose value names the machine. */
export const TAG = 'machine';

type Series = Readonly<Record<'columns' | 'values', readonly unknown[]>> & {
  readonly name?: string;
  readonly tags?: object;
};

/** A plant as InfluxDB 1.x shows it, as far as a bridge asks. Instants travel as microseconds (`epoch=u`). */
export function influxOf(plant: Plant, account: Account, now: () => Instant): AnswerTo {
  const authorisation = `Basic ${Buffer.from(`${account.username}:${account.password}`).toString('base64')}`;
  return ({ call, headers, body }) => {
    if (call === 'GET /ping') return { status: 204, body: '', headers: { 'x-influxdb-version': '1.8.10' } };
    if (call !== 'POST /query') return { status: 404, body: '404 page not found' };
    if (headers.authorization !== authorisation) return { status: 401, body: '{"error":"authorization failed"}' };
    const form = new URLSearchParams(body);
    const rowsAtOnce = Number(form.get('chunk_size') ?? 10_000);
    const statements = (form.get('q') ?? '').split('; ');
    return chunked(
      statements.flatMap((statement, id) => documentsOf(id, resultOf(plant, statement, now()), rowsAtOnce)),
    );
  };
}

const chunked = (documents: readonly object[]): Answer => ({
  status: 200,
  body: documents.map((document) => `${JSON.stringify(document)}\n`).join(''),
});

/** A chunked answer: long series in pieces, and `partial` wherever more of a series or of the statement follows. */
function documentsOf(id: number, result: readonly Series[] | string, rowsAtOnce: number): object[] {
  if (typeof result === 'string') return [{ results: [{ statement_id: id, error: result }] }];
  const pieces = result.flatMap(({ values, ...series }) =>
    Array.from({ length: Math.ceil(values.length / rowsAtOnce) }, (_, piece) => ({
      ...series,
      values: values.slice(piece * rowsAtOnce, (piece + 1) * rowsAtOnce),
      ...((piece + 1) * rowsAtOnce < values.length ? { partial: true } : {}),
    })),
  );
  if (pieces.length === 0) return [{ results: [{ statement_id: id }] }];
  return pieces.map((piece, index) => ({
    results: [{ statement_id: id, series: [piece], ...(index < pieces.length - 1 ? { partial: true } : {}) }],
  }));
}

const SELECT = /^SELECT \* FROM "(\w+)"\.\."(\w+)" WHERE time >= (\d+) AND time < (\d+) GROUP BY \* ORDER BY time ASC$/;

/** The series that answer a statement, or what InfluxDB says is wrong with it. */
function resultOf(plant: Plant, statement: string, now: Instant): readonly Series[] | string {
  const [, database, measurement, from, to] = SELECT.exec(statement) ?? [];
  const [, shown, on, rest = ''] = /^SHOW ([A-Z ]+) ON "(\w+)"(.*)$/.exec(statement) ?? [];
  if ((database ?? on ?? DATABASE) !== DATABASE) return `database not found: ${database ?? on}`;
  if (measurement !== undefined) {
    // A time condition is written in nanoseconds.
    const [first, end] = [from, to].map((text) => Number(BigInt(text ?? '0') / 1000n) * MICROSECOND) as [
      number,
      number,
    ];
    return select(plant, measurement, { from: first, to: end }, now);
  }
  const named = [...rest.matchAll(/"(\w+)"/g)].map(([, name]) => name);
  const groups = [...Map.groupBy(plant.signals, ({ group }) => group)].filter(
    ([group]) => named.length === 0 || named.includes(group),
  );
  switch (shown) {
    case 'RETENTION POLICIES': {
      const columns = ['name', 'duration', 'shardGroupDuration', 'replicaN', 'default'];
      return [{ columns, values: [['autogen', '0s', '168h0m0s', 1, true]] }];
    }
    case 'MEASUREMENTS':
      return [{ name: 'measurements', columns: ['name'], values: groups.map(([group]) => [group]) }];
    case 'FIELD KEYS':
      return groups.map(([name, signals]) => ({ name, columns: ['fieldKey', 'fieldType'], values: fieldsOf(signals) }));
    case 'SERIES': {
      const keys = groups.flatMap(([group, signals]) =>
        sensorsOf(signals).map((sensor) => `${group},${TAG}=${sensor}`),
      );
      return [{ columns: ['key'], values: keys.map((key) => [key]) }];
    }
    case undefined:
    default:
      return 'this simulated InfluxDB does not know the statement';
  }
}

const sensorsOf = (signals: readonly Signal[]): string[] => [...new Set(signals.map(({ sensor }) => sensor))];

const fieldsOf = (signals: readonly Signal[]): [field: string, type: string][] => [
  ...new Map(signals.map(({ field, words }) => [field, words === undefined ? 'float' : 'string'])),
];

/** One series per machine; a row holds every field of the measurement, null where that one has no point. */
function select(plant: Plant, measurement: string, window: Window, now: Instant): Series[] {
  const signals = plant.signals.filter(({ group }) => group === measurement);
  const fields = fieldsOf(signals).map(([field]) => field);
  return sensorsOf(signals).flatMap((sensor) => {
    const rows = new Map<Instant, unknown[]>();
    for (const signal of signals.filter((each) => each.sensor === sensor)) {
      const column = fields.indexOf(signal.field) + 1;
      for (const { at, value } of shownPoints(plant, signal, window, now)) {
        const row = rows.get(at) ?? [at, ...fields.map(() => null)];
        row[column] = value;
        rows.set(at, row);
      }
    }
    const values = [...rows.values()].toSorted((one, other) => (one[0] as number) - (other[0] as number));
    return values.length === 0
      ? []
      : [{ name: measurement, tags: { [TAG]: sensor }, columns: ['time', ...fields], values }];
  });
}
