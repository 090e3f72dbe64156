import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { intersect, subtract, totalLength, union } from './coverage.ts';
import type { Coverage } from './coverage.ts';
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';
import { agesOf, endsAtBound, furtherLook, looksOwed, regularLooks } from './look-back.ts';
import type { FurtherLook, LookBack } from './look-back.ts';

const look: LookBack = { start: 0, align: SECOND, overlap: 10 * MINUTE, lookBackAtMost: 30 * DAY };

test('all covered time is looked at once at each age, whatever the steps in which the coverage grows', () =>
  fc.assert(
    fc.property(
      fc.record({
        start: fc.integer({ min: 0, max: 500 }),
        align: fc.integer({ min: 1, max: 20 }),
        overlap: fc.integer({ min: 1, max: 100 }),
        lookBackAtMost: fc.integer({ min: 0, max: 3_000 }),
      }),
      fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 40 }),
      (given, steps) => {
        const ages = agesOf(given);
        let end = given.start;
        let asked = 0;
        let looked: Coverage = [];
        for (const step of steps) {
          const looks = regularLooks(given, end, end + step);
          end += step;
          // A look at an age never asks for younger time.
          const youngest = ages.at(-1) ?? 0;
          for (const each of looks) expect(each.to).toBeLessThanOrEqual(end - youngest);
          for (const each of looks) expect(each.from).toBeGreaterThanOrEqual(given.start);
          asked += totalLength(looks);
          looked = union(looked, looks);
        }
        // A step is a fourth of its age, so time is looked at when it is one and a quarter of that age old.
        for (const age of ages) {
          const late = { from: given.start, to: end - Math.ceil(age * 1.25) - 3 * given.align };
          if (late.from < late.to) expect(subtract([late], looked)).toEqual([]);
        }
        expect(asked).toBeLessThanOrEqual(ages.length * (end - given.start));
      },
    ),
    { numRuns: 1_000 },
  ));

test('a point that comes late by any time up to the bound is found before it is much older than sixteen times its lateness', () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.integer({ min: 0, max: 3_000 }),
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 30 }),
      (lateness, at, polls) => {
        const given: LookBack = { start: 0, align: 1, overlap: 20, lookBackAtMost: 2_000 };
        let foundAt: number | undefined;
        let poll = 0;
        for (let end = 0; end < 45_000 && foundAt === undefined;) {
          const next = end + (polls[poll++ % polls.length] ?? 1);
          // Live looks back one overlap; every step of the coverage may bring a look at older time.
          const asked = union([{ from: Math.max(0, next - 20 - 90), to: next }], regularLooks(given, end, next));
          end = next;
          if (end >= at + lateness && intersect(asked, { from: at, to: at + 1 }).length > 0) foundAt = end;
        }
        expect(foundAt).toBeDefined();
        expect((foundAt ?? Infinity) - at).toBeLessThanOrEqual(Math.max(lateness, 20) * 16 + 90 + 2);
      },
    ),
    { numRuns: 1_000 },
  ));

test('without an overlap, or with a bound below it, there are no looks', () => {
  expect(agesOf({ ...look, overlap: 0 })).toEqual([]);
  expect(agesOf({ ...look, lookBackAtMost: 10 * MINUTE })).toEqual([]);
  expect(agesOf({ ...look, lookBackAtMost: 0 })).toEqual([]);
  expect(agesOf({ ...look, lookBackAtMost: HOUR })).toEqual([HOUR]);
  expect(agesOf({ ...look, lookBackAtMost: 30 * MINUTE })).toEqual([30 * MINUTE]);
  // An age of four overlaps is near enough to the overlap.
  expect(agesOf({ ...look, lookBackAtMost: 320 * MINUTE })).toEqual([320 * MINUTE]);
  expect(agesOf(look)).toEqual([30 * DAY, 90 * HOUR, 11.25 * HOUR, 84.375 * MINUTE]);
  expect(regularLooks({ ...look, overlap: 0 }, 0, 90 * DAY)).toEqual([]);
});

/** Looks until nothing is found, at one instant: every look asks for its windows, and a find leads to a further look. */
function episode(given: LookBack, late: Coverage, now: number, first: Coverage): { looked: Coverage; looks: number } {
  let last: FurtherLook | undefined;
  let [looked, waiting, looks]: [Coverage, Coverage, number] = [[], first, 0];
  for (let [window] = waiting; window !== undefined; [window] = waiting) {
    waiting = subtract(waiting, [window]);
    looked = union(looked, [window]);
    const [found] = intersect(late, window);
    if (found === undefined) continue;
    const further = furtherLook(given, { window, oldest: found.from, edge: now, now, last });
    if (further === undefined) continue;
    looks += 1;
    last = further;
    waiting = union(waiting, further.time);
  }
  return { looked, looks };
}

test('late stretches are all found at once where each is at most twice as old as the one found before it', () =>
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 1.01, max: 1.99, noNaN: true }), { minLength: 1, maxLength: 14 }),
      (factors) => {
        const now = 40 * DAY;
        const ages: number[] = [];
        for (let [age, index] = [8 * MINUTE, 0]; age < look.lookBackAtMost && index < factors.length; index += 1) {
          ages.push(age);
          age = Math.ceil(age * (factors[index] ?? 1));
        }
        const late = ages.toReversed().map((age) => ({ from: now - age, to: now - age + SECOND }));
        const { looked, looks } = episode(look, late, now, [{ from: now - 10 * MINUTE, to: now }]);
        expect(subtract(late, looked)).toEqual([]);
        expect(looks).toBeLessThanOrEqual(13);
        expect(looked[0]?.from).toBeGreaterThanOrEqual(now - look.lookBackAtMost);
      },
    ),
  ));

