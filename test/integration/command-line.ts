import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { runHere } from '../kit/command-here.ts';
import { testEnvironment } from '../kit/environment.ts';
import { MAIN } from '../kit/joined-program.ts';

/** How a command ended and what it printed. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Given {
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: string;
}

/** Runs a command to its end in a process of its own, with the environment of the tests without settings of a bridge, and with `env`. */
export async function databridge(args: readonly string[], given: Given = {}): Promise<Ran> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: environment(given.env), stdio: 'pipe' });
  const ended = once(child, 'close') as Promise<[number | null]>;
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined).end(given.stdin ?? '');
  const [code] = await ended;
  return { code, stdout, stderr };
}

/** Runs a command to its end in this process, with the environment of `databridge`; see `runHere`. */
export const databridgeHere = (args: readonly string[], given: Given = {}): Promise<Ran> =>
  runHere(args, environment(given.env), given.stdin);

export function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(testEnvironment()).filter(
    ([name]) => !/^DATABRIDGE_|^(DATABASE|REDIS)_URL$|^(FORCE|NO)_COLOR$/.test(name),
  );
  return { ...Object.fromEntries(kept), DATABRIDGE_API_PORT: '0', DATABRIDGE_OPERATOR: 'off', ...more };
}
