import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { EXIT, printLine } from '../../src/terminal/output.ts';
import { playFaults } from './faults.ts';
import type { Play } from './faults.ts';
import { HOSTS } from './ground.ts';
import { makeNetwork } from './network.ts';

const usage = `usage: npm run test:hosts -- [--minutes N] [--from COMMIT] [WORD...]

Three hosts with a worker each, two with an API each behind one address, two
with a PostgreSQL and its synchronous standby, one with a Redis Cluster, a
plant and a client that pushes, in network namespaces of this machine. Hosts
vanish, are cut off, can no longer be heard, lose or delay packets, have wrong
clocks, and servers die; after each fault the readings are compared with the
truth of the plant, and the pushes that were acknowledged are looked for.

  WORD           only faults whose names hold one of the words; default: all
  --minutes N    afterwards, the faults that can happen again, by chance, for
                 N minutes
  --from COMMIT  all hosts run the bridge of another commit at first, and are
                 upgraded one after the other before the first fault

Needs Linux, root and the programs that npm test needs; nft for lost packets,
socat for delays and faketime for clocks. Takes some minutes.
Exit codes: 0 all is exact, 1 it is not, 2 wrong usage.
`;

/** The process that has made the network starts this script again on the first of its hosts, with the prefix of the network. */
const [inside, prefix = '', ...given] =
  process.argv[2] === '--inside' ? process.argv.slice(2) : ['', '', ...process.argv.slice(2)];
const asked = askedOf(given);
if (asked === undefined) {
  process.stderr.write(usage);
  process.exitCode = EXIT.usage;
} else process.exitCode = inside === '' ? outside() : (await playFaults(prefix, asked)) ? EXIT.done : EXIT.failed;

function askedOf(args: readonly string[]): Play | undefined {
  try {
    const options = { minutes: { type: 'string', default: '0' }, from: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const minutes = Number(values.minutes);
    return minutes >= 0 ? { words: positionals, minutes, from: values.from } : undefined;
  } catch {
    return undefined;
  }
}

function outside(): number {
  const own = `databridge-${process.pid}`;
  let remove: () => void;
  try {
    remove = makeNetwork(own, HOSTS);
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: Buffer | string };
    printLine(`skipped: no network namespaces can be made here: ${String(stderr).trim() || message}`);
    return EXIT.done;
  }
  // A signal goes to the child, too, which stops what it started.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  try {
    const again = ['netns', 'exec', `${own}-${HOSTS[0]}`, process.execPath, import.meta.filename, '--inside', own];
    return spawnSync('ip', [...again, ...given], { stdio: 'inherit' }).status ?? EXIT.failed;
  } finally {
    remove();
  }
}
