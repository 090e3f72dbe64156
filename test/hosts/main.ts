import { spawnSync } from 'node:child_process';
import { EXIT, printLine } from '../../src/terminal/output.ts';
import { HOSTS, playFaults } from './faults.ts';
import { makeNetwork } from './network.ts';

const usage = `usage: npm run test:hosts -- [WORD...]

Three hosts with a worker each, two with a PostgreSQL and its synchronous
standby, one with a Redis Cluster and a plant, in network namespaces of this
machine. Hosts vanish, are cut off, can no longer be heard, and servers die;
after each fault the readings are compared with the truth of the plant.

  WORD  only faults whose names hold one of the words; default: all

Needs Linux, root and the programs that npm test needs. Takes some minutes.
Exit codes: 0 all is exact, 1 it is not, 2 wrong usage.
`;

/** The process that has made the network starts this script again on the first of its hosts, with the prefix of the network. */
const [inside, prefix = '', ...words] =
  process.argv[2] === '--inside' ? process.argv.slice(2) : ['', '', ...process.argv.slice(2)];
if (words.some((word) => word.startsWith('-'))) {
  process.stderr.write(usage);
  process.exitCode = EXIT.usage;
} else process.exitCode = inside === '' ? outside() : (await playFaults(prefix, words)) ? EXIT.done : EXIT.failed;

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
    return spawnSync('ip', [...again, ...words], { stdio: 'inherit' }).status ?? EXIT.failed;
  } finally {
    remove();
  }
}
