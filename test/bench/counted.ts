import { connect } from 'node:net';
import type { Database } from '../../src/database/database.ts';
import type { Measure } from './bench.ts';
import { cpuSecondsOfGroup } from './usage.ts';

/** The processes that share the work of a poll, by their process ids. */
export interface Working {
  readonly bridge: number | readonly number[];
  readonly database: Database;
  readonly postgres: () => number;
  readonly redis?: { readonly pid: number; readonly port: number } | undefined;
}

/** Everything of ours that polls have cost so far. A poll costs the difference of two of them. */
export interface Counted {
  /** CPU seconds. */
  readonly bridge: number;
  readonly postgres: number;
  readonly redis: number;
  readonly commits: number;
  readonly statements: number;
  readonly walBytes: number;
  /** Whole pages in the WAL: the first change of a page after a checkpoint. */
  readonly walPages: number;
  readonly inserted: number;
  /** Row versions by updates, those that touched no index among them. */
  readonly updated: number;
  readonly hot: number;
  readonly deleted: number;
  readonly redisCommands: number;
}

/** PostgreSQL's own counters reach its statistics within a second. */
export async function count({ bridge, database, postgres, redis }: Working): Promise<Counted> {
  const cpu = {
    bridge: [bridge].flat().reduce((sum, pid) => sum + cpuSecondsOfGroup(pid), 0),
    postgres: postgres(),
    redis: redis ? cpuSecondsOfGroup(redis.pid) : 0,
  };
  const row = await database.row<Omit<Counted, keyof typeof cpu | 'redisCommands'>>(
    `with database as (select oid, xact_commit from pg_database join pg_stat_database using (datname) where datname = current_database())
     select xact_commit as commits, (select sum(calls) from pg_stat_statements where dbid = oid) as statements,
       pg_current_wal_insert_lsn() - '0/0' as "walBytes", (select wal_fpi from pg_stat_wal) as "walPages",
       rows.* from database, (select sum(n_tup_ins) as inserted, sum(n_tup_upd) as updated, sum(n_tup_hot_upd) as hot, sum(n_tup_del) as deleted
         from pg_stat_user_tables) as rows`,
  );
  if (row === undefined) throw new Error('PostgreSQL counts nothing');
  const commands = redis === undefined ? [] : (await commandsOf(redis.port)).values();
  return { ...cpu, ...row, redisCommands: [...commands].reduce((sum, { calls }) => sum + calls, 0) };
}

/** Differences of two counts, field by field. */
export const between = (before: Counted, after: Counted): Counted =>
  Object.fromEntries(
    Object.entries(after).map(([key, value]) => [key, Number(value) - Number(before[key as keyof Counted])]),
  ) as unknown as Counted;

/** The measures of `polls` polls in `seconds`, as lines of the column `of`. */
export function costOf(
  spent: Counted,
  { of, polls, seconds, cores }: { of: string; polls: number; seconds: number; cores: number },
): Measure[] {
  const each = (what: string, value: number, unit: string, more: Partial<Measure> = {}): Measure => ({
    of,
    what: `${what} a poll`,
    value: value / polls,
    unit,
    ...more,
  });
  const cpu = spent.bridge + spent.postgres + spent.redis;
  return [
    each('CPU, everything of ours', cpu * 1_000, 'ms', { aim: { atMost: 0.5 } }),
    each('CPU of the bridge', spent.bridge * 1_000, 'ms'),
    each('CPU of PostgreSQL', spent.postgres * 1_000, 'ms'),
    each('CPU of Redis', spent.redis * 1_000, 'ms'),
    {
      of,
      what: 'share of the cores, everything of ours',
      value: (cpu * 100) / seconds / cores,
      unit: '%',
      aim: { atMost: 60 },
    },
    each('commits', spent.commits, ''),
    each('statements', spent.statements, ''),
    each('WAL', spent.walBytes, 'bytes'),
    each('whole pages in the WAL', spent.walPages, ''),
    each('rows inserted', spent.inserted, ''),
    each('rows updated', spent.updated, ''),
    each('of them HOT, without a change of an index', spent.hot, ''),
    each('rows deleted', spent.deleted, ''),
    each('commands of Redis', spent.redisCommands, ''),
  ];
}

/** What Redis has counted of each command since it began: calls, and its time in microseconds. */
export async function commandsOf(port: number): Promise<Map<string, { readonly calls: number; readonly us: number }>> {
  const text = await new Promise<string>((resolve, reject) => {
    let said = '';
    const socket = connect({ host: '127.0.0.1', port }, () => socket.end('INFO commandstats\r\n'));
    socket.setEncoding('utf8').on('data', (piece: string) => (said += piece));
    socket.once('close', () => resolve(said)).once('error', reject);
  });
  const lines = text.matchAll(/^cmdstat_([^:]+):calls=(\d+),usec=(\d+)/gm);
  return new Map([...lines].map(([, name = '', calls, us]) => [name, { calls: Number(calls), us: Number(us) }]));
}
