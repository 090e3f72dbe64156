import { SECOND } from '../../src/core/instant.ts';
import { isInstalled } from '../kit/installed.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { openRig } from './rig.ts';
import { measureLoad } from './schedule.ts';
import { mayLimitCpu } from './usage.ts';

/** So small that three workers, PostgreSQL, Redis and the plant share two cores and none of them waits for another. */
const CORES_OF_A_HOST = 0.2;

/** More polls are due than the workers can do. */
const LOAD = { sources: 1_000, every: SECOND, queue: 'Redis', mostRss: 400 } as const;

/** How many polls a second one, two and three hosts do on one database, and what a poll costs then. Needs root, Redis and cgroups. */
export async function hosts(options: BenchOptions): Promise<Measure[]> {
  if (!isInstalled('redis-server') || !mayLimitCpu()) {
    options.say('no hosts are measured: that needs redis-server, and root with groups of processes (cgroups)');
    return [];
  }
  await using stack = new AsyncDisposableStack();
  const rig = await openRig(options);
  stack.defer(() => rig.close());
  const all: Measure[] = [];
  for (const workers of [1, 2, 3]) {
    const load = { ...LOAD, hosts: { workers, cores: CORES_OF_A_HOST } };
    let connections = 0;
    const { measures } = await measureLoad(rig, load, options, {
      async after({ database }) {
        const row = await database.row<{ count: number }>(
          'select count(*)::int from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        );
        connections = row?.count ?? 0;
      },
    });
    all.push(...measures, {
      of: measures[0]?.of ?? '',
      what: 'connections to PostgreSQL',
      value: connections,
      unit: '',
    });
  }
  return all;
}
