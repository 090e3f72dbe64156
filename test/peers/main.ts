import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EXIT, printJson, printLine } from '../../src/terminal/output.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { startInflux } from '../kit/influx.ts';
import type { Measure } from '../bench/bench.ts';
import { datasetOf } from '../bench/dataset.ts';
import { writeDataset } from '../bench/pull.ts';
import { openRig } from '../bench/rig.ts';
import { replaceWritten } from '../bench/written.ts';
import { bareScript } from './bare-script.ts';
import { databridge } from './databridge.ts';
import { historyOf } from './history.ts';
import { nodeRedPeer } from './node-red.ts';
import { PAGE, pageOf, textOf } from './page.ts';
import type { Report } from './page.ts';
import type { Peer } from './peer.ts';
import { pollsOf } from './polls.ts';
import { prometheusPeer } from './prometheus.ts';
import { versionsOf } from './version-of.ts';

/** In the order of the columns. Each is opened when it is wanted, because Node-RED has to be installed for that. */
const PEERS: Readonly<Record<string, (say: (message: string) => void) => Promise<Peer | undefined>>> = {
  databridge: () => Promise.resolve(databridge),
  script: () => Promise.resolve(bareScript),
  'node-red': nodeRedPeer,
  prometheus: prometheusPeer,
};

const wanted = (only: string): (typeof PEERS)[string][] =>
  Object.entries(PEERS).flatMap(([name, open]) => (only === '' || only === name ? [open] : []));

const usage = `usage: npm run bench:peers -- [--points N] [--targets N] [--seconds N] [--only databridge|script|node-red|prometheus] [--json] [--write]

The same work by databridge, Node-RED, a bare script and Prometheus, one after the other on this machine: a past out of a real InfluxDB into
durable rows of a real PostgreSQL, and small targets once a second; each once undisturbed and once with a kill -9 in the middle, after which
what is stored is compared with the source point for point. Node-RED is installed from npm into a directory of the run.

  --points   of the past, default 1000000
  --targets  default 1000
  --seconds  how long the targets are watched, twice, default 30
  --only     one of them
  --json     prints JSON instead of the tables
  --write    puts the tables into ${PAGE}
Exit codes: 0 measured, 1 something failed, 2 wrong usage.
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
  process.exit(EXIT.failed);
}

async function run(): Promise<number> {
  const options = optionsOf(process.argv.slice(2));
  if (options === undefined) {
    process.stderr.write(usage);
    return EXIT.usage;
  }
  const report = await measured(options);
  if (options.json) printJson(report);
  else printLine(textOf(report));
  if (options.write) await replaceWritten(join(import.meta.dirname, '../..'), PAGE, pageOf(report));
  assertNothingLeaked();
  return EXIT.done;
}

type Options = NonNullable<ReturnType<typeof optionsOf>>;

async function measured(options: Options): Promise<Report> {
  const { points, targets, seconds, only, say } = options;
  await using stack = new AsyncDisposableStack();
  const rig = await openRig({ profile: undefined });
  stack.defer(() => rig.close());
  const influx = await startInflux({ databases: ['plant'] });
  stack.defer(() => influx.stop());
  const dataset = datasetOf(points);
  await writeDataset(influx, dataset);
  say(`InfluxDB holds ${points} points`);
  const job = { rig, dataset, platform: { url: influx.url, ...influx.reader }, windowReadings: 50_000 };

  const chosen: Peer[] = [];
  for (const open of wanted(only)) {
    const peer = await open(say);
    if (peer === undefined) continue;
    stack.defer(() => peer.close());
    chosen.push(peer);
  }
  const past: Measure[] = [];
  const present: Measure[] = [];
  for (const peer of chosen) {
    past.push(...(await historyOf(peer, job, say)));
    present.push(...(await pollsOf(peer, { rig, targets, seconds, say })));
  }
  const versions = await versionsOf(rig, chosen);
  const shown = chosen.map(({ name, setup, history }) => ({
    name,
    setup,
    cannot: typeof history === 'string' ? history : null,
  }));
  return { points, targets, seconds, peers: shown, versions, past, present };
}

function optionsOf(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        points: { type: 'string', default: '1000000' },
        targets: { type: 'string', default: '1000' },
        seconds: { type: 'string', default: '30' },
        only: { type: 'string', default: '' },
        json: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
      },
    });
    const [points, targets, seconds] = [values.points, values.targets, values.seconds].map(Number) as [
      number,
      number,
      number,
    ];
    if (![points, targets, seconds].every((value) => Number.isInteger(value) && value > 0)) return undefined;
    const { only, json, write } = values;
    if (wanted(only).length === 0) return undefined;
    const say = (message: string): void => void process.stderr.write(`${message}\n`);
    return { points, targets, seconds, only, json, write, say };
  } catch {
    return undefined;
  }
}