test('a sensor that is revised for ever leads to the bound once, and then not before a fourth of the bound has passed', () => {
  const now = 40 * DAY;
  const revised = [{ from: 0, to: now }];
  const { looks } = episode(look, revised, now, [{ from: now - 9 * MINUTE, to: now }]);
  expect(looks).toBeLessThanOrEqual(13);
  const last = { reach: 30 * DAY, at: now };
  const finds = (later: number): unknown =>
    furtherLook(look, {
      window: { from: now + later - 10 * MINUTE, to: now + later },
      oldest: now + later - 10 * MINUTE,
      edge: now + later,
      now: now + later,
      last,
    });
  expect(finds(7 * DAY)).toBeUndefined();
  expect(finds(8 * DAY)).toMatchObject({ reach: 20 * MINUTE });
});

test('looks at an age are taken in steps of a fourth of it', () => {
  const hourly = { ...look, lookBackAtMost: HOUR };
  const end = 2 * HOUR;
  expect(regularLooks(hourly, end, end + 14 * MINUTE)).toEqual([]);
  expect(regularLooks(hourly, end, end + 15 * MINUTE)).toEqual([{ from: HOUR, to: HOUR + 15 * MINUTE }]);
});

describe('a further look', () => {
  const now = 40 * DAY + 7;
  const grid = 40 * DAY;
  const given = {
    window: { from: grid - 10 * MINUTE, to: grid - MINUTE },
    oldest: now - 9 * MINUTE,
    edge: grid - MINUTE,
    now,
    last: undefined,
  };

  test('reaches twice as far as the oldest point, and leaves out the window in which it was', () => {
    expect(furtherLook(look, given)).toEqual({
      reach: 18 * MINUTE,
      at: now,
      time: [{ from: grid - 18 * MINUTE, to: grid - 10 * MINUTE }],
    });
    const elsewhere = { ...given, window: { from: 0, to: HOUR } };
    expect(furtherLook(look, elsewhere)?.time).toEqual([{ from: grid - 18 * MINUTE, to: given.edge }]);
    expect(furtherLook({ ...look, start: grid - 15 * MINUTE }, elsewhere)?.time).toEqual([
      { from: grid - 15 * MINUTE, to: given.edge },
    ]);
  });

  test('adds only the time that the last one did not reach', () => {
    const window = { from: grid - 9 * MINUTE, to: grid - MINUTE };
    const last = { reach: 12 * MINUTE, at: now - MINUTE };
    expect(furtherLook(look, { ...given, window, last })?.time).toEqual([
      { from: grid - 18 * MINUTE, to: grid - 12 * MINUTE + SECOND },
    ]);
    const edge = grid - 15 * MINUTE;
    expect(furtherLook(look, { ...given, window, last, edge })?.time).toEqual([{ from: grid - 18 * MINUTE, to: edge }]);
  });

  test('asks for nothing behind the edge', () => {
    expect(furtherLook(look, { ...given, edge: grid - HOUR })?.time).toEqual([]);
  });

  test('follows one of the same reach after a fourth of it, or where the clock was set back', () => {
    const after = (at: number) => furtherLook(look, { ...given, last: { reach: 8 * HOUR, at } });
    expect(after(now - 2 * HOUR)).toBeDefined();
    expect(after(now - 2 * HOUR + 1)).toBeUndefined();
    expect(after(now)).toBeUndefined();
    expect(after(now + 1)).toBeDefined();
  });

  test('is none without an overlap, or within it', () => {
    expect(furtherLook({ ...look, overlap: 0 }, given)).toBeUndefined();
    expect(furtherLook(look, { ...given, oldest: now - 5 * MINUTE })).toBeUndefined();
  });
});

test('looks end before they find none where late data was as old as their oldest step', () => {
  expect([0, 22.5 * DAY, 22.5 * DAY + 1, 31 * DAY].map((age) => endsAtBound(age, 30 * DAY))).toEqual([
    false,
    false,
    true,
    true,
  ]);
  // Only the overlap is asked again: the first late point came too late for any look.
  expect([0, 1].map((age) => endsAtBound(age, 0))).toEqual([false, true]);
});

test('where readings got other names, looks reach no further back than the step of the grid in which they did; the overlap does', () => {
  const renamed = { ...look, start: HOUR, looksFrom: 2 * DAY + SECOND / 2, lookBackAtMost: HOUR };
  const end = 2 * DAY + 70 * MINUTE;
  expect(regularLooks(renamed, end, end + 15 * MINUTE)).toEqual([{ from: 2 * DAY, to: 2 * DAY + 15 * MINUTE }]);
  const covered = [{ from: HOUR, to: 2 * DAY + MINUTE }];
  const window = { from: 2 * DAY + 20 * MINUTE, to: 2 * DAY + 30 * MINUTE };
  expect(looksOwed(renamed, covered, window)).toEqual([{ from: 2 * DAY + MINUTE - 12.5 * MINUTE, to: window.from }]);
});
