/** The operator's wish to end the demo. */
export interface Stop {
  readonly signal: AbortSignal;
  /** Signals end the process as before from now on. */
  release(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ctrl-C, a service manager, a closed terminal and a closed pipe (`| head`) each abort the signal. The process itself
 * goes on until the demo is tidied up, even if they come several times.
 */
export function stopOnSignals(output: NodeJS.WriteStream): Stop {
  const stopping = new AbortController();
  const stop = (): void => {
    stopping.abort();
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  // The command line's own listener ends the process at once, and the database server would go on running.
  output.removeAllListeners('error').on('error', stop);
  return {
    signal: stopping.signal,
    release() {
      for (const signal of SIGNALS) process.off(signal, stop);
    },
  };
}
