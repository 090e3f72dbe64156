/**
 * The flow of Node-RED: each second `due` asks the measurements that have no question under way for the time behind their newest row,
 * `http request` asks, `rows` parses, and `store` inserts and asks at once for more where a past is left. State is in the context of the
 * flow, which ends with the process; at a start it comes from the table.
 */

const START_DUE = String.raw`
const pool = new pg.Pool({ connectionString: env.get('DATABASE_URL'), max: 4 });
const known = await pool.query('select id, name from plain_sensor');
const newest = await pool.query(
  'select measurement, (extract(epoch from max(at)) * 1000000)::bigint as us from plain_reading join plain_sensor on id = sensor group by 1');
const bookmarks = new Map(newest.rows.map(({ measurement, us }) => [measurement, Number(us) + 1]));
const from = Number(env.get('FROM_US'));
flow.set('pool', pool);
flow.set('sensors', new Map(known.rows.map(({ id, name }) => [name, id])));
flow.set('targets', new Map(env.get('MEASUREMENTS').split(',').map(
  (measurement) => [measurement, { from: bookmarks.get(measurement) ?? from, busy: false }])));
`;

const DUE = String.raw`
const targets = flow.get('targets');
const end = Number(env.get('TO_US')) || Date.now() * 1000;
const questions = [];
for (const measurement of msg.measurement ? [msg.measurement] : targets.keys()) {
  const target = targets.get(measurement);
  if (target.busy || target.from >= end) continue;
  target.busy = true;
  const to = Math.min(target.from + Number(env.get('WINDOW_US')), end);
  const q = 'SELECT value FROM "plant".."' + measurement + '" WHERE time >= ' + target.from + '000 AND time < ' + to + '000 GROUP BY *';
  questions.push({
    measurement, to,
    url: env.get('PLANT_URL') + '/query?' + new URLSearchParams({ db: 'plant', epoch: 'u', q }),
    headers: { authorization: env.get('PLANT_AUTHORIZATION') },
  });
}
return [questions];
`;

const ROWS = String.raw`
if (msg.statusCode !== 200) {
  flow.get('targets').get(msg.measurement).busy = false;
  return null;
}
const sensors = flow.get('sensors');
msg.rows = [[], [], []];
for (const { name, tags, values } of msg.payload.results[0].series ?? []) {
  const sensor = sensors.get(name + ',unit=' + tags.unit);
  for (const [at, value] of values) {
    msg.rows[0].push(sensor);
    msg.rows[1].push(at);
    msg.rows[2].push(value);
  }
}
return msg;
`;

const STORE = String.raw`
const insert = (values) => flow.get('pool').query({ name: 'insert', values, text:
  "insert into plain_reading select sensor, timestamptz 'epoch' + us * interval '1 microsecond', value " +
  'from unnest($1::int[], $2::bigint[], $3::float8[]) as given (sensor, us, value) on conflict do nothing' });
async function store(rows) {
  if (rows[0].length >= 1000) return await insert(rows);
  const gathered = context.get('gathered') ?? { rows: [[], [], []] };
  context.set('gathered', gathered);
  rows.forEach((column, index) => gathered.rows[index].push(...column));
  gathered.flush ??= new Promise((resolve) => setTimeout(resolve, 250)).then(() => {
    context.set('gathered', undefined);
    return insert(gathered.rows);
  });
  await gathered.flush;
}
const target = flow.get('targets').get(msg.measurement);
try {
  await store(msg.rows);
  target.from = msg.to;
} finally {
  target.busy = false;
}
return env.get('TO_US') || msg.to < (Date.now() - 2000) * 1000 ? { measurement: msg.measurement } : null;
`;

const node = (id: string, type: string, next: readonly string[], more: object): Readonly<Record<string, unknown>> => ({
  id,
  type,
  z: 'poll',
  wires: [next],
  x: 0,
  y: 0,
  ...more,
});

const fn = (id: string, next: readonly string[], func: string, more: object = {}): Readonly<Record<string, unknown>> =>
  node(id, 'function', next, { name: id, func, outputs: 1, libs: [], ...more });

/** As Node-RED imports it. */
export const flow: readonly Readonly<Record<string, unknown>>[] = [
  { id: 'poll', type: 'tab', label: 'poll' },
  node('second', 'inject', ['due'], { props: [], repeat: '1', once: true, onceDelay: '0' }),
  fn('due', ['ask'], DUE, { initialize: START_DUE, libs: [{ var: 'pg', module: 'pg' }] }),
  node('ask', 'http request', ['rows'], { method: 'GET', ret: 'obj', persist: true, senderr: false }),
  fn('rows', ['store'], ROWS),
  fn('store', ['due'], STORE),
];
