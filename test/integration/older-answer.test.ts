import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND, parseInstant } from '../../src/core/instant.ts';
import { history } from '../../src/pull/history/history.ts';
import { poll } from '../../src/pull/poll.ts';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { batchOf, readingsIn, storeSource, storeStream } from '../kit/stored-source.ts';
import { BORDER, columnsFrom, makeGround } from './commit-ground.ts';
import { dueHistories } from '../kit/work.ts';

const databases = useDatabases();
const now = (parseInstant('2026-03-01T00:00:00Z') ?? 0) + DAY;

it.each(['live', 'history'] as const)(
  'a worker of %s that stood still with an older answer does not replace the newer one of another worker',
  async (lane) => {
    const database = await databases.create();
    const stored = await storeSource(database);
    const streamId = await storeStream(database, stored);
    await dueHistories(database);
    const from = lane === 'live' ? now - MINUTE : now - DAY;
    let value = 1;
    /** Neither worker has a heartbeat, so both are silent. `amid`: between the answer and its commit. */
    const run = async (amid: () => Promise<void>): Promise<void> => {
      const source = openSourceOf(stored, {
        policy: { start: from, settle: 0, align: SECOND, overlap: 0, maxWindow: DAY },
        catchUp: 'oldest',
        read: async function* (window) {
          const answered = value;
          await amid();
          if (window.from === from) yield { sensor: 'pump', variable: 'flow', at: [from], values: [answered] };
        },
      });
      const bridge = bridgeOf(database, { source, now: () => now, workerId: randomUUID() });
      const { signal } = new AbortController();
      await (lane === 'live' ? poll(bridge, stored.sourceId, signal) : history(bridge, streamId, signal));
    };
    await run(async () => {
      if (value === 2) return;
      value = 2;
      await run(async () => undefined);
    });
    expect(await readingsIn(database)).toEqual([`pump ${from} 2 -`]);
  },
);

it.each([
  [10, 'live'],
  [5_000, 'live'],
  [10, 'history'],
  [5_000, 'history'],
] as const)('nothing of %i readings of %s is stored where the claim was lost', async (count, lane) => {
  const ground = await makeGround(databases);
  const window = { from: BORDER, to: BORDER + HOUR };
  const given = { window, lane, batch: batchOf(columnsFrom(BORDER, count)) };
  await expect(ground.commit({ ...given, workerId: randomUUID() })).rejects.toMatchObject({ code: 'cancelled' });
  expect(await readingsIn(ground.database)).toEqual([]);
  expect(await ground.coverage()).toEqual([]);
  await ground.commit(given);
  expect(await ground.coverage()).toEqual([window]);
});
