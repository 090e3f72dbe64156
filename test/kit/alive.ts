import { onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { BEAT_MS, presenceOf } from '../../src/database/presence.ts';

/** Keeps a worker alive until the test has ended, as a running process does. */
export async function keepAlive(database: Database, workerId: string): Promise<void> {
  const presence = presenceOf(database, workerId, 'test');
  await presence.beat();
  const timer = setInterval(() => void presence.beat().catch(() => undefined), BEAT_MS);
  onTestFinished(() => clearInterval(timer));
}
