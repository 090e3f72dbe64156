import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

// The script that an integrator writes on a good day: it keeps connections open, asks each measurement for the time behind its newest
// row, inserts in batches, has a key against doubles, and takes up where it was. It has no pace, no second host, no late or revised points.

const {
  PLANT_URL = '',
  PLANT_AUTHORIZATION = '',
  DATABASE_URL = '',
  MEASUREMENTS = '',
  FROM_US,
  TO_US,
  WINDOW_US,
} = process.env;
const [BIG_ROWS, GATHER_MS, EVERY_MS] = [1_000, 250, 1_000];

type Row = [sensor: number, at: number, value: number];
interface Answer {
  readonly results: { series?: { name: string; tags: { unit: string }; values: [number, number][] }[] }[];
}

const agent = new Agent({ keepAlive: true });
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 4 });
const known = await pool.query<{ id: number; name: string }>('select id, name from plain_sensor');
const sensors = new Map(known.rows.map(({ id, name }) => [name, id]));
const newest = await pool.query<{ measurement: string; us: string }>(
  `select measurement, (extract(epoch from max(at)) * 1000000)::bigint as us from plain_reading join plain_sensor on id = sensor group by 1`,
);
const bookmarks = new Map(newest.rows.map(({ measurement, us }) => [measurement, Number(us) + 1]));

async function ask(measurement: string, from: number, to: number): Promise<Row[]> {
  const q = `SELECT value FROM "plant".."${measurement}" WHERE time >= ${from}000 AND time < ${to}000 GROUP BY *`;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const url = `${PLANT_URL}/query?${new URLSearchParams({ db: 'plant', epoch: 'u', q })}`;
  get(url, { agent, headers: { authorization: PLANT_AUTHORIZATION } }, (response) => {
    let text = '';
    response
      .setEncoding('utf8')
      .on('data', (piece: string) => (text += piece))
      .once('error', reject);
    response.once('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))));
  }).once('error', reject);
  const series = (JSON.parse(await promise) as Answer).results[0]?.series ?? [];
  return series.flatMap(({ name, tags, values }) => {
    const sensor = sensors.get(`${name},unit=${tags.unit}`) ?? 0;
    return values.map(([at, value]): Row => [sensor, at, value]);
  });
}

const insert = (rows: Row[]): Promise<unknown> =>
  pool.query({
    name: 'insert',
    text: `insert into plain_reading select sensor, timestamptz 'epoch' + us * interval '1 microsecond', value
      from unnest($1::int[], $2::bigint[], $3::float8[]) as given (sensor, us, value) on conflict do nothing`,
    values: [rows.map(([sensor]) => sensor), rows.map(([, at]) => at), rows.map(([, , value]) => value)],
  });

let gathered: Row[] = [];
let flush: Promise<unknown> | undefined;
/** Small answers of a quarter of a second share a statement. */
function store(rows: Row[]): Promise<unknown> {
  if (rows.length >= BIG_ROWS) return insert(rows);
  gathered.push(...rows);
  return (flush ??= sleep(GATHER_MS).then(() => {
    const rowsOfAll = gathered;
    [gathered, flush] = [[], undefined];
    return insert(rowsOfAll);
  }));
}

async function follow(measurement: string, firstAt: number): Promise<void> {
  let from = bookmarks.get(measurement) ?? Number(FROM_US);
  let due = firstAt;
  while (!TO_US || from < Number(TO_US)) {
    const to = Math.min(from + Number(WINDOW_US), Number(TO_US) || Date.now() * 1_000);
    try {
      await store(await ask(measurement, from, to));
      from = to;
      if (TO_US || to < (Date.now() - 2 * EVERY_MS) * 1_000) continue;
    } catch (error) {
      console.error(String(error));
    }
    due = Math.max(due + EVERY_MS, performance.now());
    await sleep(due - performance.now());
  }
}

process.stdout.write('begins\n');
const all = MEASUREMENTS.split(',');
await Promise.all(
  all.map(async (measurement, index) => {
    const offset = TO_US ? 0 : (index * EVERY_MS) / all.length;
    await sleep(offset);
    await follow(measurement, performance.now());
  }),
);
