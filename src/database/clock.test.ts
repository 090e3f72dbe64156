import { expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../core/instant.ts';
import { clockOf } from './clock.ts';
import type { Database } from './database.ts';

const hostClock = (): number => (performance.timeOrigin + performance.now()) * 1_000;

/** A database whose clock differs from this host's by the first of `distances` (µs). */
function databaseWith(distances: number[]): Database {
  return {
    row: () => Promise.resolve({ at: hostClock() + (distances[0] ?? 0) }),
  } as unknown as Database;
}

it('tells the time of the database, however far its clock is from that of this host', async () => {
  for (const distance of [HOUR, -HOUR]) {
    const clock = await clockOf(databaseWith([distance]));
    expect(Math.abs(clock.now() - hostClock() - distance)).toBeLessThan(30 * SECOND);
    expect(Number.isInteger(clock.now())).toBe(true);
  }
});

it('follows the clock of the database after an adjustment', async () => {
  const distances = [HOUR];
  const clock = await clockOf(databaseWith(distances));
  distances[0] = 2 * HOUR;
  expect(clock.now() - hostClock()).toBeLessThan(HOUR + MINUTE);
  await clock.adjust();
  expect(clock.now() - hostClock()).toBeGreaterThan(HOUR + MINUTE);
});

it('does not follow a clock that jumps away from that of this host, and says how far, until they agree again', async () => {
  const distances = [0];
  const clock = await clockOf(databaseWith(distances), { mostDifference: 10 * SECOND, hostTime: hostClock });
  expect(clock.disagreement()).toBeUndefined();
  for (const jump of [HOUR, -HOUR]) {
    distances[0] = jump;
    await clock.adjust();
    expect(Math.abs((clock.disagreement() ?? NaN) + jump)).toBeLessThan(MINUTE);
    expect(Math.abs(clock.now() - hostClock())).toBeLessThan(MINUTE);
  }
  distances[0] = 5 * SECOND;
  await clock.adjust();
  expect(clock.disagreement()).toBeUndefined();
});

it('notices that the clock of this host was set to another time', async () => {
  let set = 0;
  const given = { mostDifference: 10 * SECOND, hostTime: () => hostClock() + set };
  const clock = await clockOf(databaseWith([0]), given);
  set = -HOUR;
  await clock.adjust();
  expect(Math.abs((clock.disagreement() ?? NaN) + HOUR)).toBeLessThan(MINUTE);
});

it('tells that the clock of the database was set back, for two measurements more', async () => {
  const distances = [0];
  const clock = await clockOf(databaseWith(distances));
  const adjusted = async (distance: number) => {
    distances[0] = distance;
    await clock.adjust();
    return clock.setBacks();
  };
  expect((await adjusted(MINUTE)).count).toBe(0);
  const { count, recent } = await adjusted(0);
  expect(count).toBe(1);
  expect(Math.abs((recent?.by ?? 0) - MINUTE)).toBeLessThan(SECOND);
  expect(Math.abs((recent?.since ?? 0) - hostClock() - MINUTE)).toBeLessThan(MINUTE / 2);
  expect(await adjusted(0)).toEqual({ count, recent });
  expect(await adjusted(0)).toEqual({ count, recent });
  expect(await adjusted(0)).toEqual({ count, recent: undefined });
});

it('says nothing of a clock that it did not follow', async () => {
  const distances = [0];
  const clock = await clockOf(databaseWith(distances), { mostDifference: 10 * SECOND, hostTime: hostClock });
  for (const distance of [HOUR, 0]) {
    distances[0] = distance;
    await clock.adjust();
  }
  expect(clock.setBacks()).toEqual({ count: 0, recent: undefined });
});
