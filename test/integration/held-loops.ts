import { setTimeout as sleep } from 'node:timers/promises';

interface Loop {
  readonly work: () => Promise<unknown>;
  stopped: boolean;
}

let loops: readonly Loop[] = [];

/** Takes the place of `src/upkeep/repeat.ts`: nothing but the steps of the planner is repeated until a test says so. */
export const heldRepeat = {
  repeat(ms: number, work: () => Promise<unknown>): { stop(): Promise<void> } {
    const loop = { work, stopped: false };
    // The planner goes on, because a daemon without it polls nothing.
    const running = work.name === 'plan' ? goOn(loop, ms) : Promise.resolve();
    if (work.name !== 'plan') loops = [...loops, loop];
    return {
      stop() {
        loop.stopped = true;
        return running;
      },
    };
  },
};

async function goOn(loop: Loop, ms: number): Promise<void> {
  for (await sleep(ms); !loop.stopped; await sleep(ms)) await loop.work();
}

/** Each loop of the daemons that run goes round once, in the order in which they were begun. */
export async function goRound(): Promise<void> {
  for (const { work, stopped } of loops) if (!stopped) await work();
}
