/** Whether pages follow the bridge: not while they are hidden, and not while the operator has stopped them. */
let stopped = false;
const watchers = new Set<() => void>();

export const isLive = (): boolean => !stopped && !document.hidden;

export const isStopped = (): boolean => stopped;

export function stopLive(stop: boolean): void {
  stopped = stop;
  tell();
}

/** Calls `act` whenever pages begin to follow again, and when they are stopped. */
export function whenLive(act: () => void): () => void {
  watchers.add(act);
  return () => watchers.delete(act);
}

const tell = (): void => {
  for (const act of watchers) act();
};

document.addEventListener('visibilitychange', () => {
  if (isLive()) tell();
});
