import { SECOND } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { commandsOf } from './counted.ts';
import type { Working } from './counted.ts';
import { profiled } from './cpu-profile.ts';
import { openRig } from './rig.ts';
import { chosen, measureLoad } from './schedule.ts';
import type { Load } from './schedule.ts';

const LOADS: readonly Load[] = [
  { sources: 1_000, every: SECOND, queue: 'Redis', mostRss: 400 },
  { sources: 1_000, every: SECOND, queue: 'PostgreSQL', mostRss: 400, slow: true },
];

/** Parts of a poll with less are left out: by their unit. */
const LEAST: Readonly<Record<string, number>> = { µs: 2, bytes: 10, '': 0.02 };
const STATEMENT_LENGTH = 72;

/** Where each microsecond of a small poll goes: in the worker, in each statement, in each command, and the rows it writes. */
export async function cost(options: BenchOptions): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const load of chosen(LOADS, options)) measures.push(...(await costOfLoad(load, options)));
  return measures;
}

async function costOfLoad(load: Load, options: BenchOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const directory = await makeTempDirectory('profile');
  stack.defer(() => directory.remove());
  const rig = await openRig({ profile: directory.path });
  stack.defer(() => rig.close());
  const during = { from: 0, to: 0 };
  let before = new Map<string, Part>();
  let after = before;
  const { measures, polls } = await measureLoad(rig, load, options, {
    async before(working) {
      before = await partsOf(working);
      during.from = monotonicUs();
    },
    async after(working) {
      during.to = monotonicUs();
      after = await partsOf(working);
    },
  });
  const of = measures[0]?.of ?? '';
  const worker = (await profiled(directory.path, during)).map(([place, us]): Measure => ({
    of,
    what: `worker: ${place}`,
    value: us / polls,
    unit: 'µs',
  }));
  const parts = [...after].flatMap(([what, { value, unit }]): Measure[] => {
    const spent = (value - (before.get(what)?.value ?? 0)) / polls;
    return spent < (LEAST[unit] ?? 0) ? [] : [{ of, what, value: spent, unit }];
  });
  const shown = [...worker.filter(({ value }) => value >= (LEAST['µs'] ?? 0)), ...parts];
  return [...measures, ...shown.toSorted((one, other) => rank(one) - rank(other) || other.value - one.value)];
}

const monotonicUs = (): number => Number(process.hrtime.bigint() / 1_000n);

const KINDS = ['worker', 'time in PostgreSQL', 'WAL', 'calls', 'Redis', 'rows'];
const rank = ({ what }: Measure): number => KINDS.findIndex((kind) => what.startsWith(kind));

/** A counter that only grows. */
interface Part {
  readonly value: number;
  readonly unit: string;
}

async function partsOf({ database, redis }: Working): Promise<Map<string, Part>> {
  const parts = new Map<string, Part>();
  const add = (what: string, value: number, unit: string): void => {
    parts.set(what, { value: (parts.get(what)?.value ?? 0) + value, unit });
  };
  for (const { query, us, wal, calls } of await statementsOf(database)) {
    const statement = query.replaceAll(/\s+/g, ' ').trim().slice(0, STATEMENT_LENGTH).replaceAll('|', '¦');
    add(`time in PostgreSQL: ${statement}`, us, 'µs');
    add(`WAL: ${statement}`, wal, 'bytes');
    add(`calls: ${statement}`, calls, '');
  }
  const tables = await database.rows<{ name: string; inserted: number; updated: number; hot: number; deleted: number }>(
    `select regexp_replace(relname, '_?\\d{4}.*$', '') as name, sum(n_tup_ins) as inserted, sum(n_tup_upd) as updated, sum(n_tup_hot_upd) as hot,
       sum(n_tup_del) as deleted from pg_stat_user_tables group by 1`,
  );
  for (const { name, ...counts } of tables) {
    for (const [change, rows] of Object.entries(counts)) add(`rows of ${name}, ${change}`, rows, '');
  }
  for (const [name, { us, calls }] of redis === undefined ? [] : await commandsOf(redis.port)) {
    add(`Redis: time of ${name}`, us, 'µs');
    add(`Redis: calls of ${name}`, calls, '');
  }
  return parts;
}

const statementsOf = (database: Database): Promise<{ query: string; us: number; wal: number; calls: number }[]> =>
  database.rows(
    `select query, total_exec_time * 1000 as us, wal_bytes as wal, calls from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database())`,
  );
