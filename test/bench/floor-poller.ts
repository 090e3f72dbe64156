import { Agent, get } from 'node:http';
import { setInterval } from 'node:timers/promises';
import pg from 'pg';

// Polls every source once a second: HTTP GET with keep-alive, JSON, and one insert for all answers of a quarter of a second.
// It has no pace, no coverage, no claim and no second try. Usage: node floor-poller.ts PLANT-URL DATABASE-URL SOURCES

const TICK_MS = 10;
const INSERT_MS = 250;
const EVERY_MS = 1_000;

const [plant = '', databaseUrl = '', count = '0'] = process.argv.slice(2);
const sources = Number(count);
const agent = new Agent({ keepAlive: true });
const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
await client.query(
  'create table floor_reading (series integer, at timestamptz, value double precision, primary key (series, at))',
);

let series: number[] = [];
let instants: number[] = [];
let values: number[] = [];

interface Answer {
  readonly results: readonly {
    readonly series: readonly { readonly values: readonly (readonly [number, number])[] }[];
  }[];
}

function poll(source: number): void {
  const to = Date.now();
  const where = `WHERE time >= ${to - EVERY_MS}000000 AND time < ${to}000000`;
  const q = `SELECT * FROM "plant".."floor-${source}" ${where}`.replaceAll(' ', '+').replaceAll('"', '%22');
  get(`${plant}/query?q=${q.replaceAll('>=', '%3E%3D').replaceAll('<', '%3C')}`, { agent }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    response.on('end', () => {
      for (const [at, value] of (JSON.parse(text) as Answer).results[0]?.series[0]?.values ?? []) {
        series.push(source);
        instants.push(at);
        values.push(value);
      }
    });
  });
}

async function insert(): Promise<void> {
  const rows = [series, instants, values];
  [series, instants, values] = [[], [], []];
  await client.query({
    name: 'insert',
    text: `insert into floor_reading select series, timestamptz 'epoch' + us * interval '1 microsecond', value
      from unnest($1::int[], $2::bigint[], $3::float8[]) as given (series, us, value) on conflict do nothing`,
    values: rows,
  });
}

process.stdout.write('polls\n');
let next = 0;
const begun = performance.now();
let insertedAt = begun;
for await (const _ of setInterval(TICK_MS)) {
  const now = performance.now();
  for (; next < ((now - begun) * sources) / EVERY_MS; next += 1) poll(next % sources);
  if (now - insertedAt < INSERT_MS) continue;
  insertedAt = now;
  await insert();
}
