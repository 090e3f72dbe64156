import { expect, test, vi } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { playMonth } from './month/month.ts';
import { SIZES } from './month/scene.ts';
import { REPEATS } from './month/script.ts';
import { monthInTables } from './month/table.ts';

// A month on a virtual clock and a real PostgreSQL: a strict platform with a known truth, the real planner, polls, histories, backfills
// and alerts, and everything that goes wrong in a plant. It takes minutes, so it is no part of `npm test`:
// `DATABRIDGE_MONTH=small` plays it, `DATABRIDGE_MONTH=large` a dense one, as `npm run test:soak` does, and `DATABRIDGE_MONTH_SEED=7`
// other points, delays and revisions.

vi.mock('node:timers/promises', async (original) => {
  const { sleepInModel } = await import('./model/time.ts');
  return { ...(await original<object>()), setTimeout: sleepInModel };
});

const size = process.env['DATABRIDGE_MONTH'] === 'large' ? SIZES.large : SIZES.small;

/** An ordinary run plays the same month each time; a soak draws one. The title of the test names the seed. */
const SEED = Number(
  process.env['DATABRIDGE_MONTH_SEED'] ?? (size === SIZES.small ? 20_261_126 : Math.floor(Math.random() * 2 ** 31)),
);

const databases = useDatabases();

test(`after a ${size.name} month (seed ${SEED}) the readings are the truth, the pace was kept, and each trouble was told once`, async () => {
  const { random } = Math;
  let drawn = SEED;
  // Waits after failures are drawn; a month that is repeated draws the same ones.
  Math.random = () => (drawn = (drawn * 48_271) % 2_147_483_647) / 2_147_483_647;
  const report = await playMonth(await databases.createEmpty(), { seed: SEED, size }).finally(() => {
    Math.random = random;
  });
  process.stderr.write(`\nA ${size.name} month, seed ${SEED}\n\n${monthInTables(report)}\n\n`);

  const { accounts, troubles, alerts, told, improper, year, replay, repeats, busiestDay } = report;
  for (const account of accounts) {
    expect(account).toMatchObject({ lost: 0, doubled: 0, wrong: 0, stillRefused: 0, examples: [] });
    expect(account.busiestSecond).toBeLessThanOrEqual(account.allowed);
  }
  expect(improper).toEqual([]);
  expect(busiestDay.requests).toBeLessThanOrEqual(busiestDay.allowed);

  // Each trouble has its alerts, which ended after it, and there is no other alert.
  for (const { trouble, raised } of troubles) {
    expect(
      raised.map(({ alert }) => alert),
      trouble.what,
    ).toEqual(trouble.alerts);
    for (const { endedAt } of raised) expect(endedAt ?? 0, trouble.what).toBeGreaterThan(trouble.to);
  }
  const due = troubles.flatMap(({ trouble }) => trouble.alerts);
  expect(alerts).toHaveLength(due.length);
  expect(told.toSorted()).toEqual(due.flatMap((alert) => [`opened ${alert}`, `ended ${alert}`]).toSorted());
  expect(report.refusedMessages).toBeGreaterThan(1);

  expect([year, replay, ...repeats].map(({ state }) => state)).toEqual(
    Array.from({ length: 2 + REPEATS }, () => 'done'),
  );
  // A quote is of time like the time that was seen before. A look for late data that comes at the time takes a part of the work over.
  for (const { quoted, work } of repeats) {
    expect(work.requests).toBeLessThanOrEqual(quoted?.requests.most ?? 0);
    expect(work.readings).toBeLessThanOrEqual(quoted?.readings.most ?? 0);
  }
}, 14_400_000);
