import { onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { BEAT_MS, presenceOf } from '../../src/database/presence.ts';

/** The heart of a worker, which beats as that of a running process does. */
export interface Heart {
  /** Beats at once, and goes on beating. */
  beat(): Promise<void>;
  /** Beats no more, and its last beat is a minute old, so that other workers take the worker for dead. */
  fallSilent(): Promise<void>;
  /** Beats no more. */
  stop(): void;
}

/** @returns a heart that beats. The claims of a silent process are free after twelve seconds, and a test may last longer. */
export async function heartOf(database: Database, workerId: string): Promise<Heart> {
  const presence = presenceOf(database, workerId, 'test');
  let last = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearInterval(timer);
  const heart: Heart = {
    async beat() {
      stop();
      timer = setInterval(() => {
        last = presence.beat().catch(() => undefined);
      }, BEAT_MS);
      await presence.beat();
    },
    async fallSilent() {
      stop();
      await last;
      await database.run(`update worker set beat_at = now() - interval '1 minute' where id = $1`, [workerId]);
    },
    stop,
  };
  await heart.beat();
  return heart;
}

/** Keeps a worker alive until the test has ended. */
export async function keepAlive(database: Database, workerId: string): Promise<Heart> {
  const heart = await heartOf(database, workerId);
  onTestFinished(heart.stop);
  return heart;
}
