/** Nothing that an operator, a client or a platform says may hold the event loop for longer, in milliseconds. */
export const LONGEST_MS = 100;

/**
 * The longest stretch, in milliseconds, that the event loop could not interrupt while `work` ran. It is the processor time of this
 * thread between two turns of the loop: time in which another process had the processor does not count, so a busy machine
 * changes nothing.
 */
export async function longestStretch(work: () => unknown): Promise<number> {
  let longest = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const watch = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(watch);
  };
  // One turn as a whole goes before, and the last one is counted, too.
  await new Promise<void>((resolve) => setImmediate(resolve));
  watch();
  await Promise.resolve(work()).catch(() => undefined);
  await new Promise<void>((resolve) => setImmediate(resolve));
  isOver = true;
  return longest;
}
