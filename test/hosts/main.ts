import { spawnSync } from 'node:child_process';
import { EXIT, printLine } from '../../src/terminal/output.ts';
import { HOSTS, playFaults } from './faults.ts';
import { makeNetwork } from './network.ts';

const usage = `usage: npm run test:hosts -- [--minutes N] [WORD...]

Three hosts with a worker each, two with an API each behind one address, two
with a PostgreSQL and its synchronous standby, one with a Redis Cluster, a
plant and a client that pushes, in network namespaces of this machine. Hosts
vanish, are cut off, can no longer be heard, lose packets, and servers die;
after each fault the readings are compared with the truth of the plant, and
the pushes that were acknowledged are looked for.

  WORD         only faults whose names hold one of the words; default: all
  --minutes N  afterwards, the faults that can happen again, by chance, for
               N minutes

Needs Linux, root, nft and the programs that npm test needs. Takes some minutes.
Exit codes: 0 all is exact, 1 it is not, 2 wrong usage.
`;

/** The process that has made the network starts this script again on the first of its hosts, with the prefix of the network. */
const [inside, prefix = '', ...given] =
  process.argv[2] === '--inside' ? process.argv.slice(2) : ['', '', ...process.argv.slice(2)];
const asked = askedOf(given);
if (asked === undefined) {
  process.stderr.write(usage);
  process.exitCode = EXIT.usage;
} else
  process.exitCode =
    inside === '' ? outside() : (await playFaults(prefix, asked.words, asked.minutes)) ? EXIT.done : EXIT.failed;

function askedOf(args: readonly string[]): { readonly words: readonly string[]; readonly minutes: number } | undefined {
  const place = args.indexOf('--minutes');
  const minutes = place < 0 ? 0 : Number(args[place + 1]);
  const words = place < 0 ? args : args.toSpliced(place, 2);
  return minutes >= 0 && words.every((word) => !word.startsWith('-')) ? { words, minutes } : undefined;
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
