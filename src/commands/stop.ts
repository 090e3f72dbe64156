import { EXIT } from '../terminal/output.ts';

/** A service manager signals a whole group, and a launcher passes its own on: that is still one signal. */
const SAME_SIGNAL_MS = 500;

/** For commands that run on: SIGTERM and SIGINT drain; a second one does not wait. */
export function untilStopped(): { readonly signal: AbortSignal; readonly stopped: Promise<void> } {
  const stopping = new AbortController();
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  let toldAt = Infinity;
  const stop = (): void => {
    if (performance.now() - toldAt > SAME_SIGNAL_MS) process.exit(EXIT.failed);
    if (stopping.signal.aborted) return;
    toldAt = performance.now();
    stopping.abort();
    resolve();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return { signal: stopping.signal, stopped };
}
