import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ClockChange } from '../../src/simulator/clock.ts';
import type { SimulatedFault, SwitchedFault } from '../../src/simulator/faults.ts';
import type { RecordedRequest, RequestStatistics } from '../../src/simulator/recorder.ts';
import type { ThingsBoardOptions } from '../../adapters/platforms/thingsboard/simulator/options.ts';

/** One line per simulator: what it can be asked for. Its file is `adapters/platforms/NAME/simulator.ts`. */
interface OptionsOf {
  thingsboard: Partial<ThingsBoardOptions>;
}

type SimulatorName = keyof OptionsOf;

export type SimulatorStart = {
  [Name in SimulatorName]: {
    readonly name: Name;
    /** Freezes the simulator's clock at this instant, milliseconds since 1970. */
    readonly clockMs?: number;
  } & OptionsOf[Name];
}[SimulatorName];

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
  /** Ends the process and resolves when it is gone. May be called again. */
  stop(): Promise<void>;
}

/** Starts a simulator as a process of its own. It ends with `stop()`, and at the latest when this process does. */
export async function startSimulator({ name, clockMs, ...options }: SimulatorStart): Promise<RunningSimulator> {
  const file = fileURLToPath(new URL(`../../adapters/platforms/${name}/simulator.ts`, import.meta.url));
  const frozen = clockMs === undefined ? [] : ['--clock', String(clockMs)];
  const given = ['--port', '0', '--options', JSON.stringify(options), '--until-stdin-ends', ...frozen];
  const child = spawn(process.execPath, [file, ...given], { stdio: ['pipe', 'pipe', 'pipe'] });
  const url = await urlOf(child, name);
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
    stop: () => end(child),
  };
}

async function urlOf(child: ChildProcess, name: string): Promise<string> {
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  const ended = once(child, 'close').then(() => Promise.reject(new Error(`simulator ${name} ended: ${complaint}`)));
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
