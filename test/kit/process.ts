import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { testEnvironment } from './environment.ts';
import { watchForLeaks } from './leaks.ts';
import { groupLives, signalGroup } from './process-group.ts';

/** How a process is started, and how it shows that it is ready. */
export interface ProcessOptions {
  readonly name: string;
  readonly command: string;
  readonly args?: readonly string[];
  /** The whole environment of the process; default: that of the tests. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Asked every few milliseconds until it says true; an exception counts as "not yet". */
  readonly ready: (process: RunningProcess) => boolean | Promise<boolean>;
  /** Default 150,000. */
  readonly readyWithinMs?: number;
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A child process, stopped only through its own handle. */
export interface RunningProcess {
  readonly name: string;
  readonly pid: number;
  /** Resolves when the process has ended for any reason. */
  readonly exited: Promise<Exit>;
  running(): boolean;
  /** The last 64 KiB of what it wrote, both streams in order of arrival. */
  output(): string;
  /**
   * SIGTERM, then SIGKILL when it has not ended within `graceMs`. The default is 120,000, which only a process that hangs
   * meets: a busy machine needs seconds for the last checkpoint of a database. A paused process is woken for it.
   */
  stop(graceMs?: number): Promise<Exit>;
  /** SIGKILL: no chance to tidy up. */
  kill9(): Promise<Exit>;
  /** SIGSTOP: alive, connections open, no answer. */
  pause(): void;
  resume(): void;
}

const outputLimit = 65_536;
const setpriv = '/usr/bin/setpriv';

/**
 * Starts a process and waits until it is ready.
 * Throws, with the last output in the message, where it ends before or is not ready in time; it does not run any more then.
 */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  const running = spawnProcess(options);
  try {
    await untilReady(running, options);
    return running;
  } catch (error) {
    await running.kill9();
    throw error;
  }
}

function spawnProcess(options: ProcessOptions): RunningProcess {
  // A test runner killed with SIGKILL runs no afterAll; the kernel then ends the child.
  const [command, args] = existsSync(setpriv)
    ? [setpriv, ['--pdeathsig', 'KILL', options.command, ...(options.args ?? [])]]
    : [options.command, [...(options.args ?? [])]];
  // A process group of its own, so that a child that outlives the process is seen as a leak.
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? testEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  const keep = (text: string): void => {
    output = (output + text).slice(-outputLimit);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);

  let ended = false;
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', (error) => {
      keep(String(error));
      if (child.pid !== undefined) return;
      ended = true;
      resolve({ code: null, signal: null });
    });
    child.once('exit', (code, signal) => {
      ended = true;
      if (!groupLives(pid)) forget();
      // Its last output may still be in the pipe. A child that outlives it can hold the pipe open for ever, so the wait has an end.
      const heard = setTimeout(resolve, 200, { code, signal });
      child.once('close', () => {
        clearTimeout(heard);
        resolve({ code, signal });
      });
    });
  });
  const pid = child.pid ?? -1;
  const forget = watchForLeaks(
    `process ${options.name} (${pid})`,
    () => pid > 0 && groupLives(pid),
    () => signalGroup(pid, 'SIGKILL'),
  );
  const kill9 = async (): Promise<Exit> => {
    child.kill('SIGKILL');
    return await exited;
  };

  return {
    name: options.name,
    pid,
    exited,
    running: () => !ended,
    output: () => output,
    async stop(graceMs = 120_000) {
      if (ended) return await exited;
      child.kill('SIGTERM');
      child.kill('SIGCONT');
      const patience = new AbortController();
      const tooLong = sleep(graceMs, 'too-long' as const, { signal: patience.signal }).catch(() => 'too-long' as const);
      const result = await Promise.race([exited, tooLong]);
      patience.abort();
      return result === 'too-long' ? await kill9() : result;
    },
    kill9,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  };
}

async function untilReady(running: RunningProcess, options: ProcessOptions): Promise<void> {
  const withinMs = options.readyWithinMs ?? 150_000;
  const giveUpAt = performance.now() + withinMs;
  let lastError = '';
  while (running.running()) {
    try {
      if ((await options.ready(running)) && running.running()) return;
    } catch (error) {
      lastError = String(error);
    }
    if (performance.now() > giveUpAt) {
      throw new Error(`${options.name} not ready within ${withinMs} ms ${lastError}\n${running.output()}`);
    }
    await sleep(20);
  }
  const { code, signal } = await running.exited;
  throw new Error(`${options.name} ended before it was ready (code ${code}, signal ${signal})\n${running.output()}`);
}
