/**
 * One signal for a request that several others may stop. `end` is called when the request has ended, because those signals outlive
 * it. `AbortSignal.any` needs no `end`, but the garbage collector then works longer than all layers of a small request.
 */
export function stopOf(signals: readonly AbortSignal[]): { readonly signal: AbortSignal; readonly end: () => void } {
  const stop = new AbortController();
  const aborted = (): void => stop.abort();
  for (const signal of signals) {
    if (signal.aborted) stop.abort();
    else signal.addEventListener('abort', aborted);
  }
  return {
    signal: stop.signal,
    end() {
      for (const signal of signals) signal.removeEventListener('abort', aborted);
    },
  };
}
