import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { FIELD, valueAt } from './dataset.ts';

/**
 * The cheapest platform, because it shares the cores with the bridge that is measured: an InfluxDB whose every window has one
 * point, at its last microsecond; `GET /metrics/NAME` is the same point for Prometheus. It remembers when each source was asked.
 * A look finds one series in each database, which has the name of the database and as many fields as the option `fields` says.
 * With the option `grid` the points do not follow the questions: `NAME-5` has a point at each whole second from the start of the plant
 * on, `valueAt` that second, and Prometheus gets the newest one with its instant.
 */

const SELECT = /\.%22([^%]+)%22\+WHERE\+time\+%3E%3D\+(\d+)000\+AND\+time\+%3C\+(\d+)000/;
const FIELD_KEYS = /SHOW\+FIELD\+KEYS\+ON\+%22([^%]+)%22(?:\+FROM\+%22([^%]+)%22)?/;
const SERIES = /SHOW\+SERIES\+ON\+%22([^%]+)%22/;
const POLICIES =
  '{"columns":["name","duration","groupDuration","replicaN","default"],"values":[["autogen","0s","168h",1,true]]}';

const { values: given } = parseArgs({ options: { options: { type: 'string', default: '{}' } }, strict: false });
const { fields = 1, grid = false } = JSON.parse(String(given.options)) as {
  readonly fields?: number;
  readonly grid?: boolean;
};
const START_S = Math.floor(Date.now() / 1_000);
const FIELDS = Array.from({ length: fields }, (_, index) => (index === 0 ? FIELD : FIELD + (index + 1)));
const COLUMNS = JSON.stringify(['time', ...FIELDS]);
const KEYS = JSON.stringify(FIELDS.map((field) => [field, 'float']));

/** Per source, when it was asked since the last `POST /__admin/forget`, µs. */
let askedAt = new Map<string, number[]>();
/** Points answered since the start; no two windows of a source end at the same instant. */
let points = 0;

const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end(answerTo(request.url ?? ''));
  let body = '';
  request.setEncoding('latin1').on('data', (piece: string) => (body += piece));
  request.on('end', () => response.end(answerTo(body || (request.url ?? ''))));
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
});
process.stdin.resume().once('end', () => process.exit(0));

function answerTo(question: string): string {
  if (question.startsWith('/metrics/')) {
    const name = question.slice('/metrics/'.length);
    note(name);
    const second = Math.floor(Date.now() / 1_000);
    if (grid) return `# TYPE ${FIELD} gauge\n${FIELD}{unit="1"} ${gridValue(name, second)} ${second * 1_000}\n`;
    return `# TYPE ${FIELD} gauge\n${FIELD}{unit="1"} ${Date.now() % 1_000}.5\n`;
  }
  if (question === '/__admin/arrivals') return JSON.stringify({ points, askedAt: Object.fromEntries(askedAt) });
  if (question === '/__admin/forget') {
    askedAt = new Map();
    return '{}';
  }
  const statements = question.split('%3B+').map((statement, number) => {
    const [, name, from, to] = SELECT.exec(statement) ?? [];
    if (name !== undefined) {
      note(name);
      if (grid) return gridAnswer(number, name, Number(from), Number(to));
      points += 1;
      const values = `,${Number(to) % 1_000}.5`.repeat(fields);
      return `{"statement_id":${number},"series":[{"name":"${name}","tags":{"unit":"1"},"columns":${COLUMNS},"values":[[${Number(to) - 1}${values}]]}]}`;
    }
    if (statement.includes('SHOW+RETENTION')) return `{"statement_id":${number},"series":[${POLICIES}]}`;
    const [, listed] = SERIES.exec(statement) ?? [];
    if (listed !== undefined)
      return `{"statement_id":${number},"series":[{"columns":["key"],"values":[["${listed},unit=1"]]}]}`;
    const [, database, measurement = database] = FIELD_KEYS.exec(statement) ?? [];
    if (measurement === undefined) return `{"statement_id":${number},"error":"not simulated: ${statement}"}`;
    return `{"statement_id":${number},"series":[{"name":"${measurement}","columns":["fieldKey","fieldType"],"values":${KEYS}}]}`;
  });
  return statements.map((statement) => `{"results":[${statement}]}\n`).join('');
}

const gridValue = (name: string, second: number): number =>
  valueAt({ number: Number(name.slice(name.lastIndexOf('-') + 1)) }, second);

function gridAnswer(statement: number, name: string, fromUs: number, toUs: number): string {
  const values: string[] = [];
  const end = Math.min(toUs, Date.now() * 1_000 + 1);
  for (let second = Math.max(START_S, Math.ceil(fromUs / 1e6)); second * 1e6 < end; second += 1)
    values.push(`[${second * 1e6},${gridValue(name, second)}]`);
  points += values.length;
  const series = `,"series":[{"name":"${name}","tags":{"unit":"1"},"columns":${COLUMNS},"values":[${values.join()}]}]`;
  return `{"statement_id":${statement}${values.length === 0 ? '' : series}}`;
}

function note(name: string): void {
  const at = Math.round((performance.timeOrigin + performance.now()) * 1_000);
  const before = askedAt.get(name);
  if (before === undefined) askedAt.set(name, [at]);
  else before.push(at);
}
