import type { Logger } from 'pino';
import { BridgeError } from '../../core/errors.ts';
import { EXIT, interruptedBy } from '../../terminal/output.ts';

/** Signals within this time count as one, ms: service managers signal a whole group, and launchers pass theirs on. */
const SAME_SIGNAL_MS = 500;

/** For commands that run until stopped: the first SIGTERM or SIGINT begins the drain, a second one ends the process. */
export function untilStopped(): { readonly signal: AbortSignal; readonly stopped: Promise<void> } {
  const { signal } = stopOn(['SIGTERM', 'SIGINT'], () => EXIT.failed);
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve());
  return { signal, stopped };
}

/**
 * Runs a command that does one thing. Ctrl-C, SIGTERM and a terminal that is closed abort its signal, so that it tidies up; it
 * fails then with `cancelled`, whose message says what holds now. A second Ctrl-C ends the process at once. Work that was done
 * before it noticed is done.
 */
export async function interruptible<T>(
  holds: string | (() => string),
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // A program under nohup has no terminal that is closed, and a listener would undo nohup.
  const hangUp = process.stderr.isTTY ? (['SIGHUP'] as const) : [];
  const { signal, release } = stopOn(['SIGINT', 'SIGTERM', ...hangUp], interruptedBy);
  try {
    return await work(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    const message = `interrupted: ${typeof holds === 'string' ? holds : holds()}`;
    throw new BridgeError({ code: 'cancelled' }, message, { cause: error });
  } finally {
    release();
  }
}

function stopOn(
  names: readonly NodeJS.Signals[],
  codeOf: (name: NodeJS.Signals) => number,
): { readonly signal: AbortSignal; readonly release: () => void } {
  const stopping = new AbortController();
  let signalledAt = Infinity;
  const stop = (name: NodeJS.Signals): void => {
    const code = codeOf(name);
    if (performance.now() - signalledAt > SAME_SIGNAL_MS) process.exit(code);
    if (stopping.signal.aborted) return;
    signalledAt = performance.now();
    stopping.abort();
  };
  for (const name of names) process.on(name, stop);
  return {
    signal: stopping.signal,
    release: () => {
      for (const name of names) process.off(name, stop);
    },
  };
}

/**
 * Waits until the process is told to stop, or until a databridge of another version has changed the schema of its database (see
 * `Database.outdated`), and says why.
 *
 * @returns the exit code where it has to end by itself; undefined where it was told to
 */
export async function stoppedOrOutdated(
  stopped: Promise<void>,
  outdated: AbortSignal,
  log: Logger,
): Promise<number | undefined> {
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  const change = (): void => resolve();
  if (outdated.aborted) change();
  else outdated.addEventListener('abort', change, { once: true });
  await Promise.race([stopped, changed]);
  outdated.removeEventListener('abort', change);
  if (!outdated.aborted) return undefined;
  const { message, remedy } = outdated.reason as BridgeError;
  log.error({ remedy }, `${message}; this process ends, and wrote nothing there since`);
  return EXIT.usage;
}
