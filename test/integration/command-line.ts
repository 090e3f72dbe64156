import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../src/main-program.ts';

export const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** How a command ended and what it printed. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end in a process of its own, with the environment of the tests without settings of a bridge, and with `env`. */
export async function databridge(
  args: readonly string[],
  given: { readonly env?: NodeJS.ProcessEnv; readonly stdin?: string } = {},
): Promise<Ran> {
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

/**
 * Runs a command to its end in this process, with the environment of `databridge`. That takes a tenth of the time of a process of
 * its own, and does not show that the command lets its process end. One command runs at a time, and nothing else may print.
 */
export async function databridgeHere(
  args: readonly string[],
  given: { readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Ran> {
  const { stdout: out, stderr: err, env, exitCode } = process;
  const before = { out: out.write, err: err.write };
  const printed = { stdout: '', stderr: '' };
  const into = (stream: 'stdout' | 'stderr') => (text: string | Uint8Array) => {
    printed[stream] += String(text);
    return true;
  };
  out.write = into('stdout');
  err.write = into('stderr');
  process.env = environment(given.env);
  process.exitCode = undefined;
  try {
    await runCommandLine([process.execPath, MAIN, ...args]);
    return { code: Number(process.exitCode ?? 0), ...printed };
  } finally {
    out.write = before.out;
    err.write = before.err;
    process.env = env;
    process.exitCode = exitCode;
  }
}

export function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^DATABRIDGE_|^(DATABASE|REDIS)_URL$|^(FORCE|NO)_COLOR$/.test(name),
  );
  return { ...Object.fromEntries(kept), DATABRIDGE_API_PORT: '0', DATABRIDGE_OPERATOR: 'off', ...more };
}
