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
