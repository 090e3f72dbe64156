import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { against } from './against.ts';
import type { Bench } from './bench.ts';
import { isMet, tableOf } from './table.ts';
import type { BenchResult } from './table.ts';
import { SPEED_PAGE, writeTable } from './written.ts';

/** Each is loaded when it runs, because `--against` puts this directory into a tree that may lack what another bench imports. */
const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  pull: async () => (await import('./pull.ts')).pull,
  push: async () => (await import('./push.ts')).push,
  schedule: async () => (await import('./schedule.ts')).schedule,
  growth: async () => (await import('./growth.ts')).growth,
  first: async () => (await import('./first.ts')).first,
  cost: async () => (await import('./cost.ts')).cost,
  pace: async () => (await import('./pace.ts')).pace,
  backfill: async () => (await import('./backfill.ts')).backfill,
  ease: async () => (await import('./ease.ts')).ease,
  stampede: async () => (await import('./stampede.ts')).stampede,
  turns: async () => (await import('./turns.ts')).turns,
  hanging: async () => (await import('./hanging.ts')).hanging,
  viewers: async () => (await import('./viewers.ts')).viewers,
  console: async () => (await import('./console.ts')).consoleBench,
  hosts: async () => (await import('./hosts.ts')).hosts,
  archive: async () => (await import('./archive.ts')).archive,
};

const QUEUES = ['Redis', 'PostgreSQL'] as const;

const usage = `usage: npm run bench -- [--only ${Object.keys(benches).join('|')}] [--json] [--points N] [--runs N] [--seconds N] [--profile DIR] [--against COMMIT] [--write]
  --only     one of the benches; default: all
  --json     print the measures as JSON instead of the table
  --points   readings of the pull bench, default 1000000; push sends half as many
  --runs     how often each pull and push is measured, default 3; the middle one counts
  --seconds  how long the schedule, pace, backfill, archive, stampede, turns, hanging and viewers benches watch, default 60, with --quick 10
  --load     only the load of this many sources, of schedule, growth and cost; the sources of stampede, default 2000
  --queue    redis or postgresql: only its loads, of schedule, growth, cost and stampede
  --quick    fewer loads of schedule, growth, cost and stampede
  --against  another commit: measures it and this tree in turns, --rounds times each (default 3), and prints ratios
  --write    puts the table of schedule into ${SPEED_PAGE}
  --profile  directory for CPU profiles of the workers and the API
A missed aim is marked and does not fail the run; wrong data does, with exit code 1.
`;

// The servers would go on running if a signal ended this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, leave);
process.exitCode = await run();

function leave(): void {
  try {
    assertNothingLeaked();
  } catch (error) {
    process.stderr.write(`stopped: ${String(error)}\n`);
  }
  process.exit(1);
}

async function run(): Promise<number> {
  const options = optionsOf(process.argv.slice(2));
  if (options === undefined) {
    process.stderr.write(usage);
    return 2;
  }
  if (options.against !== undefined) {
    const { rounds, say } = options;
    console.log(await against(options.against, { args: without(process.argv.slice(2)), rounds, say }));
    return 0;
  }
  const results: BenchResult[] = [];
  let failed = false;
  for (const [bench, load] of Object.entries(benches)) {
    if ((options.only ?? bench) !== bench) continue;
    try {
      const measure = await load();
      results.push({ bench, measures: await measure(options) });
    } catch (error) {
      failed = true;
      process.stderr.write(`${bench}: ${error instanceof Error ? error.stack : String(error)}\n`);
    }
  }
  const small = results.find(({ bench }) => bench === 'schedule');
  if (options.write && small) await writeTable(join(import.meta.dirname, '../..'), small.measures, options.seconds);
  if (options.json) {
    const shown = results.map(({ bench, measures }) => ({
      bench,
      measures: measures.map((measure) => ({ ...measure, met: isMet(measure) })),
    }));
    console.log(JSON.stringify(shown, undefined, 2));
  } else {
    console.log(tableOf(results));
  }
  assertNothingLeaked();
  return failed ? 1 : 0;
}

/** The arguments that each of two trees gets. */
function without(args: readonly string[]): string[] {
  const left: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    if (args[at] === '--against' || args[at] === '--rounds') at += 1;
    else if (args[at] !== '--json') left.push(args[at] as string);
  }
  return left;
}

function optionsOf(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        only: { type: 'string' },
        json: { type: 'boolean', default: false },
        load: { type: 'string' },
        queue: { type: 'string' },
        quick: { type: 'boolean', default: false },
        points: { type: 'string', default: '1000000' },
        runs: { type: 'string', default: '3' },
        seconds: { type: 'string' },
        profile: { type: 'string' },
        against: { type: 'string' },
        write: { type: 'boolean', default: false },
        rounds: { type: 'string', default: '3' },
      },
    });
    const { only, json, profile, quick, write } = values;
    const queue = QUEUES.find((name) => name.toLowerCase() === values.queue?.toLowerCase());
    if (values.queue !== undefined && queue === undefined) return undefined;
    const load = values.load === undefined ? undefined : Number(values.load);
    const given = [values.points, values.runs, values.seconds ?? (quick ? '10' : '60'), values.rounds];
    const [points, runs, seconds, rounds] = given.map(Number) as [number, number, number, number];
    if (only !== undefined && benches[only] === undefined) return undefined;
    if (![points, runs, seconds, rounds].every((value) => Number.isInteger(value) && value > 0)) return undefined;
    const say = (message: string): void => void process.stderr.write(`${message}\n`);
    return {
      only,
      json,
      write,
      load,
      queue,
      quick,
      points,
      runs,
      seconds,
      profile,
      say,
      rounds,
      against: values.against,
    };
  } catch {
    return undefined;
  }
}
