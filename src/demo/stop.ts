/** Aborts when somebody wants the demo to end. */
export interface Stop {
  readonly signal: AbortSignal;
  /** The process reacts to signals as before. */
  release(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ctrl-C, a service manager, a closed terminal, a reader that has gone (`| head`): each ends the demo, and none of them
 * before it is tidied up, however often it comes.
 */
export function stopOnSignals(output: NodeJS.WriteStream): Stop {
  const stopping = new AbortController();
  const stop = (): void => {
    stopping.abort();
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  // The command line ends the process at once here; a database server would be left running.
  output.removeAllListeners('error').on('error', stop);
  return {
    signal: stopping.signal,
    release() {
      for (const signal of SIGNALS) process.off(signal, stop);
    },
  };
}
