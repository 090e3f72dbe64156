import { parseArgs } from 'node:util';
import { openSealing } from '../kit/sealing.ts';
import type { KindName } from '../../src/platform/contract.ts';
import { EXIT, printJson, printLine } from '../../src/terminal/output.ts';
import { subjectsAsRegistered } from '../conformance/kit/subject.ts';
import type { Subject } from '../conformance/kit/subject.ts';
import { openModelDatabase } from '../integration/model/ground.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { setup as makeRunDirectory } from '../kit/run-directory.ts';
import { execute, startSharedServer } from '../kit/shared-server.ts';
import { runRow, spanOf, WHOLE } from './row.ts';
import type { Row } from './row.ts';
import { isBad, shown } from './table.ts';

const usage = `usage: npm run test:platforms -- [NAME...] [--json]

Registers each platform from its sample against its simulator, by each kind of
credentials. The source is polled, a week around a change of the clocks is
backfilled, and a day of faults is survived, all in simulated time. Then the
readings in PostgreSQL are compared with the truth of the simulator.

  NAME    only these platforms; default: all of the registry
  --json  print the rows as JSON instead of the table

Example: npm run test:platforms -- influxdb thingsboard
Exit codes: 0 all is exact, 1 a row lost or doubled a point, was spared a fault
or came to no end, 2 wrong usage.
`;

// The server would go on running if a signal ended this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(leave()));
process.exitCode = await run();

function leave(): number {
  try {
    assertNothingLeaked();
  } catch (error) {
    process.stderr.write(`stopped: ${String(error)}\n`);
  }
  return EXIT.failed;
}

async function run(): Promise<number> {
  const options = optionsOf(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(usage);
    return EXIT.done;
  }
  const known = subjectsAsRegistered();
  const names = new Set(options?.names);
  const chosen = known.filter(({ platform }) => names.size === 0 || names.has(platform.name));
  if (options === undefined || (names.size > 0 && chosen.length < names.size)) {
    process.stderr.write(`${usage}Platforms: ${known.map(({ platform }) => platform.name).join(', ')}\n`);
    return EXIT.usage;
  }
  const rows = await rowsOf(chosen);
  if (options.json) printJson(rows);
  else printLine(shown(rows));
  return rows.some(isBad) ? EXIT.failed : EXIT.done;
}

function optionsOf(args: string[]): { readonly names: readonly string[]; readonly json: boolean } | 'help' | undefined {
  try {
    const options = { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } } as const;
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    return values.help ? 'help' : { names: positionals, json: values.json };
  } catch {
    return undefined;
  }
}

async function rowsOf(subjects: readonly Subject[]): Promise<Row[]> {
  const removeRunDirectory = await makeRunDirectory();
  const server = await startSharedServer();
  try {
    await execute(server.url, 'create database platforms');
    const url = new URL(server.url);
    url.pathname = 'platforms';
    const database = await openModelDatabase(url.href, spanOf(WHOLE));
    const sealing = await openSealing('', 'A'.repeat(43));
    const rows: Row[] = [];
    for (const subject of subjects) {
      for (const kind of Object.keys(subject.platform.kinds) as KindName[]) {
        const begun = performance.now();
        const say = (text: string): void => void process.stderr.write(text);
        say(`${subject.platform.name}, ${kind}:`);
        const row = await runRow({ database, sealing }, subject, {
          kind,
          scale: WHOLE,
          tell: (part) => say(` ${part}`),
        });
        say(`, ${isBad(row) ? 'NOT EXACT' : 'exact'} (${Math.round((performance.now() - begun) / 1000)} s)\n`);
        rows.push(row);
      }
    }
    await database.close();
    return rows;
  } finally {
    await server.stop();
    await removeRunDirectory();
    assertNothingLeaked();
  }
}
