import type { Logger } from 'pino';
import type { BridgeError } from '../../core/errors.ts';
import { EXIT } from '../../terminal/output.ts';

/** Signals within this time count as one, ms: service managers signal a whole group, and launchers pass theirs on. */
const SAME_SIGNAL_MS = 500;

/** For commands that run until stopped: the first SIGTERM or SIGINT begins the drain, a second one ends the process. */
export function untilStopped(): { readonly signal: AbortSignal; readonly stopped: Promise<void> } {
  const stopping = new AbortController();
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  let signalledAt = Infinity;
  const stop = (): void => {
    if (performance.now() - signalledAt > SAME_SIGNAL_MS) process.exit(EXIT.failed);
    if (stopping.signal.aborted) return;
    signalledAt = performance.now();
    stopping.abort();
    resolve();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return { signal: stopping.signal, stopped };
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
