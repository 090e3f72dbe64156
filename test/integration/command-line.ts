import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** How a command ended and what it printed. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end, with the environment of the tests without settings of a bridge, and with `env`. */
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

export function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^DATABRIDGE_|^(DATABASE|REDIS)_URL$/.test(name));
  return { ...Object.fromEntries(kept), DATABRIDGE_API_PORT: '0', ...more };
}
