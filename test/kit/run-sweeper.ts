/**
 * Program: `node run-sweeper.ts DIRECTORY`. Waits until its standard input ends, which the kernel does for a test runner that
 * is killed. Then it ends every process of the run and removes the run's directory. Told `in order` before, it reports every
 * such process and file on stderr and exits with 1, because the tests should have removed them.
 */
import { existsSync, readFileSync, readdirSync, readlinkSync, rmSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** PostgreSQL gives its shared memory back at SIGQUIT and leaves it behind at SIGKILL. */
const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 50;

/** Vitest ends its workers and its watchdog itself. */
const OF_THE_RUNNER = /^(?:node \()?vitest|\/vitest\/dist\/workers\//;

const [, , directory = ''] = process.argv;
// The terminal's Ctrl-C and a hang-up are for the runner.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
const inOrder = (await text(process.stdin).catch(() => '')) === 'in order\n';
const places = [directory, ...placesElsewhere()];
const left = [...processesOf(places).map(({ pid, name }) => `process ${pid} ${name}`), ...readdirSync(directory)];
await endProcesses();
for (const place of places) rmSync(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
if (places.length > 1) removeEmpty(dirname(places[1] ?? ''));
if (inOrder && left.length > 0) {
  console.error(`left behind in ${directory}:\n  ${left.join('\n  ')}`);
  process.exitCode = 1;
}

interface Running {
  readonly pid: number;
  readonly name: string;
}

/** The directories of embedded servers that had to be kept outside: their settings directories name them. */
function placesElsewhere(): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('postgres/place.json'))
    .map((name) => (JSON.parse(readFileSync(join(directory, name), 'utf8')) as { root: string }).root)
    .filter((root) => existsSync(root));
}

/** Processes of the run: one whose environment names a directory of it, and PostgreSQL, which stands in its data directory. */
function processesOf(those: readonly string[]): Running[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .flatMap((entry) => {
      const file = (name: string): string => readFileSync(`/proc/${entry}/${name}`, 'utf8');
      try {
        const environment = file('environ');
        const belongs =
          those.some((place) => environment.includes(`=${place}`)) ||
          (['postgres', 'initdb'].includes(file('comm').trim()) &&
            those.some((place) => readlinkSync(`/proc/${entry}/cwd`).startsWith(place)));
        const name = file('cmdline').replaceAll('\0', ' ').trim();
        return belongs && !(inOrder && OF_THE_RUNNER.test(name)) ? [{ pid: Number(entry), name }] : [];
      } catch {
        // The process has ended meanwhile, or it belongs to another user.
        return [];
      }
    });
}

async function endProcesses(): Promise<void> {
  const killAt = performance.now() + PATIENCE_MS;
  for (let running = processesOf(places); running.length > 0; running = processesOf(places)) {
    for (const { pid } of running) signalTo(pid, performance.now() < killAt ? 'SIGQUIT' : 'SIGKILL');
    await sleep(LOOK_EVERY_MS);
  }
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, 'SIGCONT');
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

function removeEmpty(place: string): void {
  try {
    rmdirSync(place);
  } catch {
    // Something else is kept there.
  }
}
