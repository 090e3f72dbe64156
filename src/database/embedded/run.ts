import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { SystemAccount } from './account.ts';
import { programFailure } from './failure.ts';

/**
 * The server gets none of this process's environment, because a PG* variable could mislead it and it would keep the secrets
 * of platforms for years. LC_ALL is C, because failures are recognised by their English messages.
 */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', HOME: '/' };

/**
 * Starts a program of PostgreSQL as the given user, in a new session, because Ctrl-C at the terminal must not reach it
 * before this process has drained. The user must be allowed to enter `cwd`.
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

/** Runs a program to its end and returns its output. Throws an error with a remedy where it fails. */
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
