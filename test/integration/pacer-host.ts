import { randomUUID } from 'node:crypto';
import { MILLISECOND } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import type { Pacer } from '../../src/platform/connection/index.ts';
import { sharedAccountOf } from '../../src/pull/open/account.ts';
import { paceRowsOf } from '../../src/pace/pace-rows.ts';
import { pacerOf } from '../../src/pace/pacer.ts';
import { keepAlive } from '../kit/alive.ts';
import type { Heart } from '../kit/alive.ts';
import type { TestDatabases } from '../kit/databases.ts';

export interface Host extends Heart {
  readonly pacer: Pacer;
  readonly workerId: string;
  readonly now: () => number;
}

/** The clock of the database in µs, which runs on this machine. clock.test.ts tests how a host estimates it. */
export const clock = (): number => Math.floor((performance.timeOrigin + performance.now()) * MILLISECOND);

/** The pacer of another host: it has its own pool, and its worker lives. */
export async function hostOn(
  { databases, database }: { readonly databases: TestDatabases; readonly database: Database },
  sourceId: number,
  pace: { readonly requestsPerSecond: number; readonly burst: number; readonly concurrency: number },
  now: () => number = clock,
): Promise<Host> {
  const own = await databases.another(database);
  const workerId = randomUUID();
  return {
    ...(await keepAlive(own, workerId)),
    pacer: pacerOf({
      database: own,
      rows: paceRowsOf(own),
      account: sharedAccountOf(own, 'account'),
      revision: 1,
      sourceId,
      workerId,
      now,
      pace: { ...pace, quietHours: [] },
    }),
    workerId,
    now,
  };
}
