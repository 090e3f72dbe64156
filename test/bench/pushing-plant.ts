import { gzipSync } from 'node:zlib';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import pg from 'pg';
import { SPACING } from './dataset.ts';
import { percentile } from './bench.ts';
import { bodiesOf, pushDatasetOf } from './push-dataset.ts';
import { connectTo, requestOf } from './push-connection.ts';
import type { Connection } from './push-connection.ts';
import type { BatchLoad, InsertLoad, Load, Loaded, PostLoad, TokenLoad } from './push-load.ts';

// The process that makes the load: prepares all requests, prints "ready", begins at the next line of stdin, and prints
// the measures as a line of JSON. Argument: a `Load`. Lives as long as stdin.

const orders = createInterface({ input: process.stdin }).once('close', () => process.exit());
const load = JSON.parse(process.argv[2] ?? '') as Load;

/** A lane repeats its step until the step resolves to false. */
type Step = () => Promise<boolean>;

const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

const { lanes, close } = await prepare(load);
const before = load.kind === 'batches' ? 0 : (await run(lanes, load.warmUpSeconds)).length;
process.stdout.write('ready\n');
await once(orders, 'line');
const begun = performance.now();
const latencies = await run(lanes, load.kind === 'batches' ? Infinity : load.seconds);
const loaded: Loaded = {
  seconds: (performance.now() - begun) / 1_000,
  answers: latencies.length,
  answersBefore: before,
  p50Ms: percentile(latencies, 0.5),
  p99Ms: percentile(latencies, 0.99),
};
await close();
process.stdout.write(`${JSON.stringify(loaded)}\n`);

/** All lanes at once, each lane a step after the other. @returns the durations of the steps, ms */
async function run(steps: readonly Step[], forSeconds: number): Promise<number[]> {
  const took: number[] = [];
  const until = performance.now() + forSeconds * 1_000;
  const goOn = async (step: Step): Promise<void> => {
    for (let from = performance.now(); from < until;) {
      if (!(await step())) return;
      const now = performance.now();
      took.push(now - from);
      from = now;
    }
  };
  await Promise.all(steps.map(goOn));
  return took;
}

async function prepare(order: Load): Promise<{ lanes: Step[]; close(): Promise<void> | void }> {
  if (order.kind === 'inserts') return await inserting(order);
  const connections = await Promise.all(Array.from({ length: order.connections }, () => connectTo(order.url)));
  const close = (): void => {
    for (const connection of connections) connection.close();
  };
  switch (order.kind) {
    case 'batches':
      return { lanes: batches(order, connections), close };
    case 'posts':
      return { lanes: connections.map((connection, lane) => posts(order, connection, lane)), close };
    case 'create':
      return { lanes: connections.map((connection) => creating(order, connection)), close };
    case 'renew':
      return { lanes: await Promise.all(connections.map((connection) => renewing(order, connection))), close };
  }
}

/** The connections share the bodies, in time order. */
function batches(order: BatchLoad, connections: readonly Connection[]): Step[] {
  const headers = { ...JSON_TYPE, Authorization: `Bearer ${order.token}` };
  const prepared = [...bodiesOf(pushDatasetOf(order.points))].map(({ readings, body }) => ({
    readings,
    request: order.gzip
      ? requestOf(order.path, { ...headers, 'Content-Encoding': 'gzip' }, gzipSync(body))
      : requestOf(order.path, headers, body),
  }));
  let next = 0;
  return connections.map((connection) => async () => {
    const batch = prepared[next];
    next += 1;
    if (batch === undefined) return false;
    assertTaken(await connection.exchange(batch.request), batch.readings);
    return true;
  });
}

/** Each connection has its own sensor, with a reading a second. */
function posts(order: PostLoad, connection: Connection, lane: number): Step {
  const headers = { ...JSON_TYPE, Authorization: `Bearer ${order.token}` };
  let at = order.from;
  return async () => {
    const date = new Date(at / 1_000).toISOString();
    const body = Buffer.from(
      `[{"sensorId":"pump-${lane}","valueName":"value","date":"${date}","value":${(at / SPACING) % 1_000}}]`,
    );
    at += SPACING;
    assertTaken(await connection.exchange(requestOf(order.path, headers, body)), 1);
    return true;
  };
}

function assertTaken({ status, body }: { status: number; body: string }, readings: number): void {
  if (status !== 200 || !body.startsWith(`{"accepted":${readings},`))
    throw new Error(`a push was not accepted: ${status} ${body}`);
}

function creating(order: TokenLoad, connection: Connection): Step {
  const request = requestOf(
    order.path,
    { ...FORM, Authorization: order.basic },
    Buffer.from('grant_type=client_credentials'),
  );
  return async () => {
    refreshTokenOf(await connection.exchange(request));
    return true;
  };
}

/** Each connection renews its own token, with the refresh token of the answer before. */
async function renewing(order: TokenLoad, connection: Connection): Promise<Step> {
  const credentials = { ...FORM, Authorization: order.basic };
  const created = requestOf(order.path, credentials, Buffer.from('grant_type=client_credentials'));
  let token = refreshTokenOf(await connection.exchange(created));
  return async () => {
    const form = Buffer.from(`grant_type=refresh_token&scope=data&refresh_token=${token}`);
    token = refreshTokenOf(await connection.exchange(requestOf(order.path, FORM, form)));
    return true;
  };
}

function refreshTokenOf({ status, body }: { status: number; body: string }): string {
  if (status !== 200) throw new Error(`no token: ${status} ${body}`);
  return (JSON.parse(body) as { refresh_token: string }).refresh_token;
}

/** Like pgbench with prepared statements: every client inserts a row in each transaction. */
async function inserting(order: InsertLoad): Promise<{ lanes: Step[]; close(): Promise<void> }> {
  const clients = Array.from({ length: order.clients }, () => new pg.Client({ connectionString: order.databaseUrl }));
  await Promise.all(clients.map((client) => client.connect()));
  const text = 'insert into reading (series, at, value, precision, labels) values ($1, at_instant($2), $3, $4, $5)';
  return {
    lanes: clients.map((client, lane) => {
      let at = order.from;
      return async () => {
        const values = [order.firstSeries + lane, at, (at / SPACING) % 1_000, null, null];
        await client.query({ name: 'insert', text, values });
        at += SPACING;
        return true;
      };
    }),
    async close() {
      await Promise.all(clients.map((client) => client.end()));
    },
  };
}
