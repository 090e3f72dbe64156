import { setTimeout as sleep } from 'node:timers/promises';
import { createOperatorToken } from '../../src/access/operator-tokens.ts';
import { createOperator } from '../../src/access/operators.ts';
import { DAY, SECOND } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { percentile } from './bench.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { dueFrom, registerMany } from './many-sources.ts';
import { arrivals, openRig, startPlant } from './rig.ts';
import { CATCH_UP, GRACE, punctuality } from './schedule.ts';
import { usageOf } from './usage.ts';

const LOAD = { sources: 200, every: 2 * SECOND };
const VIEWERS = 50;
const OPERATORS = 10;
const STREAMS = 1_000;
export const LARGE = 'large';

/** The dearest reads there are, and a light one. */
const READS = [
  `/sources/default/${LARGE}/coverage?from=365d&buckets=500&limit=1000`,
  '/sources?limit=200',
  `/sources/default/${LARGE}`,
  '/requests',
  '/me',
] as const;

/**
 * 200 sources on one `up`, first alone and then beside 50 viewers of ten operators, who each send one request after the other: a
 * year of a source of 1,000 streams, lists, and who they are.
 */
export async function viewers({ seconds, profile, say }: BenchOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const rig = await openRig({ profile });
  stack.defer(() => rig.close());
  const plant = await startPlant('small-plant.ts');
  stack.defer(() => plant.stop());
  const room = await rig.room();
  stack.defer(() => room.close());
  const { database, clock } = room.context;
  const names = await registerMany(room, plant.url, LOAD, 'well');
  await makeLarge(database, clock.now());
  const tokens: string[] = [];
  for (let at = 0; at < OPERATORS; at += 1) {
    const operator = `viewer-${at}`;
    await createOperator(database, { name: operator, role: 'viewer', organisations: undefined }, 'bench');
    tokens.push((await createOperatorToken(database, { operator, name: 'bench', days: 1 }, 'bench')).token);
  }
  const up = await room.worker('up');
  await dueFrom(database, names, LOAD, clock.now() + SECOND);
  await sleep((LOAD.every + CATCH_UP) / 1_000);

  const api = room.metricsUrl.replace('/metrics', '/api/v1');
  const health = `http://127.0.0.1:${room.environment['DATABRIDGE_API_PORT']}/healthz`;
  const watch = async () => {
    await plant.admin('POST', 'forget');
    const from = clock.now();
    const healthMs = await repeatedly(health, seconds);
    const to = clock.now();
    await sleep(GRACE / 1_000);
    const found = punctuality(names, LOAD, { from, to, until: clock.now() }, (await arrivals(plant)).askedAt);
    return { healthMs: percentile(healthMs, 0.99), lagMs: percentile(found.lags, 0.99) / 1_000, found };
  };
  const alone = await watch();
  say(`alone: /healthz p99 ${alone.healthMs.toFixed(1)} ms, lag p99 ${alone.lagMs.toFixed(0)} ms`);
  const seen: Seen[] = [];
  const ending = new AbortController();
  const all = Array.from({ length: VIEWERS }, (_, at) =>
    view(api, { token: tokens[at % OPERATORS] as string, first: at, signal: ending.signal }, seen),
  );
  const beside = await watch();
  ending.abort();
  await Promise.all(all);
  const statuses = Object.entries(Object.groupBy(seen, ({ status }) => status)).map(
    ([each, of]) => `${of?.length} × ${each}`,
  );
  const light = seen.filter(({ path, status }) => path === '/me' && status === 200).map(({ ms }) => ms);
  const largest = Math.max(0, ...seen.map(({ bytes }) => bytes));
  const rss = (usageOf(up.pid)?.peakRssBytes ?? Number.NaN) / 1e6;
  const note = `alone ${alone.healthMs.toFixed(1)} ms; answers ${statuses.join(', ')}`;
  return [
    { what: '/healthz p99 beside 50 viewers', value: beside.healthMs, unit: 'ms', aim: { atMost: 100 }, note },
    {
      what: 'lag of polls p99 beside 50 viewers',
      value: beside.lagMs,
      unit: 'ms',
      aim: { atMost: 500 },
      note: `alone ${alone.lagMs.toFixed(0)} ms; in time ${beside.found.inTime} of ${beside.found.due}`,
    },
    { what: 'GET /me p99 among them', value: percentile(light, 0.99), unit: 'ms', note: `${light.length} answers` },
    { what: 'largest answer', value: largest / 1e6, unit: 'MB', aim: { atMost: 1 } },
    { what: 'peak RSS of up', value: rss, unit: 'MB', aim: { atMost: 400 } },
  ];
}

interface Seen {
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
}

async function view(
  api: string,
  { token, first, signal }: { readonly token: string; readonly first: number; readonly signal: AbortSignal },
  seen: Seen[],
): Promise<void> {
  for (let turn = first; !signal.aborted; turn += 1) {
    const path = READS[turn % READS.length] as string;
    const began = performance.now();
    try {
      const answer = await fetch(`${api}${path}`, { headers: { authorization: `Bearer ${token}` }, signal });
      const bytes = (await answer.arrayBuffer()).byteLength;
      seen.push({ path, status: answer.status, ms: performance.now() - began, bytes });
      if (answer.status >= 400) await sleep(100, undefined, { signal }).catch(() => undefined);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/** Asks 20 times a second, whether the answers come or not. */
async function repeatedly(url: string, seconds: number): Promise<readonly number[]> {
  const asked: Promise<number>[] = [];
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; await sleep(50)) {
    const began = performance.now();
    asked.push(fetch(url).then(async (answer) => (await answer.text(), performance.now() - began)));
  }
  return await Promise.all(asked);
}

/** A paused source with a year of 1,000 streams, which has readings twice a day. */
export async function makeLarge(database: Database, now: number): Promise<void> {
  const run = (statement: string, ...values: readonly unknown[]): Promise<number> => database.run(statement, values);
  await run(
    `insert into source (name, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us, state)
     select $1, id, 'user-credentials', 'influxdb', '{"connection": {"url": "http://127.0.0.1:1/"}}', now() - interval '365 days', 60000000, 0, 0, 'paused'
     from ml_project where code = 'bench'`,
    LARGE,
  );
  await run(
    `insert into stream (source_id, key, selection, sensors, covered)
     select source.id, 'stream-' || n, jsonb_build_object('sensors', jsonb_build_array('large-' || n)), jsonb_build_array(jsonb_build_object('id', 'large-' || n)),
       (select range_agg(tstzrange(day, day + interval '10 days' - n % 5 * interval '1 hour')) from generate_series(now() - interval '365 days', now(), interval '10 days') as day)
     from source, generate_series(1, $2) as n where name = $1`,
    LARGE,
    STREAMS,
  );
  await run(
    `with made as (
       insert into series (project_id, sensor_id, value_name, owner) select id, 'large-' || n, 'value', $1 from ml_project, generate_series(1, $2) as n
       where code = 'bench' returning sensor_id)
     insert into series_name (source_id, sensor_id, value_name, holder) select id, sensor_id, 'value', jsonb_build_array(sensor_id, 'value')
     from made, source where name = $1`,
    LARGE,
    STREAMS,
  );
  await partitionsOf(database).ensure('reading', now - 366 * DAY, now);
  await run(
    `insert into reading (series, at, value) select id, now() - n * interval '12 hours', n from series, generate_series(0, 729) as n
     where owner = $1 and n % 20 < 15`,
    LARGE,
  );
  await run('analyze');
}
