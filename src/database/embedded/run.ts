import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { SystemAccount } from './account.ts';
import { programFailure } from './failure.ts';

/**
 * The server sees nothing of our environment: no PG* variable to mislead it, and no secret of a platform to keep for years.
 * English messages, because failures are told apart by them.
 */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', HOME: '/' };

/**
 * Starts a program of PostgreSQL as the given user, in a session of its own: Ctrl-C at our terminal must not reach
 * it before we have drained. The working directory must be one that user may be in.
 */
export function startProgram(
  program: string,
  args: readonly string[],
  account: SystemAccount | undefined,
  output: 'pipe' | number,
  cwd = '/',
): ChildProcess {
  return spawn(program, args, {
    ...account,
    cwd,
    env: ENVIRONMENT,
    detached: true,
    stdio: ['ignore', output, output],
  });
}

/** Runs a program to its end; the answer is what it wrote. Throws an error with a remedy where it fails. */
export async function runProgram(
  program: string,
  args: readonly string[],
  account: SystemAccount | undefined,
  cwd?: string,
): Promise<string> {
  const child = startProgram(program, args, account, 'pipe', cwd);
  let output = '';
  const keep = (text: string): void => void (output = (output + text).slice(-8_192));
  child.stdout?.setEncoding('utf8').on('data', keep);
  child.stderr?.setEncoding('utf8').on('data', keep);
  const code = await new Promise<number | string | null>((resolve) => {
    child.once('error', (error) => {
      keep(error.message);
      resolve('not started');
    });
    child.once('close', (exitCode, signal) => resolve(exitCode ?? signal));
  });
  if (code !== 0) throw programFailure(`${program} failed (${code})`, output);
  return output;
}
