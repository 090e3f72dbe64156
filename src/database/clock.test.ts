import { expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../core/instant.ts';
import { clockOf } from './clock.ts';
import type { Database } from './database.ts';

const local = (): number => (performance.timeOrigin + performance.now()) * 1_000;

/** A database whose clock is as far from ours as the first of these says. */
function databaseWith(distances: number[]): Database {
  return {
    row: () => Promise.resolve({ at: local() + (distances[0] ?? 0) }),
  } as unknown as Database;
}

it('tells the time of the database, however far its clock is from ours', async () => {
  for (const distance of [HOUR, -HOUR]) {
    const clock = await clockOf(databaseWith([distance]));
    expect(Math.abs(clock.now() - local() - distance)).toBeLessThan(30 * SECOND);
    expect(Number.isInteger(clock.now())).toBe(true);
  }
});

it('follows when the clocks drift apart', async () => {
  const distances = [HOUR];
  const clock = await clockOf(databaseWith(distances));
  distances[0] = 2 * HOUR;
  expect(clock.now() - local()).toBeLessThan(HOUR + MINUTE);
  await clock.adjust();
  expect(clock.now() - local()).toBeGreaterThan(HOUR + MINUTE);
});
