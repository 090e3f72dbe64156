/** Runs `work` again and again, `ms` after it ended the last time. An error goes to `onError`, and the work is repeated all the same. */
export function repeat(
  ms: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const again = (): void => {
    if (!stopped) timer = setTimeout(turn, ms);
  };
  function turn(): void {
    running = (async () => work())().catch(onError).then(again, again);
  }
  timer = setTimeout(turn, ms);
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
