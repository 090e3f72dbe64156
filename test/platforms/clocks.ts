import { syncBuiltinESMExports } from 'node:module';
import promises from 'node:timers/promises';
import { SECOND } from '../../src/core/instant.ts';
import { defaultLimits } from '../../src/platform/connection/limits.ts';
import { SimulatedClock } from '../../src/simulator/clock.ts';
import { setModelTime, sleepInModel } from '../integration/model/time.ts';
import type { ModelTime } from '../integration/model/time.ts';

/** A simulator's clock that shows the time of the model. */
class ModelClock extends SimulatedClock {
  readonly #time: ModelTime;

  constructor(time: ModelTime) {
    super();
    this.#time = time;
  }

  override nowMs(): number {
    return Math.floor(this.#time.now() / 1000);
  }
}

/** A request without an answer waits for this time on the real clock, so that one that is only slow has its answer by then. */
const HANGS_MS = 3_000;

/**
 * From now on nothing waits in real time: each sleep moves the time of the model on, and so does a request without an answer.
 * The function that comes back puts the timers of Node back.
 */
export function followModel(time: ModelTime): { readonly clock: SimulatedClock; stop(): void } {
  const { setTimeout: sleep } = promises;
  const { setTimeout: timer } = globalThis;
  const hurried = ((run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    // The database has timers of a minute, too.
    if (run.name !== 'stepDue' || ms !== defaultLimits.headersMs) return timer(run, ms, ...args);
    const advance = (): Promise<void> => time.advance((defaultLimits.headersMs / 1000) * SECOND);
    return timer(() => void advance().then(() => run(...args)), HANGS_MS);
  }) as typeof setTimeout;
  const put = (forPromises: typeof sleep, forAll: typeof timer): void => {
    Object.assign(promises, { setTimeout: forPromises });
    // Without it the files that imported the function go on with the old one.
    syncBuiltinESMExports();
    globalThis.setTimeout = forAll;
  };
  setModelTime(time);
  put(sleepInModel as typeof sleep, Object.assign(hurried, timer));
  return {
    clock: new ModelClock(time),
    stop() {
      put(sleep, timer);
      setModelTime(undefined);
    },
  };
}
