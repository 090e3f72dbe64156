import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';

/** A command on a terminal of its own: `script` of util-linux makes a pseudo terminal and passes the exit code on. */
export interface OnTerminal {
  /** Everything that the command has written so far, with the sequences that move the cursor. */
  readonly screen: () => string;
  /** Waits until the screen matches. */
  shows(pattern: RegExp): Promise<void>;
  /** Presses keys; `\u0003` is Ctrl-C. */
  press(keys: string): void;
  /** Takes the terminal away, as a closed window does. */
  closeTerminal(): void;
  /** The exit code. */
  readonly ended: Promise<number | null>;
}

/** Starts a command on a terminal of `columns` columns. The arguments hold no quotes. */
export function onTerminal(
  command: readonly string[],
  given: { readonly env: NodeJS.ProcessEnv; readonly columns?: number },
): OnTerminal {
  const quoted = command.map((word) => `'${word}'`).join(' ');
  const line = `stty cols ${given.columns ?? 80} rows 24; exec ${quoted}`;
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
    env: { TERM: 'xterm-256color', ...given.env },
    stdio: 'pipe',
  });
  let screen = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (screen += text));
  child.stdin.on('error', () => undefined);
  return {
    screen: () => screen,
    shows: (pattern) => expect.poll(() => screen).toMatch(pattern),
    press: (keys) => void child.stdin.write(keys),
    closeTerminal: () => void child.kill('SIGKILL'),
    ended: once(child, 'close').then(([code]) => code as number | null),
  };
}
