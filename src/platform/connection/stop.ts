/** What each signal stops. It has one listener for all, because with thousands of them adding and removing one takes long. */
const stopped = new WeakMap<AbortSignal, { readonly requests: Set<AbortController>; readonly listener: () => void }>();

function stopWith(signal: AbortSignal, request: AbortController): void {
  let known = stopped.get(signal);
  if (known === undefined) {
    const requests = new Set<AbortController>();
    const listener = (): void => {
      for (const one of requests) one.abort();
    };
    known = { requests, listener };
    stopped.set(signal, known);
    signal.addEventListener('abort', listener);
  }
  known.requests.add(request);
}

function forget(signal: AbortSignal, request: AbortController): void {
  const known = stopped.get(signal);
  if (known?.requests.delete(request) !== true || known.requests.size > 0) return;
  signal.removeEventListener('abort', known.listener);
  stopped.delete(signal);
}

/**
 * One signal for a request that several others may stop. `end` is called when the request has ended, because those signals outlive
 * it. `AbortSignal.any` needs no `end`, but the garbage collector then works longer than all layers of a small request.
 */
export function stopOf(signals: readonly AbortSignal[]): { readonly signal: AbortSignal; readonly end: () => void } {
  const stop = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) stop.abort();
    else stopWith(signal, stop);
  }
  return {
    signal: stop.signal,
    end() {
      for (const signal of signals) forget(signal, stop);
    },
  };
}
