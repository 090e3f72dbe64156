interface Loop {
  readonly work: () => Promise<unknown>;
  stopped: boolean;
}

let loops: readonly Loop[] = [];

/** Takes the place of `src/pull/repeat.ts`: nothing is repeated until a test says so. */
export const heldRepeat = {
  repeat(_ms: number, work: () => Promise<unknown>): { stop(): Promise<void> } {
    const loop = { work, stopped: false };
    loops = [...loops, loop];
    return {
      stop() {
        loop.stopped = true;
        return Promise.resolve();
      },
    };
  },
};

/** Each loop of the daemons that run goes round once, in the order in which they were begun. */
export async function goRound(): Promise<void> {
  for (const { work, stopped } of loops) if (!stopped) await work();
}
