import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { SimulatedClock } from '../../src/simulator/clock.ts';
import type { ClockChange } from '../../src/simulator/clock.ts';
import type { SimulatedProduct } from '../../src/simulator/contract.ts';
import type { SimulatedFault, SwitchedFault } from '../../src/simulator/faults.ts';
import type { RecordedRequest, RequestStatistics } from '../../src/simulator/recorder.ts';
import { serve } from '../../src/simulator/serve.ts';

export interface SimulatorStart {
  /** The platform: its simulator is `adapters/platforms/NAME/simulator.ts`. */
  readonly name: string;
  /** Freezes the simulator's clock at this instant, milliseconds since 1970. */
  readonly clockMs?: number;
}

export interface RunningSimulator {
  readonly url: string;
  /** Calls `/__admin/PATH` and returns its JSON. Rejects, with the simulator's reason, on anything but 200. */
  admin(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
  /** Switches faults on and returns their ids. */
  faults(...faults: SimulatedFault[]): Promise<number[]>;
  listFaults(): Promise<SwitchedFault[]>;
  faultsOff(id?: number): Promise<void>;
  clock(change: ClockChange): Promise<void>;
  log(): Promise<RecordedRequest[]>;
  stats(): Promise<RequestStatistics>;
  /** Ends it and resolves when it is gone. May be called again. */
  stop(): Promise<void>;
}

/**
 * Serves the simulator of a platform in this process, because a process of its own costs more than most tests. Whatever is
 * not part of {@link SimulatorStart} are the simulator's own options.
 */
export async function startSimulator<Options extends object>(
  start: SimulatorStart & Options,
): Promise<RunningSimulator> {
  const { name, clockMs, ...options } = start;
  const exported = (await import(`../../adapters/platforms/${name}/simulator.ts`)) as Record<string, unknown>;
  const product = Object.values(exported).find(isProduct);
  if (product === undefined) throw new Error(`the simulator of ${name} exports no product`);
  const clock = new SimulatedClock();
  if (clockMs !== undefined) clock.change({ nowMs: clockMs });
  const { url, close } = await serve(product.open(options, clock), clock);
  let closed: Promise<void> | undefined;
  return runningAt(url, () => (closed ??= close()));
}

const isProduct = (exported: unknown): exported is SimulatedProduct =>
  typeof exported === 'object' && exported !== null && 'open' in exported && 'platform' in exported;

/** Starts a file that calls `runSimulator`. Its process ends with `stop()`, and at the latest when this process does. */
export async function startSimulatorFile(file: string, options: object): Promise<RunningSimulator> {
  const given = ['--port', '0', '--options', JSON.stringify(options), '--until-stdin-ends'];
  const child = spawn(process.execPath, [file, ...given], { stdio: ['pipe', 'pipe', 'pipe'] });
  return runningAt(await urlOf(child, file), () => end(child));
}

function runningAt(url: string, stop: () => Promise<void>): RunningSimulator {
  const admin: RunningSimulator['admin'] = (method, path, body) => callAdmin(`${url}/__admin/${path}`, method, body);
  return {
    url,
    admin,
    faults: async (...faults) => ((await admin('POST', 'faults', faults)) as { ids: number[] }).ids,
    listFaults: async () => (await admin('GET', 'faults')) as SwitchedFault[],
    faultsOff: async (id) => void (await admin('DELETE', id === undefined ? 'faults' : `faults/${id}`)),
    clock: async (change) => void (await admin('POST', 'clock', change)),
    log: async () => (await admin('GET', 'log')) as RecordedRequest[],
    stats: async () => (await admin('GET', 'stats')) as RequestStatistics,
    stop,
  };
}

async function urlOf(child: ChildProcess, file: string): Promise<string> {
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  const ended = once(child, 'close').then(() => Promise.reject(new Error(`${file} ended: ${complaint}`)));
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string];
  ended.catch(() => {});
  return (JSON.parse(line) as { url: string }).url;
}

async function callAdmin(url: string, method: string, body: unknown): Promise<unknown> {
  const answer = await fetch(url, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
